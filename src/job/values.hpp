// Values of a job as people write them, and back. Every parser throws a usage error that begins
// with `what`, the option or the place in a job file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/geometry.hpp"
#include "job/render_job.hpp"

namespace tessera::job {

/// Numbers outside of these could overflow, or lose digits, in the arithmetic of a pixel.
inline constexpr double kLargestReal = 1e100;
inline constexpr double kLeastPositive = 1e-290;

struct Center {
  double re = 0;
  double im = 0;
};

/// "RE,IM", "RE+IMi" or "RE-IMi": decimal, any number of digits, each rounded to the nearest f64.
Center parse_center(std::string_view text, std::string_view what);

/// A point that parse_center() takes, by base::normalized_decimal(): "-75e-2,0".
std::string normalized_point(std::string_view text);

/// A number in [kLeastPositive, kLargestReal].
double parse_positive(std::string_view text, std::string_view what);

/// "WxH", each in 1..2^31-1 pixels.
base::ImageSize parse_size(std::string_view text, std::string_view what);
std::string format_size(base::ImageSize size_px);

/// "iterations", "smooth" or both; iterations are always among the result, which is in the order
/// of Field, whatever the order of the text.
std::vector<Field> parse_fields(std::string_view text, std::string_view what);
std::string format_fields(const std::vector<Field>& fields);

/// At least 16 MiB.
std::uint64_t parse_memory(std::string_view text, std::string_view what);
/// In the largest unit that loses nothing: "512M", "1000000000".
std::string format_memory(std::uint64_t bytes);

/// "K/N", 1 <= K <= N.
Share parse_share(std::string_view text, std::string_view what);
std::string format_share(const Share& share);  ///< "" for the whole

bool parse_toggle(std::string_view text, std::string_view what);

/// For a message about a name that is unknown: "did you mean 'x'?" or "there are x, y, z".
std::string suggestion(std::string_view name, const std::vector<std::string>& known);

/// Place of a name among `names`; `thing` is what they name, for the message about one that is not
/// there.
std::size_t find_name(std::span<const std::string_view> names, std::string_view name,
                      std::string_view what, std::string_view thing);

/// Text that names something: anything but blanks.
std::string parse_name(std::string_view text, std::string_view what);

}  // namespace tessera::job
