// Orbits with a test at every step: the first steps of all pixels, and the last steps of pixels
// that escaped between two tests of the later passes.
#if defined(TESSERA_DEVICE_CPU_PIXELS_ESCAPE_SCAN_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_ESCAPE_SCAN_INL
#undef TESSERA_DEVICE_CPU_PIXELS_ESCAPE_SCAN_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_ESCAPE_SCAN_INL
#endif

#include "device/cpu/pixels/pixel_math-inl.hpp"
#include "device/cpu/pixels/scalar_orbit.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Vectors in flight: enough to hide the latency of the steps, few enough for the registers.
inline constexpr std::size_t kScanVectors = HWY_MAX_BYTES >= 64 || HWY_ARCH_ARM_A64 ? 4 : 2;
inline constexpr std::size_t kScanPixels = kScanVectors * kLanes;

/// kScanVectors vectors of orbits. `n` increases while `alive`, so it ends as the first n beyond
/// the bailout radius; `m` and `m_radius2` are the same for the smooth radius.
template <class Formula, bool kSmooth>
struct EscapeScan {
  Real x[kScanVectors], y[kScanVectors], c_re[kScanVectors], c_im[kScanVectors];
  Real n[kScanVectors], m[kScanVectors], m_radius2[kScanVectors];
  Mask alive[kScanVectors], m_alive[kScanVectors];

  /// Sets the first n of vector i; test() may then be called for that point.
  template <class Index>
  HWY_INLINE void start(Index i, Real start_n, Mask mask) {
    n[i] = start_n;
    alive[i] = mask;
    if constexpr (kSmooth) {
      m[i] = start_n;
      m_radius2[i] = hn::Zero(Reals());
      m_alive[i] = mask;
    }
  }

  template <class Index>
  HWY_INLINE void test(Index i, Real bailout2) {
    const Real radius2 = ts_radius2(x[i], y[i]);
    alive[i] = hn::And(alive[i], hn::Le(radius2, bailout2));
    if constexpr (kSmooth) {
      m_radius2[i] = hn::IfThenElse(m_alive[i], radius2, m_radius2[i]);
      m_alive[i] = hn::And(m_alive[i], hn::Le(radius2, ts_real(kSmoothRadius2)));
    }
  }

  HWY_INLINE void step_and_test(Real bailout2) {
    const Real one = ts_real(1.0);
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      Formula::step(&x[i], &y[i], c_re[i], c_im[i]);
      n[i] = hn::IfThenElse(alive[i], hn::Add(n[i], one), n[i]);
      if constexpr (kSmooth) m[i] = hn::IfThenElse(m_alive[i], hn::Add(m[i], one), m[i]);
      test(i, bailout2);
    });
  }

  HWY_INLINE bool any_alive() const {
    Mask any = alive[0];
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      any = hn::Or(any, alive[i]);
      if constexpr (kSmooth) any = hn::Or(any, m_alive[i]);
    });
    return !hn::AllFalse(Reals(), any);
  }

  /// Whether all lanes are within both radii.
  HWY_INLINE bool all_stay() const {
    Mask all = alive[0];
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      all = hn::And(all, alive[i]);
      if constexpr (kSmooth) all = hn::And(all, m_alive[i]);
    });
    return hn::AllTrue(Reals(), all);
  }

  /// Executes `steps` steps and one test. Returns true if every |z|^2 is within `radius2`, which
  /// implies that it was so at every step.
  HWY_INLINE bool try_untested(std::uint64_t steps, Real radius2) {
    for (std::uint64_t k = 0; k < steps; ++k) {
      each<kScanVectors>(
          [&](auto i) TESSERA_INLINE_LAMBDA { Formula::step(&x[i], &y[i], c_re[i], c_im[i]); });
    }
    Mask within = hn::Le(ts_radius2(x[0], y[0]), radius2);
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      within = hn::And(within, hn::Le(ts_radius2(x[i], y[i]), radius2));
    });
    return hn::AllTrue(Reals(), within);
  }

  /// Runs until every lane has its n and m. Returns the number of steps.
  HWY_INLINE std::uint64_t finish(Real bailout2) {
    std::uint64_t steps = 0;
    for (; any_alive(); ++steps) step_and_test(bailout2);
    return steps;
  }
};

/// Stores counts up to 2^32 - 1 as u32. Vector conversions support signed numbers only, hence the
/// shift by 2^31.
HWY_INLINE void store_counts(Real n, std::uint32_t* to) {
  const hn::Rebind<std::int32_t, Reals> narrow;
  const auto shifted = hn::DemoteTo(narrow, ts_sub(n, ts_real(0x1p31)));
  const auto sign = hn::Set(narrow, INT32_MIN);
  hn::StoreU(hn::Xor(shifted, sign), narrow, reinterpret_cast<std::int32_t*>(to));
}

/// Stores each value as the nearest f32.
HWY_INLINE void store_smooth(Real value, float* to) {
  const hn::Rebind<float, Reals> narrow;
  hn::StoreU(hn::DemoteTo(narrow, value), narrow, to);
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
