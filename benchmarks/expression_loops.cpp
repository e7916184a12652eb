#include "expression_loops.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expression_loops.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include <algorithm>
#include <array>

HWY_BEFORE_NAMESPACE();
namespace tessera::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
void fetch(const T* x) {
  __builtin_prefetch(reinterpret_cast<const char*>(x) + 3072);
}

template <class T>
double products(const T* a, const T* b, std::size_t count) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, T{1});
  const auto term = [&](std::size_t i) {
    fetch(a + i);
    fetch(b + i);
    return hn::Add(hn::Mul(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), one);
  };
  auto s0 = hn::Zero(d);
  auto s1 = s0;
  auto s2 = s0;
  auto s3 = s0;
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    s0 = hn::Add(s0, term(i));
    s1 = hn::Add(s1, term(i + lanes));
    s2 = hn::Add(s2, term(i + 2 * lanes));
    s3 = hn::Add(s3, term(i + 3 * lanes));
  }
  const auto all = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
}

template <class T, class Term>
double maximum(std::size_t count, const Term& term) {
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  auto m0 = term(0);
  auto m1 = m0;
  auto m2 = m0;
  auto m3 = m0;
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    m0 = hn::Max(m0, term(i));
    m1 = hn::Max(m1, term(i + lanes));
    m2 = hn::Max(m2, term(i + 2 * lanes));
    m3 = hn::Max(m3, term(i + 3 * lanes));
  }
  const auto all = hn::Max(hn::Max(m0, m1), hn::Max(m2, m3));
  return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, all)));
}

template <class T>
double roots(const T* u, const T* v, std::size_t count) {
  const hn::ScalableTag<T> d;
  return maximum<T>(count, [&](std::size_t i) {
    fetch(u + i);
    fetch(v + i);
    const auto x = hn::LoadU(d, u + i);
    const auto y = hn::LoadU(d, v + i);
    return hn::Sqrt(hn::Add(hn::Mul(x, x), hn::Mul(y, y)));
  });
}

template <class T>
double plain_maximum(const T* x, std::size_t count) {
  const hn::ScalableTag<T> d;
  return maximum<T>(count, [&](std::size_t i) { return hn::LoadU(d, x + i); });
}

double products_f64(const double* a, const double* b, std::size_t n) {
  return products(a, b, n);
}
double products_f32(const float* a, const float* b, std::size_t n) {
  return products(a, b, n);
}
double roots_f64(const double* u, const double* v, std::size_t n) {
  return roots(u, v, n);
}
double roots_f32(const float* u, const float* v, std::size_t n) {
  return roots(u, v, n);
}
double maximum_f64(const double* x, std::size_t n) {
  return plain_maximum(x, n);
}
double maximum_f32(const float* x, std::size_t n) {
  return plain_maximum(x, n);
}

}  // namespace tessera::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {
HWY_EXPORT(products_f64);
HWY_EXPORT(products_f32);
HWY_EXPORT(roots_f64);
HWY_EXPORT(roots_f32);
HWY_EXPORT(maximum_f64);
HWY_EXPORT(maximum_f32);
double sum_of_products(const double* a, const double* b, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(products_f64)(a, b, count);
}
double sum_of_products(const float* a, const float* b, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(products_f32)(a, b, count);
}
double largest_root(const double* u, const double* v, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(roots_f64)(u, v, count);
}
double largest_root(const float* u, const float* v, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(roots_f32)(u, v, count);
}
double largest(const double* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(maximum_f64)(x, count);
}
double largest(const float* x, std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(maximum_f32)(x, count);
}
}  // namespace tessera::bench
#endif
