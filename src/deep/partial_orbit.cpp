#include "deep/partial_orbit.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace tessera::deep {

using kernels::DoubleDouble;

namespace {

constexpr std::uint64_t kAtOnce = 256;

/// All bits of a number, as hexadecimal digits.
std::string exact_text(const BigReal& value) {
  constexpr int kAllDigits = -1;
  return value.printed("%.*Ra", kAllDigits);
}

BigReal from_exact_text(const std::string& text, std::int64_t bits) {
  BigReal value(bits);
  mpfr_strtofr(value.get(), text.c_str(), nullptr, 0, MPFR_RNDN);
  return value;
}

bool is_tiny(const BigReal& part) {
  return mpfr_zero_p(part.get()) == 0 && mpfr_get_exp(part.get()) <= ReferenceOrbit::kTinyExponent;
}

bool same(const BigComplex& a, const BigComplex& b) {
  return mpfr_equal_p(a.re.get(), b.re.get()) != 0 && mpfr_equal_p(a.im.get(), b.im.get()) != 0;
}

/// The element nearest to 0 in the cycle at the end of those from `first` to `last`; `last` where
/// no cycle ends.
std::int64_t nearest_of_cycle(const ReferenceOrbit& orbit, std::int64_t first, std::int64_t last) {
  const std::int64_t steps = last - first;
  if (steps < 2) return last;
  const std::int64_t begin =
      first + static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(steps - 1)));
  const auto is_last = [last](const std::vector<double>& numbers, std::int64_t m) {
    return numbers[static_cast<std::size_t>(m)] == numbers[static_cast<std::size_t>(last)];
  };
  if (!is_last(orbit.re, begin) || !is_last(orbit.im, begin) || !is_last(orbit.re_low, begin) ||
      !is_last(orbit.im_low, begin)) {
    return last;
  }
  std::int64_t nearest = last;
  kernels::ScaledReal least = magnitude(rounded(orbit.at(last)));
  for (std::int64_t m = begin + 1; m < last; ++m) {
    const kernels::ScaledReal size = magnitude(rounded(orbit.at(m)));
    if (!(size < least)) continue;
    least = size;
    nearest = m;
  }
  return nearest;
}

/// Leaves out the elements from `begin` to before `end`.
void erase_elements(ReferenceOrbit& orbit, std::int64_t begin, std::int64_t end) {
  const auto erase = [&](auto& list) {
    if (!list.empty()) list.erase(list.begin() + begin, list.begin() + end);
  };
  ReferenceOrbit::for_each_list(erase, orbit);
  std::erase_if(orbit.tiny, [&](const auto& tiny) { return tiny.m >= begin && tiny.m < end; });
  for (auto& tiny : orbit.tiny) {
    if (tiny.m >= end) tiny.m -= end - begin;
  }
}

RoundingErrors errors_from(const OrbitStart& start, const BigComplex& z) {
  const auto size = [](const BigComplex& a) {
    const kernels::ScaledReal x = a.re.scaled();
    const kernels::ScaledReal y = a.im.scaled();
    return square_root(x * x + y * y);
  };
  return {start.power.degree, start.c.re.bits(), size(start.c), size(z), start.exact};
}

}  // namespace

PartialOrbit::PartialOrbit(const OrbitStart& start, const OrbitLimits& limits)
    : start_(start),
      limits_(limits),
      z_(start.c, start.after_critical ? OrbitStart(start.c).z : start.z, start.power,
         limits.threads),
      end_(limits.nearest_pixel, start.power.degree),
      errors_(errors_from(start, z_.z())),
      saved_(z_.z()) {
  orbit_.bits = start.c.re.bits();
  append();
}

bool PartialOrbit::ends() const {
  return orbit_.escaped || orbit_.periodic || orbit_.exhausted || steps() >= limits_.iterations;
}

bool PartialOrbit::complete() const {
  return ends() && (!start_.after_critical || orbit_.first > 0);
}

