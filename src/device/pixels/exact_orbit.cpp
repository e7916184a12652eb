#include "device/pixels/exact_orbit.hpp"

#include "device/pixels/orbit_of_106_bits.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::device {

namespace {

using kernels::TsLongPoint;

using ComputeOrbit = ExactPixel (*)(const ExactWork& work, const TsLongPoint& at);
using ComputeMixed = ExactPixel (*)(const ExactWork& work, const TsLongPoint& at, std::uint64_t n);
struct Orbits {
  ComputeOrbit bounded, more_bits;
  ComputeMixed mixed;
};

template <int kFormula>
[[gnu::always_inline]] inline kernels::TsBoundedWork bounded_work(const ExactWork& work,
                                                                  const TsLongPoint& at) {
  const bool constant = kernels::ts_starts_at_pixel(kFormula) != 0;
  return {.limits = &work.exact.limits,
          .limit = work.image.iterations,
          .flags = (work.shortcuts ? TS_SHORTCUTS : 0U) | (work.fields.any() ? TS_SMOOTH : 0U),
          .c_re = constant ? work.image.formula.constant_re : at.re.hi,
          .c_im = constant ? work.image.formula.constant_im : at.im.hi};
}

constexpr std::uint64_t kNoPause = ~std::uint64_t{0};

ExactPixel pixel_of(int state, const kernels::TsBoundedPixel& pixel) {
  return {.certainty = state == TS_EXACT_COUNTED ? Certainty::counted : Certainty::open,
          .count = pixel.count,
          .open_at = pixel.open_at,
          .m = pixel.m,
          .radius2 = pixel.radius2,
          .executed = pixel.executed};
}

template <int kFormula>
[[gnu::always_inline]] inline ExactPixel bounded_orbit_of(const ExactWork& of,
                                                          const TsLongPoint& at) {
  const kernels::TsBoundedWork work = bounded_work<kFormula>(of, at);
  kernels::TsBounded z = kernels::ts_begin_bounded(kFormula, work, at.re.hi, at.im.hi);
  kernels::TsBoundedPixel pixel = kernels::ts_bounded_pixel(work.limit);
  int state = TS_EXACT_COUNTED;
  if (kernels::ts_is_counted_at_once(kFormula, work, &z) == 0) {
    const bool careful = work.limits->careful != 0 || z.n >= work.limit - 1;
    state = careful ? kernels::ts_follow_carefully(kFormula, work, &z, &pixel)
                    : kernels::ts_follow_bounded(kFormula, work, kNoPause, &z, &pixel);
  }
  return pixel_of(state, pixel);
}

template <int kFormula>
[[gnu::always_inline]] inline ExactPixel mixed_orbit_of(const ExactWork& of, const TsLongPoint& at,
                                                        std::uint64_t n) {
  OrbitOf106Bits<kFormula> first(of, at);
  first.go_to(n);
  const kernels::TsBoundedWork work = bounded_work<kFormula>(of, at);
  kernels::TsBounded z =
      kernels::ts_begin_bounded(kFormula, work, first.z().re.hi, first.z().im.hi);
  const double radius2 = kernels::ts_radius2(z.x, z.y);
  z.bound = kernels::ts_fma(2.0, first.bound(), 2 * work.limits->start_relative * radius2);
  z.n = z.start = n;
  kernels::TsBoundedPixel pixel = kernels::ts_bounded_pixel(work.limit);
  int state = TS_EXACT_OPEN;
  if (kernels::ts_surely_within(radius2, work.limits->within2, z.bound)) {
    state = kernels::ts_follow_bounded(kFormula, work, kNoPause, &z, &pixel);
  }
  pixel.executed += first.executed();
  return pixel_of(state, pixel);
}

#define TS_ROW(id, name, parameter, surely_inside, fold)                                           \
  TESSERA_WITH_AND_WITHOUT_FMA ExactPixel bounded_##id(const ExactWork& work,                      \
                                                       const TsLongPoint& at) {                    \
    return bounded_orbit_of<kernels::TS_FORMULA_##id>(work, at);                                   \
  }                                                                                                \
  TESSERA_WITH_AND_WITHOUT_FMA ExactPixel long_##id(const ExactWork& work,                         \
                                                    const TsLongPoint& at) {                       \
    return OrbitOf106Bits<kernels::TS_FORMULA_##id>(work, at).run();                               \
  }                                                                                                \
  TESSERA_WITH_AND_WITHOUT_FMA ExactPixel mixed_##id(const ExactWork& work, const TsLongPoint& at, \
                                                     std::uint64_t n) {                            \
    return mixed_orbit_of<kernels::TS_FORMULA_##id>(work, at, n);                                  \
  }
TS_FORMULAS(TS_ROW)
#undef TS_ROW

/// Indexed by kernels::TsFormula.
constexpr Orbits kOrbits[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) {&bounded_##id, &long_##id, &mixed_##id},
    TS_FORMULAS(TS_ROW)
#undef TS_ROW
};

}  // namespace

TESSERA_WITH_AND_WITHOUT_FMA TsLongPoint exact_coordinates(const ExactWork& work,
                                                           std::int64_t column, std::int64_t row) {
  const ExactPlane& plane = work.exact.plane;
  const base::ImageSize& size_px = work.image.size_px;
  const double u = kernels::ts_column_offset(static_cast<double>(column),
                                             static_cast<double>(size_px.width) / 2);
  const double v =
      kernels::ts_row_offset(static_cast<double>(row), static_cast<double>(size_px.height) / 2);
  return {kernels::ts_long_coordinate(plane.right_re, u, plane.up_re, v, plane.center_re),
          kernels::ts_long_coordinate(plane.right_im, u, plane.up_im, v, plane.center_im)};
}

ExactPixel bounded_orbit(const ExactWork& work, const TsLongPoint& at) {
  return kOrbits[work.image.formula.id].bounded(work, at);
}

ExactPixel mixed_orbit(const ExactWork& work, const TsLongPoint& at, std::uint64_t n) {
  return kOrbits[work.image.formula.id].mixed(work, at, n);
}

ExactPixel long_orbit(const ExactWork& work, const TsLongPoint& at) {
  return kOrbits[work.image.formula.id].more_bits(work, at);
}

}  // namespace tessera::device
