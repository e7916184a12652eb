#include "plain_loops.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "plain_loops.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::bench::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// A vector of x + i, with a prefetch so many bytes ahead.
template <int kAheadBytes, class T>
auto load(const T* x, std::size_t i) {
  __builtin_prefetch(reinterpret_cast<const char*>(x + i) + kAheadBytes);
  return hn::LoadU(hn::ScalableTag<T>(), x + i);
}

/// `start`, changed to step(start, i) for the vector at each i, in four chains; these joined.
template <class T, class V, class Step, class Join>
V in_chains(std::size_t count, const V& start, const Step& step, const Join& join) {
  const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
  V c0 = start;
  V c1 = start;
  V c2 = start;
  V c3 = start;
  for (std::size_t i = 0; i < count; i += 4 * lanes) {
    c0 = step(c0, i);
    c1 = step(c1, i + lanes);
    c2 = step(c2, i + 2 * lanes);
    c3 = step(c3, i + 3 * lanes);
  }
  return join(join(c0, c1), join(c2, c3));
}

/// The sum of all lanes of what `step` adds to.
template <class T, class Step>
double added_up(std::size_t count, const Step& step) {
  const hn::ScalableTag<T> d;
  const auto all =
      in_chains<T>(count, hn::Zero(d), step, [](auto a, auto b) { return hn::Add(a, b); });
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, all)));
}

/// The largest lane of the vectors term(i).
template <class T, class Term>
double maximum(std::size_t count, const Term& term) {
  const hn::ScalableTag<T> d;
  const auto larger = [](auto a, auto b) { return hn::Max(a, b); };
  const auto step = [&](auto most, std::size_t i) { return hn::Max(most, term(i)); };
  const auto all = in_chains<T>(count, term(0), step, larger);
  return static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, all)));
}

template <class T>
double sum(const T* x, std::size_t count) {
  return added_up<T>(count, [x](auto to, std::size_t i) { return hn::Add(to, load<6144>(x, i)); });
}

template <class T>
double moments(const T* x, std::size_t count) {
  const hn::ScalableTag<T> d;
  struct Two {
    hn::Vec<hn::ScalableTag<T>> sum, squares;
  };
  const auto step = [x](const Two& to, std::size_t i) {
    const auto v = load<6144>(x, i);
    return Two{hn::Add(to.sum, v), hn::MulAdd(v, v, to.squares)};
  };
  const auto join = [](const Two& a, const Two& b) {
    return Two{hn::Add(a.sum, b.sum), hn::Add(a.squares, b.squares)};
  };
  const Two all = in_chains<T>(count, Two{hn::Zero(d), hn::Zero(d)}, step, join);
  return static_cast<double>(hn::GetLane(hn::SumOfLanes(d, hn::Add(all.sum, all.squares))));
}

template <class T>
double dot(const T* x, const T* y, std::size_t count) {
  return added_up<T>(count, [x, y](auto to, std::size_t i) {
    return hn::MulAdd(load<3072>(x, i), load<3072>(y, i), to);
  });
}

/// Eight rows at a time, so that the sums come and go less often.
template <class T>
void column_sums(const T* x, std::size_t rows, std::size_t columns, T* sums) {
  constexpr std::size_t kRows = 8;
  const hn::ScalableTag<T> d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t c = 0; c < columns; ++c) sums[c] = 0;
  for (std::size_t r = 0; r < rows; r += kRows) {
    for (std::size_t c = 0; c < columns; c += 2 * lanes) {
      auto low = hn::LoadU(d, sums + c);
      auto high = hn::LoadU(d, sums + c + lanes);
      for (std::size_t row = r; row < r + kRows; ++row) {
        low = hn::Add(low, hn::LoadU(d, x + row * columns + c));
        high = hn::Add(high, hn::LoadU(d, x + row * columns + c + lanes));
      }
      hn::StoreU(low, d, sums + c);
      hn::StoreU(high, d, sums + c + lanes);
    }
  }
}

template <class T>
double sum_of_products(const T* a, const T* b, std::size_t count) {
  const auto one = hn::Set(hn::ScalableTag<T>(), T{1});
  return added_up<T>(count, [=](auto to, std::size_t i) {
    return hn::Add(to, hn::Add(hn::Mul(load<3072>(a, i), load<3072>(b, i)), one));
  });
}

template <class T>
double largest_root(const T* u, const T* v, std::size_t count) {
  return maximum<T>(count, [=](std::size_t i) {
    const auto x = load<3072>(u, i);
    const auto y = load<3072>(v, i);
    return hn::Sqrt(hn::Add(hn::Mul(x, x), hn::Mul(y, y)));
  });
}

template <class T>
double largest(const T* x, std::size_t count) {
  return maximum<T>(count, [x](std::size_t i) { return hn::LoadU(hn::ScalableTag<T>(), x + i); });
}

template <class T>
PlainLoops<T> loops_of() {
  return {sum<T>,          moments<T>, dot<T>, column_sums<T>, sum_of_products<T>,
          largest_root<T>, largest<T>};
}

PlainLoops<double> loops_f64() {
  return loops_of<double>();
}
PlainLoops<float> loops_f32() {
  return loops_of<float>();
}

}  // namespace tessera::bench::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::bench {
HWY_EXPORT(loops_f64);
HWY_EXPORT(loops_f32);

template <>
const PlainLoops<double>& plain_loops() {
  static const PlainLoops<double> kLoops = HWY_DYNAMIC_DISPATCH(loops_f64)();
  return kLoops;
}
template <>
const PlainLoops<float>& plain_loops() {
  static const PlainLoops<float> kLoops = HWY_DYNAMIC_DISPATCH(loops_f32)();
  return kLoops;
}

}  // namespace tessera::bench
#endif
