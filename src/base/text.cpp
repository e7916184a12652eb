#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/read_number.hpp"

namespace tessera::base {

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  if (trim(text).empty()) return parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

std::int64_t parse_integer(std::string_view text, std::string_view what, std::int64_t low,
                           std::int64_t high) {
  const auto value = read_integer(trim(text));
  if (value && *value >= low && *value <= high) return *value;
  throw usage_error("{}: '{}' is not a whole number from {} to {}", what, text, low, high);
}

double parse_real(std::string_view text, std::string_view what) {
  const double value = nearest_real(text, what);
  const bool in_range = value == 0 ? digits_of(text).significant == 0 : std::isfinite(value);
  if (in_range) return value;
  throw usage_error("{}: '{}' is outside the range of a 64-bit float", what, shortened(text));
}

std::uint64_t parse_bytes(std::string_view text, std::string_view what) {
  const std::string_view all = trim(text);
  const auto split_at = std::min(all.find_first_not_of("0123456789."), all.size());
  const std::string_view unit = trim(all.substr(split_at));
  int power = -1;
  if (unit.empty() || unit == "B") power = 0;
  constexpr std::string_view kPrefixes = "KMGT";
  for (std::size_t i = 0; i < kPrefixes.size() && !unit.empty(); ++i) {
    const std::string_view rest = unit.substr(1);
    const bool prefix = std::toupper(static_cast<unsigned char>(unit[0])) == kPrefixes[i];
    if (prefix && (rest.empty() || rest == "B" || rest == "iB")) power = static_cast<int>(i) + 1;
  }
  if (const auto number = read_real(all.substr(0, split_at)); number && power >= 0) {
    const double bytes = std::ldexp(*number, 10 * power);
    if (bytes < 0x1p63) return static_cast<std::uint64_t>(bytes);
  }
  throw usage_error("{}: '{}' is not a size such as 512M or 2G", what, text);
}

namespace {

std::string with_prefix(double value, double base, std::span<const std::string_view> prefixes,
                        std::string_view unit) {
  std::size_t step = 0;
  while (std::abs(value) >= base && step + 1 < prefixes.size()) {
    value /= base;
    ++step;
  }
  if (step == 0) return fmt::format("{:.0f} {}", value, unit);
  return fmt::format("{:.{}f} {}{}", value, value < 99.95 ? 1 : 0, prefixes[step], unit);
}

}  // namespace

std::string format_bytes(double bytes) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  return with_prefix(bytes, 1024, kPrefixes, "B");
}

std::pair<std::string, std::string> format_different_bytes(double one, double other) {
  std::pair<std::string, std::string> texts = {format_bytes(one), format_bytes(other)};
  if (texts.first != texts.second) return texts;
  return {fmt::format("{:.0f} B", one), fmt::format("{:.0f} B", other)};
}

std::string format_count(double count) {
  constexpr std::array<std::string_view, 6> kPrefixes = {"", "k", "M", "G", "T", "P"};
  std::string text = with_prefix(count, 1000, kPrefixes, "");
  if (text.ends_with(' ')) text.pop_back();
  return text;
}

std::string format_seconds(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 99.5) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {:02d} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {:02d} h", whole / 86400, whole % 86400 / 3600);
}

namespace {

/// The number of letters to insert, remove, replace or swap with a neighbour that turn one word
/// into the other, none of them edited twice (optimal string alignment).
std::size_t edits_between(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, last[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before_last[j - 1] + 1);
    }
    std::swap(before_last, last);
    std::swap(last, row);
  }
  return last.back();
}

}  // namespace

/// A misspelling has one edit, or two if the name has at least 7 letters. Words of up to 3 letters
/// resemble each other by nature ("gpu" and "cpu"), so their first letters must be equal.
std::string nearest(std::string_view name, std::span<const std::string> candidates) {
  const std::string_view word = name.substr(std::min(name.find_first_not_of('-'), name.size()));
  if (word.size() < 2) return "";
  std::string best;
  std::size_t best_edits = word.size() < 7 ? 2 : 3;  // one more than allowed
  for (const std::string& candidate : candidates) {
    if (word.size() <= 3 && !candidate.starts_with(name.substr(0, name.size() - word.size() + 1))) {
      continue;
    }
    const std::size_t edits = edits_between(name, candidate);
    if (edits >= best_edits) continue;
    best_edits = edits;
    best = candidate;
  }
  return best;
}

std::string count_of(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string count_are(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}", count_of(count, thing), count == 1 ? "is" : "are");
}

std::string some_are(std::int64_t count, std::int64_t all, std::string_view thing) {
  return fmt::format("{} of {} {}", count, count_of(all, thing), count == 1 ? "is" : "are");
}

std::string natural_key(std::string_view name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string key;
  for (std::size_t i = 0; i < name.size();) {
    std::size_t end = i;
    while (end < name.size() && is_digit(name[end])) ++end;
    if (end == i) {
      key += name[i++];
      continue;
    }
    // A number with more digits is larger, once its leading zeros are gone.
    while (i + 1 < end && name[i] == '0') ++i;
    key += fmt::format("{:010}", end - i);
    key += name.substr(i, end - i);
    i = end;
  }
  return key;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!text.empty()) text += separator;
    text += part;
  }
  return text;
}

}  // namespace tessera::base
