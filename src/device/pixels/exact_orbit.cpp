#include "device/pixels/exact_orbit.hpp"

#include "kernels/fma_clones.hpp"

namespace tessera::device {

namespace {

using kernels::TsLongPoint;

struct Orbits {
  ExactPixel (*bounded)(const ExactWork& work, const TsLongPoint& at);
  ExactPixel (*open)(const ExactWork& work, const TsLongPoint& at, std::uint64_t open_at);
};

template <int kFormula>
[[gnu::always_inline]] inline kernels::TsBoundedWork bounded_work(const ExactWork& work,
                                                                  const TsLongPoint& at) {
  const bool constant = kernels::ts_starts_at_pixel(kFormula) != 0;
  return {.limits = &work.exact.limits,
          .limit = work.image.iterations,
          .flags = (work.shortcuts ? TS_SHORTCUTS : 0U) | (work.fields.any() ? TS_SMOOTH : 0U) |
                   (work.fields.measures() ? TS_DISTANCE : 0U),
          .c_re = constant ? work.image.formula.constant_re : at.re.hi,
          .c_im = constant ? work.image.formula.constant_im : at.im.hi,
          .c_of_julia = {work.exact.plane.constant_re, work.exact.plane.constant_im},
          .step = work.image.step()};
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
[[gnu::always_inline]] inline ExactPixel open_orbit_of(const ExactWork& of, const TsLongPoint& at,
                                                       std::uint64_t open_at) {
  const kernels::TsBoundedWork work = bounded_work<kFormula>(of, at);
  kernels::TsMoving moving;
  kernels::TsBoundedPixel counted;
  const int state = kernels::ts_follow_open(kFormula, work, at, open_at, &moving, &counted);
  ExactPixel pixel = pixel_of(state, counted);
  const bool beyond = pixel.certainty == Certainty::counted && pixel.count < work.limit;
  if (beyond && of.fields.measures()) {
    set_measured<kFormula>(of.image, moving, pixel.radius2, pixel);
  }
  return pixel;
}

#define TS_ROW(id, name, parameter, surely_inside, fold)                                          \
  TESSERA_WITH_AND_WITHOUT_FMA ExactPixel bounded_##id(const ExactWork& work,                     \
                                                       const TsLongPoint& at) {                   \
    return bounded_orbit_of<kernels::TS_FORMULA_##id>(work, at);                                  \
  }                                                                                               \
  TESSERA_WITH_AND_WITHOUT_FMA ExactPixel open_##id(const ExactWork& work, const TsLongPoint& at, \
                                                    std::uint64_t open_at) {                      \
    return open_orbit_of<kernels::TS_FORMULA_##id>(work, at, open_at);                            \
  }
TS_FORMULAS(TS_ROW)
#undef TS_ROW

/// Indexed by kernels::TsFormula.
constexpr Orbits kOrbits[] = {
#define TS_ROW(id, name, parameter, surely_inside, fold) {&bounded_##id, &open_##id},
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

ExactPixel open_orbit(const ExactWork& work, const TsLongPoint& at, std::uint64_t open_at) {
  return kOrbits[work.image.formula.id].open(work, at, open_at);
}

}  // namespace tessera::device
