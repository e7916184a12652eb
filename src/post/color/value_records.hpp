// The values of a band, as pictures of values have them (store::ValueChannels).
#pragma once

#include "base/bytes.hpp"
#include "base/element.hpp"
#include "base/geometry.hpp"
#include "post/color/painter.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::post {

/// Counts have no fraction. Smooth values are those of an escape radius of 256, and so is the whole
/// part that becomes N. Not thread-safe.
class ValueRecords {
 public:
  ValueRecords(const store::ValueChannels& channels, base::ElementType type)
      : channels_(channels), type_(type) {}

  /// Starts a band, whose records are in `out` when all of its runs were put.
  void begin(base::ImageSize size_px, base::Bytes& out);
  void put(const ValueRun& run);

 private:
  struct Beside {
    float right = 0, up = 0, phase = 0;
  };
  /// The gradient of a pixel, or without it the distance and 0; and the phase.
  static Beside beside_of(const ValueRun& run, std::size_t pixel);
  template <class T>
  void put_values(const ValueRun& run);
  void put_record(std::uint64_t count, float fraction, const Beside& beside);

  store::ValueChannels channels_;
  base::ElementType type_;
  std::int64_t width_px_ = 0;
  base::Bytes* out_ = nullptr;
  std::byte* next_ = nullptr;  ///< where the next record goes
};

}  // namespace tessera::post
