// Renders a band of a wide image with exact arithmetic: f64 with a bound, 106 bits where that
// leaves a count open, MPFR where that does.
#if defined(TESSERA_DEVICE_CPU_PIXELS_EXACT_BAND_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_PIXELS_EXACT_BAND_INL
#undef TESSERA_DEVICE_CPU_PIXELS_EXACT_BAND_INL
#else
#define TESSERA_DEVICE_CPU_PIXELS_EXACT_BAND_INL
#endif

#include "device/cpu/pixels/bounded_passes-inl.hpp"
#include "device/cpu/pixels/distances-inl.hpp"
#include "device/cpu/pixels/first_blocks-inl.hpp"
#include "device/cpu/pixels/leaving_orbits-inl.hpp"
#include "device/cpu/pixels/long_passes-inl.hpp"
#include "device/cpu/pixels/long_starts-inl.hpp"
#include "device/cpu/pixels/stored_band-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

HWY_INLINE TsLong spread(const kernels::TsLong& value) {
  return ts_long(ts_real(value.hi), ts_real(value.lo));
}

/// What each column adds to c.
inline HWY_NOINLINE void fill_columns(const Band& band, ExactWorkspace& exact) {
  const ExactPlane& plane = exact.image.plane;
  const Real half_width = ts_real(static_cast<double>(band.image.size_px.width) / 2);
  for (std::size_t column = 0; column < static_cast<std::size_t>(band.rect.width);
       column += kLanes) {
    const double first = static_cast<double>(band.rect.x + static_cast<std::int64_t>(column));
    const Real u = ts_column_offset(hn::Iota(Reals(), first), half_width);
    const TsLong re = ts_long_times(spread(plane.right_re), u);
    const TsLong im = ts_long_times(spread(plane.right_im), u);
    hn::StoreU(re.hi, Reals(), &exact.column_re_hi[column]);
    hn::StoreU(re.lo, Reals(), &exact.column_re_lo[column]);
    hn::StoreU(im.hi, Reals(), &exact.column_im_hi[column]);
    hn::StoreU(im.lo, Reals(), &exact.column_im_lo[column]);
  }
}

/// The leading parts of the coordinates, row by row without gaps.
inline HWY_NOINLINE void fill_exact_coordinates(const Band& band, Workspace& work,
                                                ExactWorkspace& exact) {
  fill_columns(band, exact);
  const ExactPlane& plane = exact.image.plane;
  const Real half_height = ts_real(static_cast<double>(band.image.size_px.height) / 2);
  const auto width = static_cast<std::size_t>(band.rect.width);
  std::size_t at = 0;
  for (std::int64_t row = 0; row < band.rect.height; ++row, at += width) {
    const Real v = ts_row_offset(ts_real(static_cast<double>(band.rect.y + row)), half_height);
    const TsLong row_re =
        ts_long_plus(ts_long_times(spread(plane.up_re), v), spread(plane.center_re));
    const TsLong row_im =
        ts_long_plus(ts_long_times(spread(plane.up_im), v), spread(plane.center_im));
    for (std::size_t column = 0; column < width; column += kLanes) {
      const TsLong re = ts_long_plus(ts_long(hn::Load(Reals(), &exact.column_re_hi[column]),
                                             hn::Load(Reals(), &exact.column_re_lo[column])),
                                     row_re);
      const TsLong im = ts_long_plus(ts_long(hn::Load(Reals(), &exact.column_im_hi[column]),
                                             hn::Load(Reals(), &exact.column_im_lo[column])),
                                     row_im);
      hn::StoreU(re.hi, Reals(), &work.re[at + column]);
      hn::StoreU(im.hi, Reals(), &work.im[at + column]);
    }
  }
  std::fill_n(&work.re[at], kScanPixels, kPaddingRe);
  std::fill_n(&work.im[at], kScanPixels, 0.0);
}

