// Stores the values of a band.
#if defined(TESSERA_DEVICE_CPU_PIXELS_STORED_BAND_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_STORED_BAND_INL
#undef TESSERA_DEVICE_CPU_PIXELS_STORED_BAND_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_STORED_BAND_INL
#endif

#include <cstring>

#include "device/cpu/pixels/band.hpp"
#include "device/cpu/pixels/pixel_math-inl.hpp"
#include "device/cpu/pixels/workspace.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Coordinate of padding lanes: they escape at n = 1 for every bailout of the vector path.
inline constexpr double kPaddingRe = 1e80;

template <class T>
HWY_NOINLINE std::uint64_t store_counts_as(const Band& band, Workspace& work) {
  std::uint64_t sum = 0;
  const auto width = static_cast<std::size_t>(band.rect.width);
  const std::uint32_t* from = work.counts.data();
  for (std::int64_t row = 0; row < band.rect.height; ++row, from += width) {
    T* to = reinterpret_cast<T*>(band.out.iterations) + row * band.out.stride_px;
    for (std::size_t column = 0; column < width; ++column) {
      to[column] = static_cast<T>(from[column]);
      sum += from[column];
    }
    for (const job::Field field : job::kMoreFields) {
      float* const values = band.out.more()[field];
      if (values == nullptr) continue;
      std::memcpy(values + row * band.out.stride_px,
                  work.more[field].data() + (from - work.counts.data()), width * sizeof(float));
    }
  }
  return sum;
}

/// Stores the values of a band. Only the sum of the counts is set.
inline BlockCounts store_band(const Band& band, Workspace& work) {
  const std::size_t bytes = base::element_bytes(job::iterations_type(band.image));
  return {.iterations = bytes == 2   ? store_counts_as<std::uint16_t>(band, work)
                        : bytes == 4 ? store_counts_as<std::uint32_t>(band, work)
                                     : store_counts_as<std::uint64_t>(band, work)};
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
