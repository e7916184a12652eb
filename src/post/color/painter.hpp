// Values to the bytes of a picture: colours, the edge of the set, averages.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/element.hpp"
#include "base/geometry.hpp"
#include "color/box_average.hpp"
#include "color/colorizer.hpp"
#include "color/distance_shade.hpp"
#include "color/light.hpp"
#include "color/pixel_format.hpp"
#include "job/image/render_job.hpp"

namespace tessera::post {

/// Values of one row that lie side by side, from (x, y) of the source on.
struct ValueRun {
  std::int64_t x = 0, y = 0;
  std::size_t pixels = 0;
  const std::byte* values = nullptr;       ///< null where nothing is rendered yet
  job::PerField<const std::byte*> beside;  ///< f32 of other fields; null for those not needed
};

/// Paints one picture after another, each from runs in any order. Not thread-safe.
class Painter {
 public:
  using Colors = std::shared_ptr<const color::Colorizer>;
  using Edge = std::optional<color::DistanceShade>;

  /// Averages scale x scale pixels of the source to one of the picture. Values are of `type`.
  Painter(Colors colors, Edge edge, const color::PixelFormat& format, int scale,
          base::ElementType type, std::optional<color::Light> light = {});

  /// Starts a picture that begins at (x, y) of a larger one, by whose places it is dithered. `out`
  /// gets its bytes; what is painted nowhere keeps what `out` had.
  void begin(base::ImageSize size_px, std::int64_t x, std::int64_t y, base::Bytes& out);
  void put(const ValueRun& run);
  /// The colours of a run; valid until the next call.
  std::span<color::Pixel> color(const ValueRun& run);
  /// Pixels that are coloured already.
  void put(std::int64_t x, std::int64_t y, std::span<const color::Pixel> pixels);
  /// Call it after the last run.
  void finish();

 private:
  std::span<color::Pixel> row(std::size_t pixels);
  std::byte* at(std::int64_t x, std::int64_t y) const;
  void store(std::int64_t x, std::int64_t y, std::span<const color::Pixel> pixels);

  Colors colors_;
  Edge edge_;
  std::optional<color::Light> light_;
  color::PixelFormat format_;
  int scale_;
  base::ElementType type_;
  color::BoxAverage average_;
  std::vector<color::Pixel> row_;  ///< pixels of a run, or averaged
  base::ImageSize size_px_;
  std::int64_t x_ = 0, y_ = 0;
  base::Bytes* out_ = nullptr;
};

}  // namespace tessera::post