/// Lists the pixels of a band that are not surely inside, and gives all of them the count N.
template <class Formula>
HWY_NOINLINE void fill_active(const OrbitLimits& limits, std::size_t pixels, Workspace& work,
                              ExactWorkspace& exact) {
  BoundedList& list = exact.active;
  const ExactLimits& bounds = exact.image.limits;
  list.size = 0;
  for (std::size_t at = 0; at < pixels; at += kLanes) {
    const Real x = hn::Load(Reals(), &work.re[at]);
    const Real y = hn::Load(Reals(), &work.im[at]);
    const Real c_re = Formula::kStartsAtPixel ? ts_real(limits.constant_re) : x;
    const Real c_im = Formula::kStartsAtPixel ? ts_real(limits.constant_im) : y;
    Mask follows = hn::FirstN(Reals(), std::min(kLanes, pixels - at));
    if (limits.shortcuts) follows = hn::AndNot(Formula::surely_inside(c_re, c_im), follows);
    const Real bound =
        ts_fma(ts_real(bounds.start_relative), ts_radius2(x, y), ts_real(bounds.start_absolute));
    append(ts_real(-1.0), follows, &list.saved_bound[list.size]);
    append({x, y, c_re, c_im, bound}, hn::Iota(Bits(), at), follows, list);
  }
  std::fill_n(work.counts.data(), pixels, limits.iterations);
  for (const job::Field field : job::kMoreFields) {
    const bool smooth = field == job::Field::smooth;
    std::fill_n(work.more[field].data(), pixels,
                smooth ? static_cast<float>(limits.iterations) : 0.0f);
  }
}

template <class Formula>
std::uint64_t count_long(const ExactWork& of, const Band& band, const OrbitLimits& limits,
                         Workspace& work, ExactWorkspace& exact) {
  if (exact.open.empty()) return 0;
  if (limits.measures) return long_passes<Formula, true, true>(of, band.rect, limits, work, exact);
  return limits.smooth ? long_passes<Formula, true, false>(of, band.rect, limits, work, exact)
                       : long_passes<Formula, false, false>(of, band.rect, limits, work, exact);
}

/// Returns how many stay undecided.
inline std::uint64_t count_defined(const ExactWork& of, const Band& band, Workspace& work,
                                   const ExactWorkspace& exact) {
  std::uint64_t undecided = 0;
  for (const std::uint64_t pixel : exact.open) {
    if (work.is_unwanted()) break;
    const std::int64_t at = static_cast<std::uint32_t>(pixel);
    const ExactValue value =
        defined_value(of, band.rect.x + at % band.rect.width, band.rect.y + at / band.rect.width);
    const auto index = static_cast<std::size_t>(at);
    work.counts[index] = static_cast<std::uint32_t>(value.count);
    work.set(index, value.more);
    undecided += value.certain ? 0 : 1;
  }
  return undecided;
}

/// Counts all pixels whose counts f64 knows, and lists the others. Returns the executed steps.
template <class Formula, bool kSmooth>
std::uint64_t count_bounded(const OrbitLimits& limits, std::size_t pixels, Workspace& work,
                            ExactWorkspace& exact) {
  const ExactLimits& bounds = exact.image.limits;
  const std::uint64_t last = limits.iterations - 1;
  std::uint64_t n = Formula::kStartsAtPixel ? 0 : 1;
  std::uint64_t executed = 0;
  bool known = false;
  if constexpr (Formula::kDegree == 2) {
    known = bounds.known != 0;
    if (known) {
      executed += first_blocks<Formula, kSmooth>(limits, pixels, work, exact);
      n = std::min(n + kExactBlock, last);
    }
  }
  if (!known) fill_active<Formula>(limits, pixels, work, exact);
  executed += bounded_passes<Formula, false>(bounds, n, last, last, work, exact);
  return executed + leaving_orbits<Formula, kSmooth>(bounds, limits, work, exact);
}

