// Chooses the method for a block from the exponents of its terms.
#if defined(TESSERA_DEVICE_CPU_SUMS_SURVEY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TESSERA_DEVICE_CPU_SUMS_SURVEY_INL
#undef TESSERA_DEVICE_CPU_SUMS_SURVEY_INL
#else
#define TESSERA_DEVICE_CPU_SUMS_SURVEY_INL
#endif

#include <algorithm>
#include <limits>
#include <utility>

#include "device/cpu/sums/windows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::device::cpu::HWY_NAMESPACE {

struct Survey {
  int top = 0;          ///< all finite terms are below 2^top
  int typical_top = 0;  ///< the terms of most short pieces are below 2^typical_top
  bool finite = true;
};

template <class Source>
HWY_NOINLINE Survey survey(const Source& source, Block block) {
  // crossed by: IsExactWithOutliersOfAnySize
  constexpr std::size_t kPieceTerms = 64;
  const Reals d;
  const Real infinity = hn::Set(d, std::numeric_limits<double>::infinity());
  int tops[kBlockTerms / kPieceTerms] = {};
  std::size_t pieces = 0;
  Mask all_finite = hn::Eq(infinity, infinity);
  for (std::size_t at = block.first; at < block.end; at += kPieceTerms) {
    Real largest = hn::Zero(d);
    const std::size_t end = std::min(at + kPieceTerms, block.end);
    for (std::size_t i = at; i < end; i += kLanes) {
      const Real size = hn::Abs(source.high(i));
      const Mask finite = hn::Lt(size, infinity);
      all_finite = hn::And(all_finite, finite);
      largest = hn::Max(largest, hn::IfThenElseZero(finite, size));
    }
    const double piece = hn::GetLane(hn::MaxOfLanes(d, largest));
    tops[pieces++] = static_cast<int>(std::bit_cast<std::uint64_t>(piece) >> 52) - 1022;
  }
  Survey found;
  found.finite = hn::AllTrue(d, all_finite);
  found.top = *std::max_element(tops, tops + pieces);
  std::nth_element(tops, tops + pieces / 2, tops + pieces);
  found.typical_top = tops[pieces / 2];
  return found;
}

/// Calls f with the Layout of `windows` windows.
template <class Source, class F>
auto with_layout(std::size_t windows, const F& f) {
  switch (windows) {
    case 1:
      return f(Layout<Source, 1>());
    case 2:
      return f(Layout<Source, 2>());
    case 3:
      return f(Layout<Source, 3>());
    case 4:
      return f(Layout<Source, 4>());
    default:
      return f(Layout<Source, 6>());
  }
}

/// Number of terms that the method would leave out of its windows.
template <class Source>
HWY_NOINLINE std::size_t count_left(const Source& source, Block block, const Method& method) {
  const Reals d;
  const auto [lowest, limit] = with_layout<Source>(method.windows, [&](auto layout) {
    return std::pair(layout.lowest_whole(method.top), layout.limit(method.top));
  });
  const Real low = lowest < -1022 ? hn::Zero(d) : hn::Set(d, power_of_two(lowest));
  const Real high = hn::Set(d, power_of_two(limit));
  std::size_t left = 0;
  for (std::size_t i = block.first; i < block.end; i += kLanes) {
    const Real size = hn::Abs(source.high(i));
    const Mask small = hn::And(hn::Lt(size, low), hn::Gt(size, hn::Zero(d)));
    left += hn::CountTrue(d, hn::Or(small, hn::Ge(size, high)));
  }
  return left;
}

/// The cheapest method that leaves few terms out. The candidates are in the order of their cost.
template <class Source>
Method choose_method(const Source& source, Block block) {
  constexpr std::size_t kFewest = Source::kFewestWindows;
  const Survey found = survey(source, block);
  const int top = std::min(found.top + 1, kHighestTop);
  const int typical = std::min(found.typical_top + 2, kHighestTop);
  const bool refusable = found.finite && found.top <= kHighestTop;
  const Unusual unusual = found.finite ? Unusual::outliers : Unusual::nans;
  const std::size_t allowed = (block.end - block.first) / 128;
  const auto serves = [&](const Method& method) {
    return method.windows <= Source::kMaxWindows &&
           (method.unusual != Unusual::refused || refusable) &&
           count_left(source, block, method) <= allowed;
  };
  for (const Method& method :
       {Method{kFewest, Unusual::refused, top}, Method{kFewest, unusual, typical},
        Method{2, Unusual::refused, top}, Method{2, unusual, typical},
        Method{3, Unusual::refused, top}, Method{4, Unusual::refused, top},
        Method{4, unusual, typical}, Method{6, Unusual::refused, top}}) {
    if (serves(method)) return method;
  }
  return {};
}

}  // namespace tessera::device::cpu::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
