#include "device/pixels/exact_orbit.hpp"

#include "device/pixels/bounded_orbit.hpp"
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
[[gnu::always_inline]] inline ExactPixel mixed_orbit_of(const ExactWork& work,
                                                        const TsLongPoint& at, std::uint64_t n) {
  OrbitOf106Bits<kFormula> first(work, at);
  first.go_to(n);
  BoundedOrbit<kFormula> rest(work, at);
  rest.begin_at(first.z(), first.bound(), n);
  ExactPixel pixel = rest.run_again();
  pixel.executed += first.executed();
  return pixel;
}

#define TS_ROW(id, name, parameter, surely_inside, fold)                                           \
  TESSERA_WITH_AND_WITHOUT_FMA ExactPixel bounded_##id(const ExactWork& work,                      \
                                                       const TsLongPoint& at) {                    \
    return BoundedOrbit<kernels::TS_FORMULA_##id>(work, at).run();                                 \
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
