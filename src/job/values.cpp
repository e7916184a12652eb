#include "job/values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <span>
#include <utility>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/foreign_text.hpp"
#include "base/read_number.hpp"
#include "base/text.hpp"

namespace tessera::job {

namespace {

constexpr std::uint64_t kMinMemoryBytes = std::uint64_t{16} << 20;
using SizeNames = std::pair<std::string_view, std::string_view>;
constexpr std::array<std::pair<SizeNames, base::ImageSize>, 3> kNamedSizes = {
    {{{"4k", "4K"}, {3840, 2160}}, {{"8k", "8K"}, {7680, 4320}}, {{"16k", "16K"}, {15360, 8640}}}};
/// So many fit into 64 bits with a zero behind them.
// crossed by: is_another_word_for_the_width
constexpr std::size_t kMaxZoomDigits = 18;
constexpr std::size_t kQuotientDigits = 40;
constexpr std::array<std::string_view, 5> kUnits = {"", "K", "M", "G", "T"};  ///< powers of 1024

std::vector<std::string> names_of(std::span<const Field> fields) {
  std::vector<std::string> names;
  for (const Field field : fields) {
    if (names.empty() || names.back() != field_choice(field)) {
      names.emplace_back(field_choice(field));
    }
  }
  return names;
}

double parse_coordinate(std::string_view text, std::string_view what) {
  const double value = base::nearest_real(text, what);
  const std::int64_t digits = base::digits_of(text).significant;
  if (digits > kMaxDigits) {
    throw base::usage_error("{}: has {} digits; {} are possible", what, digits, kMaxDigits);
  }
  if (std::abs(value) <= kLargestReal) return value;
  throw base::usage_error("{}: '{}' is outside -1e100..1e100", what, base::shortened(text));
}

/// Position of the imaginary part of "RE+IMi": the last sign that is not an exponent's.
std::size_t find_inner_sign(std::string_view text) {
  for (std::size_t at = text.size(); at-- > 1;) {
    const bool sign = text[at] == '+' || text[at] == '-';
    if (sign && text[at - 1] != 'e' && text[at - 1] != 'E') return at;
  }
  return std::string_view::npos;
}

/// Decimal digits of dividend / divisor by long division, and how many are behind the point.
std::pair<std::string, std::int64_t> divide(std::uint64_t dividend, std::uint64_t divisor) {
  std::string digits = std::to_string(dividend / divisor);
  if (digits == "0") digits.clear();
  std::int64_t places = 0;
  for (dividend %= divisor; dividend != 0 && digits.size() < kQuotientDigits; ++places) {
    dividend *= 10;
    const std::uint64_t digit = dividend / divisor;
    if (digit != 0 || !digits.empty()) digits += static_cast<char>('0' + digit);
    dividend %= divisor;
  }
  return {digits, places};
}

/// A suffix of file names, for which files it is right, and the option that writes such a file.
struct FileKind {
  std::string_view suffix;
  std::string_view writer;
  std::string_view option;
};

constexpr std::array kKinds = {
    FileKind{".h5", ".h5", "--output"}, FileKind{".hdf5", ".h5", "--output"},
    FileKind{".png", ".png", "--png"},  FileKind{".npy", "", ""},
    FileKind{".npz", "", ""},           FileKind{".zarr", "", ""},
    FileKind{".csv", "", ""},           FileKind{".jpg", "", ""},
    FileKind{".jpeg", "", ""},          FileKind{".tif", "", ""},
    FileKind{".tiff", "", ""},          FileKind{".bmp", "", ""},
    FileKind{".gif", "", ""},           FileKind{".webp", "", ""},
    FileKind{".svg", "", ""},           FileKind{".pdf", "", ""},
};

}  // namespace

PointText split_point(std::string_view text, std::string_view what) {
  const std::string_view all = base::trim(text);
  if (const auto comma = all.find(','); comma != std::string_view::npos) {
    return {std::string(all.substr(0, comma)), std::string(all.substr(comma + 1))};
  }
  if (const auto sign = find_inner_sign(all); all.ends_with('i') && sign != all.npos) {
    const std::string size(base::trim(all.substr(sign + 1, all.size() - sign - 2)));
    return {std::string(all.substr(0, sign)), all[sign] == '-' ? "-" + size : size};
  }
  throw base::usage_error("{}: '{}' is not a point such as -0.75,0.1 or -0.75+0.1i", what,
                          base::shortened(text));
}

Center parse_center(std::string_view text, std::string_view what) {
  const PointText point = split_point(text, what);
  return {parse_coordinate(point.re, what), parse_coordinate(point.im, what)};
}

std::string normalized_point(std::string_view text) {
  const PointText point = split_point(text, "point");
  return base::normalized_decimal(point.re) + "," + base::normalized_decimal(point.im);
}

double parse_positive(std::string_view text, std::string_view what) {
  const double value = base::parse_real(text, what);
  if (value <= 0) throw base::usage_error("{}: '{}' is not above 0", what, text);
  if (value >= kMinPositive && value <= kLargestReal) return value;
  throw base::usage_error("{}: '{}' is outside 1e-290..1e100", what, text);
}

double parse_width(std::string_view text, std::string_view what) {
  const double value = base::nearest_real(text, what);
  const base::DecimalDigits digits = base::digits_of(text);
  if (value < 0 || digits.significant == 0 || base::trim(text).starts_with('-')) {
    throw base::usage_error("{}: '{}' is not above 0", what, base::shortened(text));
  }
  const bool too_long = digits.significant > kMaxDigits;
  if (value <= kLargestReal && digits.exponent >= -kMaxDigits && !too_long) return value;
  throw base::usage_error("{}: '{}' is {}", what, base::shortened(text),
                          too_long ? fmt::format("longer than {} digits", kMaxDigits)
                                   : fmt::format("outside 1e-{}..1e100", kMaxDigits));
}

std::string width_of_zoom(std::string_view text, std::string_view what) {
  base::nearest_real(text, what);  // throws if it is no number
  const std::string zoom = base::normalized_decimal(text);
  const std::size_t mantissa = zoom.find('e');
  if (zoom == "0" || zoom.starts_with('-')) {
    throw base::usage_error("{}: '{}' is not above 0", what, base::shortened(text));
  }
  if (mantissa > kMaxZoomDigits) {
    throw base::usage_error("{}: '{}' has more than {} digits; give fewer, or --width", what,
                            base::shortened(text), kMaxZoomDigits);
  }
  const auto divisor = base::read_integer<std::uint64_t>(zoom.substr(0, mantissa)).value();
  const std::int64_t exponent = base::read_integer(zoom.substr(mantissa + 1)).value();
  const auto [digits, places] = divide(4, divisor);
  return fmt::format("{}e{}", digits, -exponent - places);
}

std::string parse_frame_zoom(std::string_view text, std::string_view what) {
  constexpr double kMax = 1000;
  const double zoom = base::nearest_real(text, what);
  const std::int64_t digits = base::digits_of(text).significant;
  if (zoom > 1 && zoom <= kMax && digits <= static_cast<std::int64_t>(kMaxZoomDigits)) {
    return std::string(base::trim(text));
  }
  throw base::usage_error("{}: '{}' is not above 1 and at most {}, with up to {} digits", what,
                          base::shortened(text), kMax, kMaxZoomDigits);
}

base::ImageSize parse_size(std::string_view text, std::string_view what) {
  const std::string_view all = base::trim(text);
  for (const auto& [names, size_px] : kNamedSizes) {
    if (all == names.first || all == names.second) return size_px;
  }
  const auto cross = all.find_first_of("xX");
  if (cross == all.npos && (all.empty() || all.find_first_not_of("0123456789") != all.npos)) {
    throw base::usage_error(
        "{}: '{}' is not a size in pixels such as 3840x2160, 1920 (a square), 4k, 8k or 16k", what,
        text);
  }
  const auto side = [&](std::string_view digits) {
    return base::parse_integer(digits, what, 1, kLargestSidePx);
  };
  const std::int64_t width = side(all.substr(0, cross));
  return {width, cross == all.npos ? width : side(all.substr(cross + 1))};
}

base::PixelRect parse_region(std::string_view text, std::string_view what) {
  const auto parts = base::split(text, ',');
  if (parts.size() != 4) {
    throw base::usage_error("{}: '{}' is not X,Y,W,H in pixels", what, text);
  }
  const auto number = [&](std::size_t i, std::int64_t low) {
    return base::parse_integer(parts[i], what, low, 0x7FFFFFFF);
  };
  return {number(0, 0), number(1, 0), number(2, 1), number(3, 1)};
}

std::string format_size(base::ImageSize size_px) {
  return fmt::format("{}x{}", size_px.width, size_px.height);
}

std::vector<Field> parse_fields(std::string_view text, std::string_view what) {
  const std::vector<std::string> known = names_of(kFields);
  const std::vector<std::string> names = base::split(text, ',');
  if (names.empty()) {
    throw base::usage_error("{}: names no field; there are {}", what, base::join(known));
  }
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) == known.end()) {
      throw base::usage_error("{}: there is no field '{}'; {}", what, name,
                              suggestion(name, known));
    }
    if (std::ranges::count(names, name) > 1) {
      throw base::usage_error("{}: '{}' is named twice; once is enough", what, name);
    }
  }
  std::vector<Field> fields{Field::iterations};
  for (const Field field : kMoreFields) {
    if (std::ranges::find(names, field_choice(field)) != names.end()) fields.push_back(field);
  }
  return fields;
}

