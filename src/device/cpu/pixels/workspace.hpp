// What one lane keeps between calls: the arrays in which a band of pixels is worked on. Structure
// of arrays, so that every load is a whole vector.
#pragma once

#include <hwy/aligned_allocator.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::device::cpu {

/// Pixels of a band: the arrays of a busy band (about 0.4 MiB) stay in a core's L2 cache.
inline constexpr std::size_t kBandPixels = 4096;
/// Vectors are loaded and stored whole, up to 8 of them of 8 f64 beyond the last pixel.
inline constexpr std::size_t kPaddingPixels = 64;

/// An array with room for a band and its padding, zeroed so that padding lanes hold plain numbers.
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

/// Pixels still on their way, all at the same n; kept dense.
struct ActiveList {
  std::size_t size = 0;
  BandArray<double> x, y, c_re, c_im;
  BandArray<double> saved_x, saved_y;  ///< an earlier z, to see an exact return
  BandArray<std::uint64_t> pixel;
};

/// Pixels seen beyond the bailout, with a z before that: the exact n is found from there.
struct EscapedList {
  std::size_t size = 0;
  BandArray<double> x, y, c_re, c_im;
  BandArray<std::uint64_t> origin;  ///< pixel | n of (x, y) << 32
};

struct Workspace {
  BandArray<double> re, im;  ///< of each pixel in the complex plane
  BandArray<std::uint32_t> counts;
  BandArray<float> smooth;
  ActiveList active;
  EscapedList escaped;
  std::vector<std::size_t> edge_pixels;  ///< too close to |c| = 2 for a test every 16 steps
};

}  // namespace tessera::device::cpu
