#include "device/cpu/sums/pair_products.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "device/cpu/passes/array_passes.hpp"
#include "statistics/each_element.hpp"
#include "statistics/pair_products.hpp"

namespace tessera::device::cpu {

namespace {

using base::ElementType;

bool is_wide_integer(ElementType type) {
  return type == ElementType::i64 || type == ElementType::u64;
}

template <class T>
std::span<const T> as(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

void widen(std::span<const std::byte> elements, ElementType type, std::vector<double>& to) {
  to.clear();
  statistics::for_each_real(elements, type, [&](double x) { to.push_back(x); });
}

/// For integers that are both signed or both unsigned.
template <class T>
void add_integers(std::span<const T> x, std::span<const T> y, statistics::IntegerProducts& sum) {
  if constexpr (sizeof(T) == 8) {
    for (std::size_t i = 0; i < x.size(); ++i) sum.add(x[i], y[i]);
  } else {
    // Products have at most 64 bits; the sums of their 32-bit halves cannot overflow within a
    // block.
    using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
    for (std::size_t first = 0; first < x.size(); first += kBlock) {
      std::uint64_t low = 0;
      Wide high = 0;
      const std::size_t end = std::min(first + kBlock, x.size());
      for (std::size_t i = first; i < end; ++i) {
        const Wide product = static_cast<Wide>(x[i]) * static_cast<Wide>(y[i]);
        low += static_cast<std::uint32_t>(product);
        high += product >> 32;
      }
      const auto total = static_cast<kernels::Int128>(high) * (std::int64_t{1} << 32) + low;
      sum.low += static_cast<std::uint64_t>(total);
      sum.high += static_cast<std::int64_t>(total >> 64);
    }
  }
}

}  // namespace

template <class T>
void PairProducts::add_reals(std::span<const T> x, std::span<const T> y, bool skip_nan,
                             statistics::PairSums& sums) {
  const ExactDot<T> dot = std::get<ExactDot<T>>(dot_);
  if (!skip_nan) return dot(x, y, sums.reals, {.guesses = &guesses_});
  for (std::size_t first = 0; first < x.size(); first += kBlock) {
    const auto a = x.subspan(first, std::min(kBlock, x.size() - first));
    const auto b = y.subspan(first, a.size());
    const SquareAccumulator before = sums.reals;
    dot(a, b, sums.reals, {.guesses = &guesses_});
    if (sums.reals.nans() == before.nans()) continue;
    auto& kept_x = std::get<std::vector<T>>(kept_x_);
    auto& kept_y = std::get<std::vector<T>>(kept_y_);
    kept_x.clear();
    kept_y.clear();
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::isnan(a[i]) || std::isnan(b[i])) continue;
      kept_x.push_back(a[i]);
      kept_y.push_back(b[i]);
    }
    sums.reals = before;
    dot(kept_x, kept_y, sums.reals, {});
  }
}

void PairProducts::add_widened(std::span<const std::byte> x, std::span<const std::byte> y,
                               const statistics::ReductionSpec& spec, statistics::PairSums& sums) {
  const std::size_t x_bytes = base::element_bytes(spec.type);
  const std::size_t y_bytes = base::element_bytes(spec.with_type);
  const std::size_t count = x.size() / x_bytes;
  for (std::size_t first = 0; first < count; first += kBlock) {
    const std::size_t n = std::min(kBlock, count - first);
    widen(x.subspan(first * x_bytes, n * x_bytes), spec.type, wide_x_);
    widen(y.subspan(first * y_bytes, n * y_bytes), spec.with_type, wide_y_);
    add_reals(std::span<const double>(wide_x_), std::span<const double>(wide_y_), spec.skip_nan,
              sums);
  }
}

void PairProducts::add(std::span<const std::byte> x, std::span<const std::byte> y,
                       const statistics::ReductionSpec& spec, statistics::PairSums& sums) {
  const ElementType type = spec.type;
  const bool x_real = base::is_floating(type);
  const bool y_real = base::is_floating(spec.with_type);
  if (type == spec.with_type && type != ElementType::f16) {
    return base::with_element_type(type, [&]<class T>(T) {
      if constexpr (std::is_floating_point_v<T>) {
        add_reals(as<T>(x), as<T>(y), spec.skip_nan, sums);
      } else {
        add_integers(as<T>(x), as<T>(y), sums.integers);
      }
    });
  }
  // Every type except 64-bit integers converts to f64 exactly.
  const bool wide = is_wide_integer(type) || is_wide_integer(spec.with_type);
  if ((x_real || y_real) && !wide) return add_widened(x, y, spec, sums);
  statistics::add_products(x, y, spec, sums);
}

}  // namespace tessera::device::cpu
