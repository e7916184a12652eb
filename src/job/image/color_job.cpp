#include "job/image/color_job.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/error.hpp"
#include "base/text.hpp"
#include "job/image/coloring.hpp"
#include "job/run_options.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using Text = std::string_view;

// crossed by: test_the_smallest_scale, OfAMillionWhitePixelsIsWhite
constexpr std::int64_t kMaxScale = 1024;

/// "1/8" or "0.125": the reciprocal of a whole number.
int parse_scale(Text text, Text what) {
  const auto slash = text.find('/');
  double factor = 0;
  if (slash != Text::npos && base::trim(text.substr(0, slash)) == "1") {
    factor = static_cast<double>(base::parse_integer(text.substr(slash + 1), what, 1, kMaxScale));
  } else {
    factor = 1 / base::parse_real(text, what);
  }
  const double whole = std::round(factor);
  if (!(whole >= 1 && whole <= kMaxScale) || std::abs(factor - whole) > 1e-6 * whole) {
    throw base::usage_error("{}: '{}' is not one over a whole number, such as 1/8 or 0.125", what,
                            text);
  }
  return static_cast<int>(whole);
}

std::string format_region(const std::optional<base::PixelRect>& region) {
  if (!region) return {};
  return fmt::format("{},{},{},{}", region->x, region->y, region->width, region->height);
}

std::vector<Option<ColorJob>> make_color_options() {
  return {
      field_option<ColorJob>("iterations or smooth; by default smooth, if the file has it"),
      parsed(
          {"region", "X,Y,W,H", "part of the image in pixels; by default all of it", Scope::image},
          &ColorJob::region, parse_region, format_region),
      parsed({"scale", "1/N", "shrink: average N x N pixels into one", Scope::image},
             &ColorJob::scale, parse_scale, [](int scale) { return fmt::format("1/{}", scale); }),
      run_option<ColorJob>(RunOption::threads),
      run_option<ColorJob>(RunOption::memory),
      run_option<ColorJob>(RunOption::report),
      run_option<ColorJob>(RunOption::trace),
      toggle({"overwrite", "", "replace an existing picture", Scope::output}, &ColorJob::overwrite),
      run_option<ColorJob>(RunOption::quiet),
      run_option<ColorJob>(RunOption::json),
  };
}

}  // namespace

std::span<const Option<ColorJob>> color_options() {
  static const std::vector<Option<ColorJob>> options = [] {
    std::vector<Option<ColorJob>> all = coloring_options<ColorJob>();
    for (auto& option : make_color_options()) all.push_back(std::move(option));
    return all;
  }();
  return options;
}

std::vector<std::pair<std::string, std::string>> describe(const ColorJob& job) {
  auto lines = describe_options(job, color_options());
  lines.emplace(lines.begin(), "input", job.input);
  return lines;
}

}  // namespace tessera::job
