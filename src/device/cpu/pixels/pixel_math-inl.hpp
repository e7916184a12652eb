// The pixel mathematics and the formulas, with a vector of f64 as the number type.
#if defined(TESSERA_DEVICE_CPU_PIXELS_PIXEL_MATH_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_PIXEL_MATH_INL
#undef TESSERA_DEVICE_CPU_PIXELS_PIXEL_MATH_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_PIXEL_MATH_INL
#endif

#include "device/cpu/simd/simd_math-inl.hpp"
#include "kernels/pixel/bounds.hpp"
#include "kernels/pixel/formulas.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

using enum kernels::TsFold;
using enum kernels::TsFormula;
using enum kernels::TsParameter;
using kernels::TsBoundGrowth;
using kernels::TsTurn;

#define TS_FN HWY_INLINE
#define TS_REAL Real
#define TS_BITS BitsOfReal
#define TS_MASK Mask
#include "kernels/pixel/steps.h"
// After it.
#include "kernels/pixel/bounded_steps.h"
#undef TS_FN
#undef TS_REAL
#undef TS_BITS
#undef TS_MASK

/// A formula and its degree as compile-time constants, so that the loops of the passes contain no
/// switch.
template <int kId, int kOfDegree>
struct Formula {
  static constexpr int kDegree = kOfDegree;
  static constexpr kernels::TsFold kFold = kernels::kFormulas[kId].fold;
  /// True: z_0 is the pixel and c is a constant. False: z_0 = 0 and c is the pixel.
  static constexpr bool kStartsAtPixel = kernels::kFormulas[kId].parameter == TS_PARAMETER_CONSTANT;
  /// Whether there are pixels for which |z| > 2 does not imply that |z| grows (ts_near_edge()).
  static constexpr bool kHasEdge = kDegree == 2 && !kStartsAtPixel;

  static HWY_INLINE void step(Real* x, Real* y, Real c_re, Real c_im) {
    ts_step(kId, kDegree, x, y, c_re, c_im);
  }
  static HWY_INLINE void bounded_step(Real* x, Real* y, Real c_re, Real c_im, Real above,
                                      Real added, Real* bound) {
    ts_bounded_step(kId, kDegree, x, y, c_re, c_im, above, added, bound);
  }
  static HWY_INLINE void move(TsMoving* z, Real c_re, Real c_im, double step) {
    ts_move(kId, kDegree, z, c_re, c_im, step);
  }
  static HWY_INLINE Real distance(const TsMoving& z, bool turned, const TsTurn& turn,
                                  Real radius2) {
    return ts_moving_distance(kId, z, turned ? 1 : 0, turn, radius2);
  }
  static HWY_INLINE TsSlopes gradient(const TsMoving& z, bool turned, const TsTurn& turn,
                                      Real distance) {
    return ts_gradient_of(distance, ts_slopes_of(kId, z, turned ? 1 : 0, turn));
  }
  static HWY_INLINE Mask contracts(const TsMoving& z) { return ts_contracts(kId, z); }
  /// For R of 2 or more, as all vectors have it (needs_care()).
  static HWY_INLINE Mask surely_inside(Real c_re, Real c_im) {
    return ts_surely_inside(kId, c_re, c_im);
  }
  static HWY_INLINE Real smooth(Real m, Real radius2) { return ts_smooth_of(kDegree, m, radius2); }
};

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
