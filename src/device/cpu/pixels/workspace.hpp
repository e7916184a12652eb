// The memory that a lane keeps between calls: the arrays for a band of pixels, as a structure of
// arrays, so that every load is a whole vector.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "job/image/render_job.hpp"

namespace tessera::device::cpu {

/// Pixels of a band: the arrays of a busy band (about 0.4 MiB) stay in a core's L2 cache.
// crossed by: of_pixels_of_a_band
inline constexpr std::size_t kBandPixels = 4096;
/// Vectors are loaded and stored whole, so up to 8 vectors of 8 f64 may lie beyond the last pixel.
inline constexpr std::size_t kPaddingPixels = 64;

/// An array for a band and its padding, set to zero so that padding lanes hold finite numbers.
template <class T>
class BandArray {
 public:
  BandArray() : data_(hwy::AllocateAligned<T>(kBandPixels + kPaddingPixels)) {
    std::fill_n(data_.get(), kBandPixels + kPaddingPixels, T{});
  }
  T* data() { return data_.get(); }
  T& operator[](std::size_t i) { return data_[i]; }

 private:
  hwy::AlignedFreeUniquePtr<T[]> data_;
};

/// The pixels that have not escaped, all at the same n, without gaps.
struct ActiveList {
  std::size_t size = 0;
  BandArray<double> x, y, c_re, c_im;
  BandArray<double> saved_x, saved_y;              ///< an earlier z, to detect an exact cycle
  BandArray<double> right_u, right_v, up_u, up_v;  ///< parts of TsMoving, for the derivative's test
  BandArray<std::uint64_t> pixel;
};

/// Pixels found beyond the bailout radius, with an earlier z from which the exact n is computed.
struct EscapedList {
  std::size_t size = 0;
  BandArray<double> x, y, c_re, c_im;
  BandArray<std::uint64_t> origin;  ///< pixel | n of (x, y) << 32
};

struct ExactWorkspace;

struct Workspace {
  BandArray<double> re, im;  ///< coordinates of each pixel
  BandArray<std::uint32_t> counts;
  job::PerField<BandArray<float>> more;
  BandArray<std::uint64_t> by_count;  ///< the pixels that escape: count << 32 | pixel
  ActiveList active;
  EscapedList escaped;
  std::vector<std::size_t> edge_pixels;   ///< pixels too close to |c| = 2 for a test every 16 steps
  std::shared_ptr<ExactWorkspace> exact;  ///< made by the first band that needs it
  /// Once it is true, what is computed does not count. Empty: all counts.
  std::function<bool()> unwanted;

  void set(std::size_t pixel, const job::PerField<float>& values) {
    for (const job::Field field : job::kMoreFields) more[field][pixel] = values[field];
  }
  job::PerField<float> values(std::size_t pixel) {
    job::PerField<float> of_pixel;
    for (const job::Field field : job::kMoreFields) of_pixel[field] = more[field][pixel];
    return of_pixel;
  }

  bool is_unwanted() const { return unwanted && unwanted(); }
};

}  // namespace tessera::device::cpu