/// Counts open pixels in f64 again, after their first steps with 106 bits.
template <class Formula>
std::uint64_t count_again(const ExactWork& of, const Band& band, const OrbitLimits& limits,
                          Workspace& work, ExactWorkspace& exact) {
  const std::vector<std::uint64_t> again = take_again(of, exact);
  if (again.empty()) return 0;
  for (const std::uint64_t open : again) {
    work.counts[static_cast<std::uint32_t>(open)] = limits.iterations;
    work.more.smooth[static_cast<std::uint32_t>(open)] = static_cast<float>(limits.iterations);
    work.more.fraction[static_cast<std::uint32_t>(open)] = 0;
  }
  const ExactLimits& bounds = of.exact.limits;
  const std::uint64_t last = limits.iterations - 1;
  std::uint64_t executed = start_again<Formula>(of, band.rect, again, exact);
  drop_unsure(bounds, exact.active, exact);
  // Whole blocks, as many as any of them may need.
  const std::uint64_t end = (last / kExactBlock + 1) * kExactBlock;
  executed += bounded_passes<Formula, true>(bounds, 0, end, last, work, exact);
  return executed + (of.fields.any() ? leaving_orbits<Formula, true>(bounds, limits, work, exact)
                                     : leaving_orbits<Formula, false>(bounds, limits, work, exact));
}

/// Counts the pixels of exact.open with more bits.
template <class Formula>
BlockCounts count_open(const ExactWork& of, const Band& band, const OrbitLimits& limits,
                       Workspace& work, ExactWorkspace& exact) {
  BlockCounts counts{.uncertain = exact.open.size()};
  counts.executed = count_again<Formula>(of, band, limits, work, exact);
  counts.executed += count_long<Formula>(of, band, limits, work, exact);
  counts.uncertain_with_more = exact.open.size();
  counts.undecided = count_defined(of, band, work, exact);
  return counts;
}

/// The open pixels of a band alone.
template <class Formula>
BlockCounts finish_exact_band(const Band& band, Workspace& work, ExactWorkspace& exact) {
  const OpenPixels& open = band.open;
  const ExactWork of{band.image, *open.exact, open.fields, band.shortcuts};
  exact.open.clear();
  exact.active.size = exact.leaving.size = 0;
  for (const OpenPixel& pixel : open.pixels) {
    exact.open.push_back(pixel.at | pixel.open_at << 32);
  }
  const BlockCounts counts = count_open<Formula>(of, band, orbit_limits(band), work, exact);
  for (OpenPixel& pixel : open.pixels) {
    pixel.value = {work.counts[pixel.at], work.values(pixel.at)};
  }
  return counts;
}

template <class Formula>
BlockCounts render_exact_band(const Band& band, Workspace& work) {
  if (!work.exact) work.exact = std::make_shared<ExactWorkspace>();
  ExactWorkspace& exact = *work.exact;
  if (!band.open.pixels.empty()) return finish_exact_band<Formula>(band, work, exact);
  if (exact.of_image != band.image) {
    exact.image = exact_image(band.image);
    exact.of_image = band.image;
  }
  const OrbitLimits limits = orbit_limits(band);
  // With so few iterations an orbit has no block.
  if (exact.image.limits.careful != 0 || limits.iterations <= 2) {
    return render_exact_block(band.image, band.rect, band.out, band.shortcuts, work.unwanted);
  }
  const ExactWork of{band.image, exact.image, band.out.fields(), band.shortcuts};
  fill_exact_coordinates(band, work, exact);
  const auto pixels = static_cast<std::size_t>(band.rect.pixels());
  exact.open.clear();
  exact.active.size = exact.leaving.size = 0;
  std::uint64_t executed = of.fields.any()
                               ? count_bounded<Formula, true>(limits, pixels, work, exact)
                               : count_bounded<Formula, false>(limits, pixels, work, exact);
  if (limits.measures) {
    for (const std::uint64_t open : exact.open) {
      work.counts[static_cast<std::uint32_t>(open)] = limits.iterations;
    }
    executed += add_measured<Formula>(limits, pixels, work);
  }
  BlockCounts counts = count_open<Formula>(of, band, limits, work, exact);
  counts.executed += executed;
  counts.iterations = store_band(band, work).iterations;
  return counts;
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
