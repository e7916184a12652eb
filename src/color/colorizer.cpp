#include "color/colorizer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace tessera::color {
namespace {

static_assert(std::endian::native == std::endian::little, "the table holds R in its lowest byte");

/// The high 10 bits of a float's fraction: 1024 steps while the value doubles.
constexpr int kStepShift = 13;
constexpr std::uint32_t kOneBits = std::bit_cast<std::uint32_t>(1.0f);

/// Requires x >= 1.
std::uint32_t step_of(float x) {
  return (std::bit_cast<std::uint32_t>(x) - kOneBits) >> kStepShift;
}

/// The smallest x of a step.
double step_begin(std::uint32_t step) {
  return std::bit_cast<float>((step << kStepShift) + kOneBits);
}

std::uint32_t pack(Rgb color) {
  return color.r | static_cast<std::uint32_t>(color.g) << 8 |
         static_cast<std::uint32_t>(color.b) << 16;
}

/// The table index of each value. The comparison with N selects the last entry without a branch, so
/// that the compiler vectorises the loop.
template <class T, class Limit>
void find_steps(const T* values, std::size_t n, Limit first_inside, std::uint32_t inside_step,
                std::uint32_t* steps) {
  for (std::size_t i = 0; i < n; ++i) {
    // A smooth value is negative far outside the set and gets the first colour.
    const float x = std::max(1.0f, static_cast<float>(values[i]) + 1.0f);
    const std::uint32_t step = step_of(x);
    steps[i] = static_cast<Limit>(values[i]) >= first_inside ? inside_step : step;
  }
}

/// Stores three bytes per pixel: two pixels in one store of 8 bytes, whose last two bytes the next
/// store overwrites. The last pixels of the output are stored exactly.
template <class Index>
void store_colors(const std::uint32_t* table, const Index* steps, std::size_t n, std::byte* rgb) {
  std::size_t i = 0;
  for (; i + 4 <= n; i += 2, rgb += 6) {
    const std::uint64_t two = table[steps[i]] | static_cast<std::uint64_t>(table[steps[i + 1]])
                                                    << 24;
    std::memcpy(rgb, &two, sizeof two);
  }
  for (; i < n; ++i, rgb += 3) std::memcpy(rgb, &table[steps[i]], 3);
}

template <class T, class Limit>
void colorize_as(std::span<const std::uint32_t> table, Limit first_inside, const std::byte* values,
                 std::size_t n, std::byte* rgb) {
  constexpr std::size_t kBlock = 512;
  std::array<T, kBlock> block;
  std::array<std::uint32_t, kBlock> steps;
  const auto inside_step = static_cast<std::uint32_t>(table.size() - 1);
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t count = std::min(kBlock, n - begin);
    // The bytes of a chunk may be unaligned for T.
    std::memcpy(block.data(), values + begin * sizeof(T), count * sizeof(T));
    find_steps(block.data(), count, first_inside, inside_step, steps.data());
    store_colors(table.data(), steps.data(), count, rgb + begin * 3);
  }
}

/// A count is the index into a table with an entry for each count.
void colorize_counts(std::span<const std::uint32_t> by_count, const std::byte* values,
                     std::size_t n, std::byte* rgb) {
  constexpr std::size_t kBlock = 512;
  std::array<std::uint16_t, kBlock> block;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t count = std::min(kBlock, n - begin);
    std::memcpy(block.data(), values + begin * sizeof(std::uint16_t),
                count * sizeof(std::uint16_t));
    store_colors(by_count.data(), block.data(), count, rgb + begin * 3);
  }
}

}  // namespace

Colorizer::Colorizer(const Palette& palette, std::uint32_t iterations, double cycles_per_octave)
    : iterations_(iterations) {
  const std::uint32_t last = step_of(static_cast<float>(iterations) + 1.0f);
  table_.reserve(last + 2);
  for (std::uint32_t step = 0; step <= last; ++step) {
    const double cycles = cycles_per_octave * std::log2(step_begin(step));
    table_.push_back(pack(color_at(palette, cycles - std::floor(cycles))));
  }
  table_.push_back(pack(palette.inside));

  constexpr std::uint32_t kCounts = 1U << 16;
  if (iterations >= kCounts) return;
  by_count_.assign(kCounts, pack(palette.inside));
  for (std::uint32_t count = 0; count < iterations; ++count) {
    by_count_[count] = table_[step_of(static_cast<float>(count) + 1.0f)];
  }
}

void Colorizer::colorize(const std::byte* values, base::ElementType type, std::size_t n,
                         std::byte* rgb) const {
  // N has a type that holds every value exactly: a 16-bit count may be compared with an N that
  // needs more bits.
  const auto limit = static_cast<float>(iterations_);
  switch (type) {
    case base::ElementType::u16:
      if (!by_count_.empty()) return colorize_counts(by_count_, values, n, rgb);
      return colorize_as<std::uint16_t>(table_, limit, values, n, rgb);
    case base::ElementType::u32:
      return colorize_as<std::uint32_t>(table_, iterations_, values, n, rgb);
    case base::ElementType::f32:
      return colorize_as<float>(table_, limit, values, n, rgb);
    default:  // no field has another type
      break;
  }
}

}  // namespace tessera::color
