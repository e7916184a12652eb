// Renders a band: coordinates, all passes, stored values.
#if defined(TESSERA_DEVICE_CPU_PIXELS_BAND_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_BAND_INL
#undef TESSERA_DEVICE_CPU_PIXELS_BAND_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_BAND_INL
#endif

#include <utility>

#include "device/cpu/pixels/exact_band-inl.hpp"
#include "device/cpu/pixels/later_passes-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

/// Computes the coordinates of all pixels, row by row without gaps, followed by padding.
inline HWY_NOINLINE void fill_coordinates(const Band& band, Workspace& work) {
  const job::ImageSpec& image = band.image;
  const Real half_width = ts_real(static_cast<double>(image.size_px.width) / 2);
  const Real half_height = ts_real(static_cast<double>(image.size_px.height) / 2);
  const Real right_re = ts_real(image.right_re()), right_im = ts_real(image.right_im());
  const Real up_re = ts_real(image.up_re()), up_im = ts_real(image.up_im());
  const auto width = static_cast<std::size_t>(band.rect.width);
  std::size_t at = 0;
  for (std::int64_t row = 0; row < band.rect.height; ++row, at += width) {
    const Real i = ts_real(static_cast<double>(band.rect.y + row));
    const Real v = ts_row_offset(i, half_height);
    for (std::size_t column = 0; column < width; column += kLanes) {
      const double first = static_cast<double>(band.rect.x + static_cast<std::int64_t>(column));
      const Real j = hn::Iota(Reals(), first);
      const Real u = ts_column_offset(j, half_width);
      const Real re = ts_coordinate(u, right_re, v, up_re, ts_real(image.center_re));
      const Real im = ts_coordinate(u, right_im, v, up_im, ts_real(image.center_im));
      hn::StoreU(re, Reals(), &work.re[at + column]);
      hn::StoreU(im, Reals(), &work.im[at + column]);
    }
  }
  std::fill_n(&work.re[at], kScanPixels, kPaddingRe);
  std::fill_n(&work.im[at], kScanPixels, 0.0);
}

/// Computes the exact n (and m) of the pixels that escaped in later passes. Returns the executed
/// orbit steps.
template <class Formula, bool kSmooth>
HWY_NOINLINE std::uint64_t finish_escaped(const OrbitLimits& limits, Workspace& work) {
  EscapedList& list = work.escaped;
  std::fill_n(&list.c_re[list.size], kScanPixels, kPaddingRe);
  std::uint64_t executed = 0;
  for (std::size_t base = 0; base < list.size; base += kScanPixels) {
    EscapeScan<Formula, kSmooth> scan;
    each<kScanVectors>([&](auto i) TESSERA_INLINE_LAMBDA {
      const std::size_t at = base + i * kLanes;
      scan.x[i] = hn::Load(Reals(), &list.x[at]);
      scan.y[i] = hn::Load(Reals(), &list.y[at]);
      scan.c_re[i] = hn::Load(Reals(), &list.c_re[at]);
      scan.c_im[i] = hn::Load(Reals(), &list.c_im[at]);
      const BitsOfReal n = hn::ShiftRight<32>(hn::Load(Bits(), &list.origin[at]));
      scan.start(i, real_of(n), hn::Not(hn::FirstN(Reals(), 0)));
    });
    const std::size_t filled = std::min(kScanPixels, list.size - base);
    executed += scan.finish(ts_real(limits.bailout2)) * filled;
    const Mask never[kScanVectors] = {};
    HWY_ALIGN std::uint32_t counts[kScanPixels];
    HWY_ALIGN float smooth[kScanPixels];
    HWY_ALIGN float fraction[kScanPixels];
    store_scan(scan, never, limits, counts, smooth, fraction);
    for (std::size_t k = 0; k < filled; ++k) {
      const auto pixel = static_cast<std::uint32_t>(list.origin[base + k]);
      work.counts[pixel] = counts[k];
      if constexpr (kSmooth) work.more.smooth[pixel] = smooth[k];
      if (kSmooth && limits.fraction) work.more.fraction[pixel] = fraction[k];
    }
  }
  list.size = 0;
  return executed;
}

inline std::uint64_t finish_edge_pixels(const job::Formula& formula, OrbitLimits limits,
                                        Workspace& work) {
  limits.measures = limits.derives = limits.gradient = limits.phase =
      false;  // add_measured() follows
  std::uint64_t executed = 0;
  for (const std::size_t pixel : work.edge_pixels) {
    const PixelValue value = scalar_orbit(formula, work.re[pixel], work.im[pixel], limits);
    work.counts[pixel] = value.iterations;
    work.more.smooth[pixel] = value.more.smooth;
    work.more.fraction[pixel] = value.more.fraction;
    executed += value.executed;
  }
  work.edge_pixels.clear();
  return executed;
}

template <class Formula, bool kSmooth>
std::uint64_t run_passes(const OrbitLimits& limits, std::size_t pixels, Workspace& work) {
  std::uint64_t executed = first_pass<Formula, kSmooth>(limits, pixels, work);
  executed += limits.interior    ? later_passes<Formula, Inside::contracted>(limits, work)
              : limits.shortcuts ? later_passes<Formula, Inside::returned>(limits, work)
                                 : later_passes<Formula, Inside::never>(limits, work);
  return executed + finish_escaped<Formula, kSmooth>(limits, work);
}

template <class Formula>
BlockCounts render_band(const Band& band, Workspace& work) {
  const OrbitLimits limits = orbit_limits(band);
  // With N = 1 there is no step to compute; the scalar loop handles this case.
  if (limits.careful || limits.iterations == 1) return render_scalar(band);
  fill_coordinates(band, work);
  const auto pixels = static_cast<std::size_t>(band.rect.pixels());
  std::uint64_t executed = limits.smooth ? run_passes<Formula, true>(limits, pixels, work)
                                         : run_passes<Formula, false>(limits, pixels, work);
  executed += finish_edge_pixels(band.image.formula, limits, work);
  if (limits.measures) executed += add_measured<Formula>(limits, pixels, work);
  BlockCounts counts = store_band(band, work);
  counts.executed = executed;
  return counts;
}

template <class Formula>
BlockCounts render_formula_band(const Band& band, Workspace& work) {
  return band.image.bounded() ? render_exact_band<Formula>(band, work)
                              : render_band<Formula>(band, work);
}

template <int kId, int... kDegree>
BlockCounts render_degree(const Band& band, Workspace& work,
                          std::integer_sequence<int, kDegree...>) {
  BlockCounts counts;
  ((band.image.formula.degree == kDegree + job::kMinDegree &&
    (counts = render_formula_band<Formula<kId, kDegree + job::kMinDegree>>(band, work), true)) ||
   ...);
  return counts;
}

/// Renders a band of formula kId. Each possible degree has its own compiled loop.
template <int kId>
BlockCounts render_formula(const Band& band, Workspace& work) {
  if constexpr (kernels::kFormulas[kId].parameter == TS_PARAMETER_DEGREE) {
    constexpr auto kDegrees =
        std::make_integer_sequence<int, job::kGreatestDegree - job::kMinDegree + 1>();
    return render_degree<kId>(band, work, kDegrees);
  } else {
    return render_formula_band<Formula<kId, 2>>(band, work);
  }
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
