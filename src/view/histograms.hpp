// How many pixels of an image have which value, for pictures with --equalize.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/lru_cache.hpp"
#include "color/colorizer.hpp"
#include "view/tile_image.hpp"

namespace tessera::view {

/// Any thread may use it. All tiles of an image have the colours of one histogram.
class Histograms {
 public:
  // crossed by: count_all_pixels_of_a_small_image_and_some_of_a_larger_one
  static constexpr std::int64_t kMaxPixels = std::int64_t{1} << 24;
  /// Images that are looked at.
  static constexpr std::size_t kMaxHistograms = 16;

  /// Counts with the values of `tiles`. Images of more than `max_pixels` pixels are counted in
  /// tiles that are spread over them, of about as many.
  explicit Histograms(TileImages& tiles, std::int64_t max_pixels = kMaxPixels)
      : tiles_(tiles), max_pixels_(max_pixels) {}

  /// Counts of the values of a field that are stored. For an unfinished image they are counted anew
  /// when a quarter more of its tiles are stored. A tile that cannot be read is left out. Throws as
  /// TileImages::chunk().
  std::shared_ptr<const Histogram> of(const OpenImage& image, job::Field field);

 private:
  struct Entry {
    std::mutex mutex;           ///< guards the members below
    std::uint64_t version = 0;  ///< version of the image when it was counted
    std::int64_t tiles_done = 0;
    std::shared_ptr<const Histogram> histogram;
  };
  std::shared_ptr<const Histogram> count(const OpenImage& image, job::Field field);
  color::StepCounts counts_of(const OpenImage& image, job::Field field, color::ValueRange range);

  TileImages& tiles_;
  std::int64_t max_pixels_;
  /// By generation and field.
  base::LruCache<std::pair<std::uint64_t, job::Field>, Entry> entries_{kMaxHistograms};
};

}  // namespace tessera::view
