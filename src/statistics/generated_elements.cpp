// Generated arrays, compiled once for every instruction set: loops that become vectors.
#include "statistics/generated_elements.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

#include "base/element.hpp"
#include "kernels/gpu/generate.hpp"
#include "kernels/real/vector_sets.hpp"
//
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "statistics/generated_elements.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tessera::statistics::HWY_NAMESPACE {

using Format = job::ArrayInput::Format;

template <class T>
T uniform(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, double>) {
    return kernels::ts_uniform_f64(bits);
  } else if constexpr (std::is_same_v<T, float>) {
    return kernels::ts_uniform_f32(bits);
  } else {
    return static_cast<T>(bits >> (64 - 8 * sizeof(T)));
  }
}

/// Calls make(number) for the blocks, of two elements each, in which elements [first, first +
/// count) are, and writes those elements.
template <class T, class Make>
HWY_INLINE void by_blocks(std::uint64_t first, std::size_t count, std::byte* out,
                          const Make& make) {
  // crossed by: makes_the_same_elements_whichever_part_is_first
  constexpr std::size_t kBlocks = 256;
  std::array<T, 2 * kBlocks> generated;
  while (count > 0) {
    const std::uint64_t number = first / 2;
    for (std::size_t k = 0; k < kBlocks; ++k) {
      const std::array<T, 2> two = make(number + k);
      generated[2 * k] = two[0];
      generated[2 * k + 1] = two[1];
    }
    const std::size_t skipped = first % 2;
    const std::size_t taken = std::min(count, generated.size() - skipped);
    std::memcpy(out, generated.data() + skipped, taken * sizeof(T));
    out += taken * sizeof(T);
    first += taken;
    count -= taken;
  }
}

template <class T>
void make_elements(const job::ArrayInput& input, std::uint64_t first, std::size_t count,
                   std::byte* out) {
  const std::uint64_t seed = input.seed;
  if (input.format == Format::linspace) {
    const auto all = static_cast<std::uint64_t>(input.shape.front());
    const double step = kernels::ts_spacing(all, input.start, input.stop);
    for (std::size_t i = 0; i < count; ++i) {
      const auto x =
          static_cast<T>(kernels::ts_spaced(first + i, all, input.start, input.stop, step));
      std::memcpy(out + i * sizeof(T), &x, sizeof(T));
    }
  } else if (input.normal) {
    by_blocks<T>(first, count, out, [seed](std::uint64_t number) {
      const kernels::TsNormalPair pair = kernels::ts_normal_pair(number, seed);
      return std::array{static_cast<T>(pair.value[0]), static_cast<T>(pair.value[1])};
    });
  } else {
    by_blocks<T>(first, count, out, [seed](std::uint64_t number) {
      const auto block = kernels::ts_random_block(number, TS_UNIFORM_STREAM, seed);
      return std::array{uniform<T>(block.bits[0]), uniform<T>(block.bits[1])};
    });
  }
}

void generate(const job::ArrayInput& input, std::int64_t first, std::span<std::byte> elements) {
  base::with_element_type(input.type, [&]<class T>(T) {
    make_elements<T>(input, static_cast<std::uint64_t>(first), elements.size() / sizeof(T),
                     elements.data());
  });
}

}  // namespace tessera::statistics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tessera::statistics {

HWY_EXPORT(generate);

void generate(const job::ArrayInput& input, std::int64_t first, std::span<std::byte> elements) {
  HWY_DYNAMIC_DISPATCH(generate)(input, first, elements);
}

}  // namespace tessera::statistics
#endif
