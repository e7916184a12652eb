// .xpf of XaoS: lists in parentheses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.hpp"
#include "place/formats.hpp"
#include "plane/decimals.hpp"

namespace tessera::place {
namespace {

using plane::Real;

/// Without lines that begin with ;, which are comments, and with blanks alone between words.
std::string without_comments(std::string_view text) {
  std::string result;
  for (const std::string& line : base::split(text, '\n')) {
    if (!line.starts_with(';')) result += line + " ";
  }
  std::ranges::replace_if(
      result, [](unsigned char c) { return std::isspace(c) != 0; }, ' ');
  return result;
}

/// The words of the last list that begins with `name`; empty without one.
std::vector<std::string> list_of(std::string_view text, std::string_view name) {
  std::vector<std::string> found;
  const std::string all = without_comments(text);
  for (std::size_t at = all.find('('); at != all.npos; at = all.find('(', at + 1)) {
    const std::string_view rest = std::string_view(all).substr(at + 1);
    std::vector<std::string> words = base::split(rest.substr(0, rest.find_first_of("()")), ' ');
    std::erase(words, "");
    if (words.empty() || words.front() != name) continue;
    found.assign(words.begin() + 1, words.end());
  }
  return found;
}

struct Name {
  std::string_view theirs, ours;
};
constexpr std::array kNames = std::to_array<Name>({{"'mandel", "mandelbrot"},
                                                   {"'mandel3", "multibrot:3"},
                                                   {"'mandel4", "multibrot:4"},
                                                   {"'mandel5", "multibrot:5"},
                                                   {"'mandel6", "multibrot:6"},
                                                   {"'mbar", "tricorn"}});

struct XaosFile {
  const Source& source;

  std::vector<std::string> words(std::string_view list) const { return list_of(source.text, list); }
  /// The word of a list, as a decimal.
  std::string number(std::string_view list, std::size_t index, std::string_view otherwise) const {
    const std::vector<std::string> all = words(list);
    return decimal(source, list, index < all.size() ? std::string_view(all[index]) : otherwise);
  }
};

std::string formula_of(const XaosFile& file) {
  const std::vector<std::string> words = file.words("formula");
  const std::string name = words.empty() ? "'mandel" : words[0];
  for (const auto& [theirs, ours] : kNames) {
    if (name == theirs) return std::string(ours);
  }
  refuse(file.source, fmt::format("its formula {} is not rendered here; there are {}", name,
                                  job::formula_choices()));
}

void check_neutral(const XaosFile& file) {
  for (const std::string_view list : {"plane", "perturbation"}) {
    for (const std::string& word : file.words(list)) {
      if (Real(decimal(file.source, list, word)).is_zero()) continue;
      refuse(file.source, fmt::format("its ({} {} ...) changes the formula, which is not rendered "
                                      "here",
                                      list, word));
    }
  }
}

bool is_julia(const XaosFile& file) {
  const std::vector<std::string> words = file.words("julia");
  return !words.empty() && words[0] == "#t";
}

std::string julia_of(const XaosFile& file, const std::string& formula) {
  if (formula != "mandelbrot") refuse(file.source, "it is a Julia set of another formula");
  return fmt::format("julia:{},{}", file.number("juliaseed", 0, "0"),
                     file.number("juliaseed", 1, "0"));
}

}  // namespace

bool is_xaos(std::string_view text) {
  return text.find("(initstate)") != text.npos || text.find("\n(view ") != text.npos;
}

Place read_xaos(const Source& source) {
  const XaosFile file{source};
  check_neutral(file);
  constexpr std::size_t kViewNumbers = 4;
  if (file.words("view").size() < kViewNumbers) refuse(source, "has no (view RE IM WIDTH HEIGHT)");
  Place place{.formula = formula_of(file),
              .center_re = file.number("view", 0, "0"),
              .center_im = file.number("view", 1, "0"),
              .height = file.number("view", 3, "1"),
              .width = file.number("view", 2, "1"),
              .iterations = count(source, "maxiter", file.number("maxiter", 0, "1000"))};
  if (Real(place.height).sign() <= 0 || Real(place.width).sign() <= 0) {
    refuse(source, "its view is not above 0");
  }
  if (is_julia(file)) place.formula = julia_of(file, place.formula);
  const Real bailout(file.number("bailout", 0, "4"));
  if (bailout.sign() <= 0) refuse(source, "its bailout is not above 0");
  place.bailout = plane::decimal_of(sqrt(bailout), 17);
  // The imaginary axis points down.
  place.matrix =
      rounded(plane::rotation(-Real(file.number("angle", 0, "0"))) * plane::diagonal(1, -1));
  return place;
}

}  // namespace tessera::place
