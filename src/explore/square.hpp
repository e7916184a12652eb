// The squares that a map in a browser is made of, as blocks of images that devices can render.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "base/bytes.hpp"
#include "base/geometry.hpp"
#include "explore/place.hpp"
#include "job/image/render_job.hpp"

namespace tessera::explore {

inline constexpr std::int64_t kSquarePx = 256;
inline constexpr int kMostLevel = 24;                              ///< and the least is -kMostLevel
inline constexpr std::int64_t kMostSteps = std::int64_t{1} << 21;  ///< squares from a place
inline constexpr int kMostCoarse = 16;

/// A square and all that its values depend on.
struct SquareKey {
  std::uint64_t place = 0;
  int level = 0;  ///< its side is span / 2^level
  std::int64_t x = 0, y = 0;
  int coarse = 1;  ///< 8: every eighth pixel in each direction
  std::uint64_t iterations = 1000;
  std::string formula;

  std::int64_t side_px() const { return kSquarePx / coarse; }
  auto operator<=>(const SquareKey&) const = default;  // NOLINT(modernize-use-nullptr): false
};

/// A block of an image whose centre is a place.
struct SquareImage {
  job::ImageSpec image;
  base::PixelRect block;
  job::MoreFields fields;
};

/// The values of a square. `job` has what the key leaves open: the bailout, the arithmetic, the
/// fields. Neighbours have the same image, except at some distances from the place; the values do
/// not depend on it. Throws a usage error beyond the resolution of the arithmetic.
SquareImage image_of(const job::RenderJob& job, const Place& place, const SquareKey& key);

/// The iterations of a square of this level where nobody says how many: 1000 while it is wider than
/// 1, and 250 more for each level below.
std::uint32_t usual_iterations(const Place& place, int level);

struct SquareValues {
  base::Bytes counts;  ///< elements of `type`
  base::ElementType type = base::ElementType::u16;
  base::Bytes smooth, distance;  ///< f32, or empty
  int rank = 0;                  ///< that rendered it

  std::uint64_t count(std::size_t pixel) const;
  std::size_t bytes() const {
    return counts.size() + smooth.size() + distance.size() + sizeof(*this);
  }
};

/// Counts below which a tenth of the square's pixels lie, and nine tenths; without those inside.
struct CountRange {
  std::uint64_t low = 0, high = 0;
};
/// Nothing if all pixels are inside.
std::optional<CountRange> usual_counts(const SquareValues& values, std::uint64_t iterations);

}  // namespace tessera::explore
