// The third tier of arithmetic: pixels that 106 bits leave uncertain, with numbers of 190 bits
// (kernels/deep/wide_pixel.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deep/reference_orbit.hpp"
#include "deep/wide_complex.hpp"

namespace tessera::deep {

struct DeepImage;

/// The jumps of an image, as JumpTable has them, all with exponents of 64 bits.
class WideTier {
 public:
  WideTier() = default;
  /// Computes the reference orbit again if it is not kept with 190 bits.
  explicit WideTier(const DeepImage& image);
  /// Only z^2 + c from 0.
  static bool renders(const DeepImage& image);

  struct Counted {
    std::optional<CountedPixel> pixel;  ///< nothing if the count is uncertain with these bits, too
    std::uint64_t steps = 0;            ///< and jumps
  };
  /// A pixel of that image.
  Counted count(const DeepImage& image, std::int64_t column, std::int64_t row) const;

  const std::vector<kernels::TsWideNode>& nodes() const { return nodes_; }
  const std::vector<kernels::TsWideEntry>& entries() const { return entries_; }

  /// About what a tier holds of an orbit of so many elements with so many jumps.
  static std::uint64_t bytes_for(std::size_t elements, std::size_t jumps) {
    return elements * sizeof(kernels::TsWideNode) + jumps * sizeof(kernels::TsWideEntry);
  }

 private:
  void add_elements(const DeepImage& image);
  void add_jumps(const DeepImage& image);

  std::vector<kernels::TsWideNode> nodes_;  ///< for m = 0 to M
  std::vector<kernels::TsWideEntry> entries_;
};

/// A pixel of a WideTier before its first iteration.
kernels::TsWidePixel start_wide_pixel(const DeepImage& image, std::int64_t column,
                                      std::int64_t row);

}  // namespace tessera::deep
