// Named views of interesting places.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/geometry.hpp"

namespace tessera::job {

struct View {
  std::string_view name;
  std::string_view description;  ///< one line
  std::string_view center;       ///< "RE,IM", decimal
  std::string_view width;
  std::uint32_t iterations;  ///< enough to show the place
  std::string_view formula = "mandelbrot";
  double height = 0;  ///< 0: 9/16 of the width
};

/// The width of an image of `size_px` pixels that shows the whole view: the view's own, or more for
/// an image that is too flat for its height.
std::string fitted_width(const View& view, base::ImageSize size_px);

std::span<const View> views();
/// Throws a usage error that begins with `what` and has similar names if there is no view of
/// that name.
const View& find_view(std::string_view name, std::string_view what = "--view");

}  // namespace tessera::job
