#include "plain_sum.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plain_sum.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <utility>

HWY_BEFORE_NAMESPACE();
namespace tessera::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// `count` is a multiple of four vectors: arrays of benchmarks are.
template <bool kSquares, class T, std::size_t... kChain>
double run(const T* x, std::size_t count, std::index_sequence<kChain...>) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[] = {(static_cast<void>(kChain), hn::Zero(d))...};
  hn::Vec<decltype(d)> squares[] = {(static_cast<void>(kChain), hn::Zero(d))...};
  const auto add = [&](auto& to, auto& squares_to, const T* from) {
    __builtin_prefetch(reinterpret_cast<const char*>(from) + 6144);
    const auto v = hn::LoadU(d, from);
    to = hn::Add(to, v);
    if constexpr (kSquares) squares_to = hn::MulAdd(v, v, squares_to);
  };
  for (std::size_t i = 0; i < count; i += sizeof...(kChain) * lanes) {
    (add(sum[kChain], squares[kChain], x + i + kChain * lanes), ...);
  }
  auto total = hn::Zero(d);
  ((total = hn::Add(total, hn::Add(sum[kChain], squares[kChain]))), ...);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
}

template <class T, std::size_t... kChain>
double run_dot(const T* x, const T* y, std::size_t count, std::index_sequence<kChain...>) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  hn::Vec<decltype(d)> sum[] = {(static_cast<void>(kChain), hn::Zero(d))...};
  const auto add = [&](auto& to, std::size_t i) {
    __builtin_prefetch(reinterpret_cast<const char*>(x + i) + 3072);
    __builtin_prefetch(reinterpret_cast<const char*>(y + i) + 3072);
    to = hn::MulAdd(hn::LoadU(d, x + i), hn::LoadU(d, y + i), to);
  };
  for (std::size_t i = 0; i < count; i += sizeof...(kChain) * lanes) {
    (add(sum[kChain], i + kChain * lanes), ...);
  }
  auto total = hn::Zero(d);
  ((total = hn::Add(total, sum[kChain])), ...);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, total)));
}

/// Eight rows at a time, so that the sums come and go less often.
template <class T, std::size_t... kRow>
void run_columns(const T* x, std::size_t rows, std::size_t columns, T* sums,
                 std::index_sequence<kRow...>) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < columns; ++c) sums[c] = 0;
  for (std::size_t r = 0; r < rows; r += sizeof...(kRow)) {
    for (std::size_t c = 0; c < columns; c += 2 * lanes) {
      auto low = hn::LoadU(d, sums + c);
      auto high = hn::LoadU(d, sums + c + lanes);
      ((low = hn::Add(low, hn::LoadU(d, x + (r + kRow) * columns + c)),
        high = hn::Add(high, hn::LoadU(d, x + (r + kRow) * columns + c + lanes))),
       ...);
      hn::StoreU(low, d, sums + c);
      hn::StoreU(high, d, sums + c + lanes);
    }
  }
}

void columns_f64(const double* x, std::size_t rows, std::size_t columns, double* sums) {
  run_columns(x, rows, columns, sums, std::make_index_sequence<8>());
}
void columns_f32(const float* x, std::size_t rows, std::size_t columns, float* sums) {
  run_columns(x, rows, columns, sums, std::make_index_sequence<8>());
}
double sum_f64(const double* x, std::size_t count) {
  return run<false>(x, count, std::make_index_sequence<4>());
}
double sum_f32(const float* x, std::size_t count) {
  return run<false>(x, count, std::make_index_sequence<4>());
}
double moments_f64(const double* x, std::size_t count) {
  return run<true>(x, count, std::make_index_sequence<4>());
}
double moments_f32(const float* x, std::size_t count) {
  return run<true>(x, count, std::make_index_sequence<4>());
}
double dot_f64(const double* x, const double* y, std::size_t count) {
  return run_dot(x, y, count, std::make_index_sequence<4>());
}
double dot_f32(const float* x, const float* y, std::size_t count) {
  return run_dot(x, y, count, std::make_index_sequence<4>());
}

}  // namespace tessera::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {
HWY_EXPORT(columns_f64);
HWY_EXPORT(columns_f32);
HWY_EXPORT(sum_f64);
HWY_EXPORT(sum_f32);
HWY_EXPORT(moments_f64);
HWY_EXPORT(moments_f32);
HWY_EXPORT(dot_f64);
HWY_EXPORT(dot_f32);
void plain_column_sums(const double* x, std::size_t rows, std::size_t columns, double* sums) {
  HWY_DYNAMIC_DISPATCH(columns_f64)(x, rows, columns, sums);
}
void plain_column_sums(const float* x, std::size_t rows, std::size_t columns, float* sums) {
  HWY_DYNAMIC_DISPATCH(columns_f32)(x, rows, columns, sums);
}
double plain_sum(const double* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(sum_f64)(x, count);
}
double plain_sum(const float* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(sum_f32)(x, count);
}
double plain_moments(const double* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(moments_f64)(x, count);
}
double plain_moments(const float* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(moments_f32)(x, count);
}
double plain_dot(const double* x, const double* y, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(dot_f64)(x, y, count);
}
double plain_dot(const float* x, const float* y, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(dot_f32)(x, y, count);
}

}  // namespace tessera::bench
#endif
