// The squares of a map in a browser, as blocks of images that devices can render.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "base/bytes.hpp"
#include "base/geometry.hpp"
#include "explore/place.hpp"
#include "job/image/render_job.hpp"

namespace tessera::explore {

inline constexpr std::int64_t kSquarePx = 256;
inline constexpr int kMaxLevel = 24;                              ///< and the least is -kMaxLevel
inline constexpr std::int64_t kMaxSteps = std::int64_t{1} << 21;  ///< squares from a place
inline constexpr int kMaxCoarse = 16;

/// A square, with everything that determines its values.
struct SquareKey {
  std::uint64_t place = 0;
  int level = 0;  ///< its side is span / 2^level
  std::int64_t x = 0, y = 0;
  int coarse = 1;  ///< 8: every eighth pixel in each direction
  std::uint64_t iterations = 1000;
  std::string formula;

  static auto members(auto& self) {
    return std::tie(self.place, self.level, self.x, self.y, self.coarse, self.iterations,
                    self.formula);
  }
  std::int64_t side_px() const { return kSquarePx / coarse; }
  auto operator<=>(const SquareKey&) const = default;  // NOLINT(modernize-use-nullptr): false
};

/// A block of an image whose centre is a place.
struct SquareImage {
  job::ImageSpec image;
  base::PixelRect block;
  job::MoreFields fields;
};

/// The image and the block of a square. `job` has the bailout, the arithmetic and the fields.
/// Neighbours share an image, except at some distances from the place. The choice of the image
/// changes no value. Throws a usage error beyond the resolution of the arithmetic.
SquareImage image_of(const job::RenderJob& job, const Place& place, const SquareKey& key);

/// The default iterations of a square: those of an image as wide (job::default_iterations()).
std::uint64_t default_iterations(const Place& place, int level);

struct SquareValues {
  base::Bytes counts;  ///< elements of `type`
  base::ElementType type = base::ElementType::u16;
  job::PerField<base::Bytes> more;  ///< f32, or empty
  int rank = 0;                     ///< that rendered it

  static auto members(auto& self) {
    return std::tie(self.counts, self.type, self.more.smooth, self.more.distance,
                    self.more.gradient_x, self.more.gradient_y, self.rank);
  }
  std::uint64_t count(std::size_t pixel) const;
  std::size_t bytes() const {
    std::size_t all = counts.size() + sizeof(*this);
    for (const job::Field field : job::kMoreFields) all += more[field].size();
    return all;
  }
};

/// The first and the last decile of the counts of a square, without pixels inside.
struct CountRange {
  std::uint64_t low = 0, high = 0;
};
/// Nothing if all pixels are inside.
std::optional<CountRange> default_counts(const SquareValues& values, std::uint64_t iterations);

}  // namespace tessera::explore
