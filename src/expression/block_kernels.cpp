// Compiled once for every instruction set: loops over a strip become vectors.
#include "expression/block_kernels.hpp"

#include "expression/arithmetic.hpp"
#include "expression/operation_types.hpp"
#include "kernels/real/vector_sets.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "expression/block_kernels.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::expression::HWY_NAMESPACE {

/// An element at any address.
template <class T>
struct __attribute__((packed, may_alias)) Loose {
  T value;
};

constexpr std::size_t kCacheLine = 64;

template <std::size_t kLines>
HWY_INLINE void fetch_lines(const std::byte* first) {
  for (std::size_t line = 0; line < kLines; ++line) __builtin_prefetch(first + line * kCacheLine);
}

/// A loop over the lines would take longer than the operation.
HWY_INLINE void fetch(const std::byte* strip, std::size_t bytes) {
  static_assert(kStrip == kCacheLine);
  switch (bytes) {
    case 8 * kCacheLine:
      return fetch_lines<8>(strip);
    case 4 * kCacheLine:
      return fetch_lines<4>(strip);
    case 2 * kCacheLine:
      return fetch_lines<2>(strip);
    default:
      return fetch_lines<1>(strip);
  }
}

HWY_INLINE void fetch_ahead(const BlockCall& call, std::size_t strip) {
  for (std::size_t i = 0; i < call.fetched; ++i) {
    const Strips& ahead = call.ahead[i];
    fetch(ahead.first + strip * ahead.bytes, ahead.bytes);
  }
}

template <class T>
HWY_INLINE const Loose<T>* elements(const BlockCall& call, std::size_t argument,
                                    std::size_t strip) {
  const Strips& strips = call.arguments[argument];
  return reinterpret_cast<const Loose<T>*>(strips.first + strip * strips.bytes);
}

/// result(i) for the elements of each strip.
template <class R, class Prepare>
HWY_INLINE void each_strip(const BlockCall& call, const Prepare& prepare) {
  for (std::size_t strip = 0; strip < call.strips; ++strip) {
    fetch_ahead(call, strip);
    auto* const results = reinterpret_cast<Loose<R>*>(call.result + strip * kStrip * sizeof(R));
    const auto result = prepare(strip);
    // Nothing that is read overlaps the results.
#if HWY_COMPILER_CLANG
#pragma clang diagnostic ignored "-Wpass-failed"  // under sanitizers, loops are not vectorized
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
    for (std::size_t i = 0; i < kStrip; ++i) results[i].value = result(i);
  }
}

struct MakeKernel {
  template <Op kOp, class T>
  BlockKernel one(OpTag<kOp>, T) const {
    return [](BlockCall call) {
      each_strip<decltype(apply<kOp>(T{}))>(call, [&](std::size_t strip) {
        return [x = elements<T>(call, 0, strip)](std::size_t i) { return apply<kOp>(x[i].value); };
      });
    };
  }
  template <Op kOp, class T>
  BlockKernel two(OpTag<kOp>, T) const {
    return [](BlockCall call) {
      each_strip<decltype(apply<kOp>(T{}, T{}))>(call, [&](std::size_t strip) {
        return [x = elements<T>(call, 0, strip), y = elements<T>(call, 1, strip)](std::size_t i) {
          return apply<kOp>(x[i].value, y[i].value);
        };
      });
    };
  }
  template <Op kOp, class T>
  BlockKernel three(OpTag<kOp>, T) const {
    return [](BlockCall call) {
      if (call.arguments[2].bytes == 0) {  // a constant, kept in a register
        return each_strip<T>(call, [&, z = elements<T>(call, 2, 0)->value](std::size_t strip) {
          return [x = elements<T>(call, 0, strip), y = elements<T>(call, 1, strip),
                  z](std::size_t i) { return apply<kOp>(x[i].value, y[i].value, z); };
        });
      }
      each_strip<T>(call, [&](std::size_t strip) {
        return [x = elements<T>(call, 0, strip), y = elements<T>(call, 1, strip),
                z = elements<T>(call, 2, strip)](std::size_t i) {
          return apply<kOp>(x[i].value, y[i].value, z[i].value);
        };
      });
    };
  }
  template <Op kOp, class T>
  BlockKernel four(OpTag<kOp>, T) const {
    return [](BlockCall call) {
      each_strip<T>(call, [&](std::size_t strip) {
        return [x = elements<T>(call, 0, strip), y = elements<T>(call, 1, strip),
                z = elements<T>(call, 2, strip), w = elements<T>(call, 3, strip)](std::size_t i) {
          return apply<kOp>(x[i].value, y[i].value, z[i].value, w[i].value);
        };
      });
    };
  }
  template <class To, class From>
  BlockKernel cast(To, From) const {
    return [](BlockCall call) {
      each_strip<To>(call, [&](std::size_t strip) {
        return
            [x = elements<From>(call, 0, strip)](std::size_t i) { return convert<To>(x[i].value); };
      });
    };
  }
  template <class T>
  BlockKernel select(T) const {
    return [](BlockCall call) {
      each_strip<T>(call, [&](std::size_t strip) {
        return [condition = elements<Bool>(call, 0, strip), x = elements<T>(call, 1, strip),
                y = elements<T>(call, 2, strip)](std::size_t i) {
          return condition[i].value != 0 ? x[i].value : y[i].value;
        };
      });
    };
  }
  template <Op kOp, class T>
  BlockKernel select_if(OpTag<kOp>, T) const {
    return [](BlockCall call) {
      each_strip<T>(call, [&](std::size_t strip) {
        return [a = elements<T>(call, 0, strip), b = elements<T>(call, 1, strip),
                x = elements<T>(call, 2, strip), y = elements<T>(call, 3, strip)](std::size_t i) {
          return holds<kOp>(a[i].value, b[i].value) ? x[i].value : y[i].value;
        };
      });
    };
  }
};

BlockKernel make_kernel(const Node& node) {
  return with_operation(node, MakeKernel());
}

}  // namespace tessera::expression::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::expression {

HWY_EXPORT(make_kernel);

BlockKernel block_kernel(const Node& node) {
  return HWY_DYNAMIC_DISPATCH(make_kernel)(node);
}

}  // namespace tessera::expression
#endif
