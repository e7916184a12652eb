#include "reduce/groups/key_bins.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <vector>

#include "base/error.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "job/arrays/array_input.hpp"
#include "statistics/each_element.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {
namespace {

constexpr std::int64_t kMostBins = std::int64_t{1} << 24;

std::vector<double> read_array(const std::string& path) {
  const auto array = store::open_array(job::parse_array_input(path), std::int64_t{1} << 20);
  const store::ArrayInfo& info = array->info();
  if (info.shape.size() != 1 || info.shape.front() > kMostBins) {
    throw base::usage_error("--bins {}: is {}; edges are one dimension of at most {}", path,
                            job::format_shape(info.shape), kMostBins);
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(info.shape.front()) *
                               base::element_bytes(info.type));
  array->read_box({{0}, info.shape}, bytes);
  std::vector<double> edges;
  statistics::for_each_real(bytes, info.type, [&](double edge) { edges.push_back(edge); });
  return edges;
}

std::vector<double> read_text(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw base::missing_error("--bins {}: neither LO,HI,N nor a file", path);
  std::ostringstream all;
  all << file.rdbuf();
  std::string text = all.str();
  std::ranges::replace_if(
      text, [](char c) { return c == '\n' || c == '\r' || c == '\t' || c == ' '; }, ',');
  std::vector<double> edges;
  for (const std::string& part : base::split(text, ',')) {
    if (!part.empty()) edges.push_back(base::parse_real(part, "--bins " + path));
  }
  return edges;
}

statistics::HistogramBins from_edges(const std::string& text, std::vector<double> edges) {
  const auto grows = [](double a, double b) { return a < b; };
  const auto wrong = std::ranges::adjacent_find(
      edges, [&](double a, double b) { return !grows(a, b) || !std::isfinite(b - a); });
  if (edges.size() < 2 || wrong != edges.end()) {
    throw base::usage_error(
        "--bins {}: edges are at least two finite numbers, each larger than the "
        "one before",
        text);
  }
  return statistics::HistogramBins(std::move(edges));
}

}  // namespace

statistics::HistogramBins parse_bins(const std::string& text) {
  if (text.ends_with(".npy")) return from_edges(text, read_array(text));
  const std::vector<std::string> parts = base::split(text, ',');
  if (parts.size() != 3) return from_edges(text, read_text(text));
  const double low = base::parse_real(parts[0], "--bins");
  const double high = base::parse_real(parts[1], "--bins");
  const std::int64_t bins = base::parse_count(parts[2], "--bins", 1, kMostBins);
  if (!(low < high) || !std::isfinite(high - low)) {
    throw base::usage_error("--bins {}: {} is not less than {}", text, parts[0], parts[1]);
  }
  return {low, high, static_cast<std::size_t>(bins)};
}

}  // namespace tessera::reduce
