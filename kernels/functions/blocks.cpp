// Functions of many values, compiled for each instruction set.
#include "kernels/real/vector_sets.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/functions/blocks.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// clang-format off
#include <hwy/highway.h>
#include "kernels/functions/functions-inl.hpp"
// clang-format on

#include <algorithm>

#include "kernels/functions/functions.hpp"

HWY_BEFORE_NAMESPACE();
namespace tessera::kernels::functions::HWY_NAMESPACE {

// NOLINTBEGIN(bugprone-macro-parentheses): the argument is a type
#ifdef TESSERA_VECTOR_FUNCTIONS

// crossed by: blocks_of_any_length_work_in_place
constexpr std::size_t kLanes = hn::MaxLanes(Reals());
using Floats = hn::Rebind<float, Reals>;

HWY_INLINE Real load(const double* from) {
  return hn::LoadU(Reals(), from);
}
HWY_INLINE Real load(const float* from) {
  return hn::PromoteTo(Reals(), hn::LoadU(Floats(), from));
}
HWY_INLINE void store(Real v, double* to) {
  hn::StoreU(v, Reals(), to);
}
HWY_INLINE void store(Real v, float* to) {
  hn::StoreU(hn::DemoteTo(Floats(), v), Floats(), to);
}

/// The values that do not fill a vector, and zeros.
template <class T>
struct Rest {
  HWY_ALIGN T values[kLanes] = {};

  Rest(const T* from, std::size_t count) { std::copy_n(from, count, values); }
};

template <class T, class F>
HWY_INLINE void map_one(const T* in, T* out, std::size_t count, const F& f) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(f(load(in + i)), out + i);
  if (i == count) return;
  Rest<T> rest(in + i, count - i);
  store(f(load(rest.values)), rest.values);
  std::copy_n(rest.values, count - i, out + i);
}

template <class T, class F>
HWY_INLINE void map_two(const T* x, const T* y, T* out, std::size_t count, const F& f) {
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) store(f(load(x + i), load(y + i)), out + i);
  if (i == count) return;
  Rest<T> rest(x + i, count - i);
  const Rest<T> others(y + i, count - i);
  store(f(load(rest.values), load(others.values)), rest.values);
  std::copy_n(rest.values, count - i, out + i);
}

#define TS_BLOCKS_ONE(name, Name, suffix, T)                          \
  void name##suffix(const T* in, T* out, std::size_t count) {         \
    map_one(in, out, count, [](Real x) { return Name(Reals(), x); }); \
  }
#define TS_BLOCKS_TWO(name, Name, suffix, T)                                       \
  void name##suffix(const T* x, const T* y, T* out, std::size_t count) {           \
    map_two(x, y, out, count, [](Real a, Real b) { return Name(Reals(), a, b); }); \
  }

#else

#define TS_BLOCKS_ONE(name, Name, suffix, T)                                 \
  void name##suffix(const T* in, T* out, std::size_t count) {                \
    for (std::size_t i = 0; i < count; ++i) out[i] = functions::name(in[i]); \
  }
#define TS_BLOCKS_TWO(name, Name, suffix, T)                                      \
  void name##suffix(const T* x, const T* y, T* out, std::size_t count) {          \
    for (std::size_t i = 0; i < count; ++i) out[i] = functions::name(x[i], y[i]); \
  }

#endif
// NOLINTEND(bugprone-macro-parentheses)

#define TS_ONE(name, Name)               \
  TS_BLOCKS_ONE(name, Name, _f8, double) \
  TS_BLOCKS_ONE(name, Name, _f4, float)
#define TS_TWO(name, Name)               \
  TS_BLOCKS_TWO(name, Name, _f8, double) \
  TS_BLOCKS_TWO(name, Name, _f4, float)
TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_BLOCKS_ONE
#undef TS_BLOCKS_TWO
#undef TS_ONE
#undef TS_TWO

}  // namespace tessera::kernels::functions::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::kernels::functions {

#define TS_EXPORT(name, Name) \
  HWY_EXPORT(name##_f8);      \
  HWY_EXPORT(name##_f4);
TS_FUNCTIONS(TS_EXPORT, TS_EXPORT)
#undef TS_EXPORT

#define TS_ONE(name, Name)                                      \
  void name(const double* in, double* out, std::size_t count) { \
    HWY_DYNAMIC_DISPATCH(name##_f8)(in, out, count);            \
  }                                                             \
  void name(const float* in, float* out, std::size_t count) {   \
    HWY_DYNAMIC_DISPATCH(name##_f4)(in, out, count);            \
  }
#define TS_TWO(name, Name)                                                      \
  void name(const double* x, const double* y, double* out, std::size_t count) { \
    HWY_DYNAMIC_DISPATCH(name##_f8)(x, y, out, count);                          \
  }                                                                             \
  void name(const float* x, const float* y, float* out, std::size_t count) {    \
    HWY_DYNAMIC_DISPATCH(name##_f4)(x, y, out, count);                          \
  }
TS_FUNCTIONS(TS_ONE, TS_TWO)
#undef TS_ONE
#undef TS_TWO

#define TS_ONE(name, Name) \
  case Function::name:     \
    return name(x, out, count);
#define TS_TWO(name, Name) \
  case Function::name:     \
    return name(x, y, out, count);

void call(Function function, const double* x, const double* y, double* out, std::size_t count) {
  switch (function) { TS_FUNCTIONS(TS_ONE, TS_TWO) }
}

void call(Function function, const float* x, const float* y, float* out, std::size_t count) {
  switch (function) { TS_FUNCTIONS(TS_ONE, TS_TWO) }
}
#undef TS_ONE
#undef TS_TWO

}  // namespace tessera::kernels::functions
#endif
