// Parses and prints the values of a job. Every parser throws a usage error that begins with `what`:
// the option, or the place in a job file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/render_job.hpp"

namespace tessera::job {

/// Numbers outside these bounds could overflow, or lose digits, in the arithmetic of a pixel.
inline constexpr double kLargestReal = 1e100;
inline constexpr double kMinPositive = 1e-290;

/// Most digits of a number, and of the exponent -N of a width 1e-N.
inline constexpr std::int64_t kMaxDigits = 100'000;

/// Pixels of the longest side of an image.
// crossed by: takes_the_limits_of_every_range
inline constexpr std::int64_t kLargestSidePx = 0x7FFFFFFF;

struct Center {
  double re = 0;
  double im = 0;
};

/// "RE,IM", "RE+IMi" or "RE-IMi": decimal, up to kMaxDigits, each rounded to the nearest f64.
Center parse_center(std::string_view text, std::string_view what);

/// A point that parse_center() takes, by base::normalized_decimal(): "-75e-2,0".
std::string normalized_point(std::string_view text);

/// The texts of the parts of a point that parse_center() takes.
struct PointText {
  std::string re, im;
};
PointText split_point(std::string_view text, std::string_view what);

/// A number in [kMinPositive, kLargestReal].
double parse_positive(std::string_view text, std::string_view what);

/// The same from 1e-kMaxDigits on, rounded to the nearest f64, which may be 0.
double parse_width(std::string_view text, std::string_view what);

/// The width of an image for --zoom: 4 / `text` as a decimal, exact where 40 digits hold it.
std::string width_of_zoom(std::string_view text, std::string_view what);

/// The quotient of the widths of neighbouring images of a zoom: above 1, at most 1000, with up to
/// 18 digits.
std::string parse_frame_zoom(std::string_view text, std::string_view what);

/// "WxH" or "N" for a square, each in 1..2^31-1 pixels; "4k", "8k".
base::ImageSize parse_size(std::string_view text, std::string_view what);
std::string format_size(base::ImageSize size_px);

/// "X,Y,W,H" in pixels; W and H are at least 1.
base::PixelRect parse_region(std::string_view text, std::string_view what);

/// Some of kFields. The result is in the order of Field and always
/// contains iterations.
std::vector<Field> parse_fields(std::string_view text, std::string_view what);
std::string format_fields(const std::vector<Field>& fields);

/// At least 16 MiB.
std::uint64_t parse_memory(std::string_view text, std::string_view what);
/// In the largest unit that represents it exactly: "512M", "1000000000".
std::string format_memory(std::uint64_t bytes);

/// "K/N", 1 <= K <= N.
Share parse_share(std::string_view text, std::string_view what);
std::string format_share(const Share& share);  ///< "" for the whole

bool parse_toggle(std::string_view text, std::string_view what);
/// "on" or "off".
bool parse_switch(std::string_view text, std::string_view what);

/// For a message about an unknown name: "did you mean 'x'?" or "there are x, y, z".
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

/// Index of a name in `names`; `thing` is their kind, for the error message about an unknown name.
std::size_t find_name(std::span<const std::string_view> names, std::string_view name,
                      std::string_view what, std::string_view thing);

/// Throws a usage error if `path` has the suffix of another kind of file than `requested`: for
/// ".h5" a known one, with the option for that kind, for ".png" any.
void check_suffix(std::string_view path, std::string_view what, std::string_view requested,
                  std::string_view pictures = "PNG is written; use a name that ends in .png");

/// A name: any text that is not blank.
std::string parse_name(std::string_view text, std::string_view what);

}  // namespace tessera::job