std::string format_fields(const std::vector<Field>& fields) {
  return base::join(names_of(fields), ",");
}

std::uint64_t parse_memory(std::string_view text, std::string_view what) {
  const std::uint64_t bytes = base::parse_bytes(text, what);
  if (bytes >= kMinMemoryBytes) return bytes;
  throw base::usage_error("{}: '{}' is too little; at least 16M are needed", what, text);
}

std::string format_memory(std::uint64_t bytes) {
  std::size_t unit = 0;
  for (; unit + 1 < kUnits.size() && bytes != 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{}{}", bytes, kUnits[unit]);
}

Share parse_share(std::string_view text, std::string_view what) {
  const auto parts = base::split(text, '/');
  if (parts.size() != 2) throw base::usage_error("{}: '{}' is not K/N, such as 2/8", what, text);
  constexpr std::int64_t kMax = 1'000'000;
  const std::int64_t of = base::parse_integer(parts[1], what, 1, kMax);
  return {static_cast<int>(base::parse_integer(parts[0], what, 1, of)), static_cast<int>(of)};
}

std::string format_share(const Share& share) {
  return share.whole() ? "" : fmt::format("{}/{}", share.number, share.of);
}

bool parse_toggle(std::string_view text, std::string_view what) {
  if (text == "true") return true;
  if (text == "false") return false;
  throw base::usage_error("{}: '{}' is neither true nor false", what, text);
}

bool parse_switch(std::string_view text, std::string_view what) {
  const std::string_view word = base::trim(text);
  if (word == "on" || word == "off") return word == "on";
  throw base::usage_error("{}: '{}' is neither on nor off", what, word);
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
  const std::string near = base::nearest(name, known);
  return near.empty() ? "there are " + base::join(known) : fmt::format("did you mean '{}'?", near);
}

std::size_t find_name(std::span<const std::string_view> names, std::string_view name,
                      std::string_view what, std::string_view thing) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  throw base::usage_error("{}: there is no {} '{}'; {}", what, thing, name,
                          suggestion(name, {names.begin(), names.end()}));
}

void check_suffix(std::string_view path, std::string_view what, std::string_view requested,
                  std::string_view pictures) {
  if (base::is_special(std::string(path))) return;
  const std::string suffix = base::lower(std::filesystem::path(path).extension().string());
  if (suffix.empty() || suffix == requested) return;
  const auto kind = std::ranges::find(kKinds, suffix, &FileKind::suffix);
  if (requested == ".png") {
    const bool other = kind != kKinds.end() && !kind->option.empty() && !what.starts_with("OUT");
    throw base::usage_error("{}: {}: only {}{}", what, path, pictures,
                            other ? fmt::format(", or {}", kind->option) : "");
  }
  if (kind == kKinds.end() || kind->writer == requested) return;
  const std::string hint =
      kind->option.empty() ? "" : fmt::format("; did you mean {}?", kind->option);
  throw base::usage_error("{}: {}: the file is an HDF5 file, so its name must not end in {}{}",
                          what, path, suffix, hint);
}

std::string parse_name(std::string_view text, std::string_view what) {
  const std::string_view name = base::trim(text);
  if (name.empty()) throw base::usage_error("{}: must not be empty", what);
  return std::string(name);
}

}  // namespace tessera::job
