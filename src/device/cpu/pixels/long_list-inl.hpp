// The list of orbits of 106 bits: how it is filled, and loaded.
#if defined(TESSERA_DEVICE_CPU_PIXELS_LONG_LIST_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_LONG_LIST_INL
#undef TESSERA_DEVICE_CPU_PIXELS_LONG_LIST_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_LONG_LIST_INL
#endif

#include <vector>

#include "device/cpu/pixels/bounded_group-inl.hpp"
#include "device/pixels/exact_block.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Steps between two compactions of the list.
inline constexpr int kLongRound = 32;
inline constexpr std::size_t kLongVectors = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64 ? 2 : 1;

/// A vector of z, their c and their bounds.
struct LongPoints {
  TsLongPoint z, c;
  Real bound;
};

HWY_INLINE LongPoints points_at(LongList& list, std::size_t at) {
  const auto get = [&](BandArray<double>& from)
                       TESSERA_INLINE_LAMBDA { return hn::Load(Reals(), &from[at]); };
  return {{{get(list.x_hi), get(list.x_lo)}, {get(list.y_hi), get(list.y_lo)}},
          {{get(list.c_re_hi), get(list.c_re_lo)}, {get(list.c_im_hi), get(list.c_im_lo)}},
          get(list.bound)};
}

/// Fills the list with pixels of a band.
inline void fill_long(const ExactWork& of, const base::PixelRect& rect, bool starts_at_pixel,
                      const std::vector<std::uint64_t>& pixels, LongList& list) {
  list.size = pixels.size();
  const ExactPlane& plane = of.exact.plane;
  const double step = of.image.step();
  for (std::size_t at = 0; at < list.size; ++at) {
    const std::int64_t pixel = static_cast<std::uint32_t>(pixels[at]);
    const kernels::TsLongPoint z =
        exact_coordinates(of, rect.x + pixel % rect.width, rect.y + pixel / rect.width);
    const kernels::TsLongPoint c =
        starts_at_pixel ? kernels::TsLongPoint{plane.constant_re, plane.constant_im} : z;
    list.x_hi[at] = z.re.hi;
    list.x_lo[at] = z.re.lo;
    list.y_hi[at] = z.im.hi;
    list.y_lo[at] = z.im.lo;
    list.c_re_hi[at] = c.re.hi;
    list.c_re_lo[at] = c.re.lo;
    list.c_im_hi[at] = c.im.hi;
    list.c_im_lo[at] = c.im.lo;
    list.bound[at] = of.exact.limits.long_start;
    list.n[at] = starts_at_pixel ? 0 : 1;
    list.count[at] = list.saved_bound[at] = -1;
    list.m[at] = list.m_radius2[at] = 0;
    list.distance[at] = list.gradient_x[at] = list.gradient_y[at] = list.phase[at] = 0;
    list.before_radius2[at] = list.before_bound[at] = 0;
    list.next_save[at] = kLongRound;
    list.right_u[at] = list.up_v[at] = step;
    list.right_v[at] = list.up_u[at] = 0;
    list.pixel[at] = static_cast<std::uint32_t>(pixels[at]);
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