void PartialOrbit::begin_second() {
  orbit_.first = orbit_.length() + 1;
  orbit_.periodic = orbit_.exhausted = false;
  z_.set(start_.z, true);
  saved_ = start_.z;
  end_ = OrbitEnd(limits_.nearest_pixel, start_.power.degree);
  errors_ = errors_from(start_, start_.z);
  append();
}

bool PartialOrbit::has_lost_bits() const {
  const kernels::ScaledReal most(kMaxOrbitError);
  if (!(most < errors_.bound())) return false;
  return most * kernels::ScaledReal(std::sqrt(std::max(1.0, z_.radius2()))) < errors_.bound();
}

void PartialOrbit::advance() {
  for (std::uint64_t i = 0; i < kAtOnce && !complete(); ++i) {
    if (ends()) {
      begin_second();
      continue;
    }
    z_.step();
    follow(last_, is_exact());
    orbit_.exhausted = has_lost_bits();
    if (orbit_.exhausted) continue;
    append();
    const std::uint64_t n = steps();
    orbit_.periodic = end_.is_at(last_) || (end_.is_attracted() && same(z_.z(), saved_));
    if (!std::has_single_bit(n)) continue;
    saved_ = z_.z();
    end_.begin_cycle();
  }
}

void PartialOrbit::append() {
  const DoubleDouble x = z_.re();
  const DoubleDouble y = z_.im();
  orbit_.re.push_back(x.hi);
  orbit_.im.push_back(y.hi);
  orbit_.re_low.push_back(x.lo);
  orbit_.im_low.push_back(y.lo);
  if (limits_.wide) orbit_.wide.push_back(wide_complex(z_.z()));
  const bool small = ReferenceOrbit::is_tiny(x.hi, y.hi);
  if (start_.power.fold != kernels::TS_FOLD_ABSOLUTE) {
    if (small) orbit_.tiny.push_back({orbit_.length(), z_.scaled()});
  } else if (small || is_tiny(z_.z().re) || is_tiny(z_.z().im)) {
    for (const auto& part : z_.scaled_parts()) orbit_.tiny.push_back({orbit_.length(), part});
  }
  orbit_.escaped = std::fma(x.hi, x.hi, y.hi * y.hi) > start_.escape_radius * start_.escape_radius;
  if (is_exact()) ++exact_elements();
  last_ = element(orbit_.length());
}

ReferenceOrbit PartialOrbit::take() {
  if (orbit_.periodic) {
    erase_elements(orbit_, nearest_of_cycle(orbit_, orbit_.first, orbit_.length()) + 1,
                   orbit_.length() + 1);
  }
  if (orbit_.first > 0) {
    const std::int64_t end = nearest_of_cycle(orbit_, 0, orbit_.first - 1) + 1;
    erase_elements(orbit_, end, orbit_.first);
    orbit_.first = end;
  }
  return std::move(orbit_);
}

PartialOrbit::State PartialOrbit::state() const {
  return {exact_text(z_.z().re), exact_text(z_.z().im), exact_text(saved_.re),
          exact_text(saved_.im)};
}

void PartialOrbit::continue_from(ReferenceOrbit orbit, const State& state) {
  orbit_ = std::move(orbit);
  if (complete()) return;
  const std::int64_t bits = saved_.re.bits();
  z_.set({from_exact_text(state.re, bits), from_exact_text(state.im, bits)},
         exact_elements() > static_cast<std::int64_t>(steps()));
  saved_ = {from_exact_text(state.saved_re, bits), from_exact_text(state.saved_im, bits)};
  end_ = OrbitEnd(limits_.nearest_pixel, start_.power.degree);
  errors_ = errors_from(start_, orbit_.first > 0 ? start_.z : OrbitStart(start_.c).z);
  last_ = element(orbit_.length());
  for (std::int64_t m = orbit_.first + 1; m <= orbit_.length(); ++m) {
    follow(element(m - 1), m - orbit_.first < exact_elements());
    if (std::has_single_bit(static_cast<std::uint64_t>(m - orbit_.first))) end_.begin_cycle();
  }
}

}  // namespace tessera::deep
