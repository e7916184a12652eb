// The third tier of arithmetic: pixels that 106 bits leave uncertain, with numbers of 190 bits and
// the reference orbit with 159.
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
  /// Computes the reference orbit again, for the bits that DeepImage lacks.
  explicit WideTier(const DeepImage& image);
  /// Only z^2 + c from 0.
  static bool renders(const DeepImage& image);

  /// A pixel of that image; nothing if its count is uncertain with these bits, too. Adds its steps
  /// and jumps to `steps`.
  std::optional<CountedPixel> count(const DeepImage& image, std::int64_t column, std::int64_t row,
                                    std::uint64_t& steps) const;

  struct Entry {
    kernels::ScaledReal radius;
    WideComplex a, q, b;
    std::uint64_t length = 0;
  };
  /// The longest jump from m with |t| = size, or null.
  const Entry* find(std::uint64_t m, const kernels::ScaledReal& size) const;
  /// Z_m.
  WideComplex at(const ReferenceOrbit& orbit, std::int64_t m) const;

  /// About what a tier holds of an orbit of so many elements with so many jumps.
  static std::uint64_t bytes_for(std::size_t elements, std::size_t jumps) {
    return elements * (2 * sizeof(double) + sizeof(Node)) + jumps * sizeof(Entry);
  }

 private:
  struct Node {
    std::uint32_t first = 0, levels = 0;
  };
  void add_third_parts(const DeepImage& image);
  void add_jumps(const DeepImage& image);

  std::vector<double> re_rest_, im_rest_;  ///< Z less its two parts in ReferenceOrbit
  std::vector<WideComplex> tiny_;          ///< those of ReferenceOrbit
  std::vector<Node> nodes_;
  std::vector<Entry> entries_;
};

}  // namespace tessera::deep
