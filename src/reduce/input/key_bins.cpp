#include "reduce/input/key_bins.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/foreign_text.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/arrays/array_input.hpp"
#include "statistics/each_element.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {
namespace {

constexpr std::string_view kEdges = "edges=";
// not crossed: only refuses
constexpr std::int64_t kMaxBins = std::int64_t{1} << 24;

std::vector<double> read_array(const std::string& path) {
  const auto array = store::open_array(job::parse_array_input(path), std::int64_t{1} << 20);
  const store::ArrayInfo& info = array->info();
  if (info.shape.size() != 1 || info.shape.front() > kMaxBins) {
    throw base::usage_error("--bins {}: is {}; edges are one dimension of at most {}", path,
                            job::format_shape(info.shape), kMaxBins);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.shape.front()) *
                               base::element_bytes(info.type));
  array->read_box({{0}, info.shape}, bytes);
  std::vector<double> edges;
  statistics::for_each_real(bytes, info.type, [&](double edge) { edges.push_back(edge); });
  return edges;
}

/// A number as NumPy and pandas write the edges of what is outside of all others: "-inf".
double parse_edge(std::string_view text, const std::string& what) {
  std::string word = base::lower(text);
  const bool negative = word.starts_with('-');
  if (negative || word.starts_with('+')) word.erase(0, 1);
  if (word != "inf" && word != "infinity") return base::parse_real(text, what);
  return negative ? -std::numeric_limits<double>::infinity()
                  : std::numeric_limits<double>::infinity();
}

void add_edges(const std::string& line, const std::string& what, std::vector<double>& edges) {
  for (const std::string& part : base::split(line, ',')) {
    if (!part.empty()) edges.push_back(parse_edge(part, what));
  }
}

/// Numbers with commas or blanks between them; a `#` begins a comment, as in numpy.loadtxt.
std::vector<double> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!base::is_named(path) || !file) {
    throw base::missing_error("--bins {}: neither LO,HI,N nor a file", path);
  }
  std::vector<double> edges;
  for (std::string line; std::getline(file, line);) {
    line.resize(std::min(line.find('#'), line.size()));
    std::ranges::replace_if(
        line, [](char c) { return c == '\r' || c == '\t' || c == ' '; }, ',');
    add_edges(line, "--bins " + path, edges);
  }
  return edges;
}

statistics::HistogramBins from_edges(const std::string& text, std::vector<double> edges) {
  const auto wrong = std::ranges::adjacent_find(edges, [](double a, double b) { return !(a < b); });
  if (edges.size() < 2 || wrong != edges.end()) {
    throw base::usage_error(
        "--bins {}: edges are at least two numbers, each larger than the one before; the first may "
        "be -inf, the last inf",
        text);
  }
  return statistics::HistogramBins(std::move(edges));
}

/// "LO,HI,N", though there may be a file of that name: that is ./LO,HI,N.
bool is_range(const std::vector<std::string>& parts) {
  const auto is_number = [](const std::string& part) {
    double number = 0;
    return !part.empty() && std::from_chars(part.data(), part.data() + part.size(), number).ptr ==
                                part.data() + part.size();
  };
  return parts.size() == 3 && is_number(parts[0]) && is_number(parts[1]);
}

}  // namespace

statistics::HistogramBins parse_bins(const std::string& text) {
  if (text.starts_with(kEdges)) {
    std::vector<double> edges;
    add_edges(text.substr(kEdges.size()), "--bins", edges);
    return from_edges(text, std::move(edges));
  }
  if (text.ends_with(".npy")) return from_edges(text, read_array(text));
  const std::vector<std::string> parts = base::split(text, ',');
  if (parts.size() != 3 || (!is_range(parts) && base::is_named(text))) {
    return from_edges(text, read_text(text));
  }
  const double low = base::parse_real(parts[0], "--bins");
  const double high = base::parse_real(parts[1], "--bins");
  const std::int64_t bins = base::parse_count(parts[2], "--bins", 1, kMaxBins);
  if (!(low < high) || !std::isfinite(high - low)) {
    throw base::usage_error("--bins {}: {} is not less than {}", text, parts[0], parts[1]);
  }
  return {low, high, static_cast<std::size_t>(bins)};
}

}  // namespace tessera::reduce
