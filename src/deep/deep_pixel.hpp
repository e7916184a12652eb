// One pixel of a deep image in f64: steps with exponents of their own while the difference from the
// reference is below f64's range, and the loop of kernels/deep/advance.h.
#pragma once

#include <cstdint>

#include "deep/deep_image.hpp"
#include "kernels/deep/scalar.hpp"

namespace tessera::deep {

/// A pixel before its first iteration; rows count from the top.
kernels::TsDeepPixel start_pixel(const DeepImage& image, std::int64_t column, std::int64_t row);

/// Advances a pixel while |z| is below f64's range. False when it is done; otherwise
/// advance_pixel() continues.
bool scaled_phase(const DeepImage& image, kernels::TsDeepPixel& pixel);

/// kernels::ts_deep_advance().
std::uint32_t advance_pixel(const DeepImage& image, kernels::TsDeepPixel& pixel);

/// The smooth count, from |z_m|^2.
double smooth_of(const DeepImage& image, std::uint32_t count, std::uint32_t m, double radius2);

}  // namespace tessera::deep
