#include "color/colorizer.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace tessera::color {
namespace {

/// The high 10 bits of a float's fraction: 1024 steps while the value doubles.
constexpr int kStepShift = 13;
constexpr std::uint32_t kStepMask = (1U << kStepShift) - 1;
constexpr std::uint32_t kOneBits = std::bit_cast<std::uint32_t>(1.0f);
// crossed by: EqualsTheSlowFormulaForCountsOf16Bits
constexpr std::uint32_t kCounts = 1U << 16;
/// Smooth values up to so far above N have steps of their own, those further up the last of them.
// crossed by: ColorOrbitsThatEscapeInTheirLastSteps
constexpr std::uint64_t kBeyond = 32;
/// From here on a step has two counts or more.
// crossed by: AreFineEnoughBelowTwoCountsAStep
constexpr double kCoarse = 2048;

/// Its upper bits are the step, its lower kStepShift bits the place within the step. Requires
/// x >= 1.
std::uint32_t fine_step_of(float x) {
  return std::bit_cast<std::uint32_t>(x) - kOneBits;
}

/// A smooth value is negative far outside the set and gets the first colour.
template <class T>
std::uint32_t fine_step_of_value(T value, std::uint64_t least) {
  if constexpr (std::is_same_v<T, float>)
    return fine_step_of(std::max(1.0f, value - static_cast<float>(least) + 1.0f));
  else
    return value <= least ? 0
                          : fine_step_of(static_cast<float>(static_cast<T>(value - least)) + 1.0f);
}

/// The smallest x of a step.
double step_begin(std::size_t step) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(step << kStepShift) + kOneBits);
}

Pixel opaque(const std::array<std::uint16_t, 3>& rgb) {
  return {{rgb[0], rgb[1], rgb[2], kFull}};
}

/// The nearest colour with 8 bits a channel.
Pixel of_bytes(Pixel pixel) {
  for (std::size_t i = 0; i < 3; ++i) {
    pixel.channel[i] = static_cast<std::uint16_t>((pixel.channel[i] + 128U) / 257 * 257);
  }
  return pixel;
}

/// The bytes of such a colour, red lowest.
std::uint32_t rgb_of(const Pixel& pixel) {
  std::uint32_t rgb = 0;
  for (std::size_t i = 0; i < 3; ++i) rgb |= pixel.channel[i] / 257U << 8 * i;
  return rgb;
}

std::vector<double> phases_of(std::uint64_t iterations, const Phase& phase) {
  std::vector<double> phases;
  for (std::size_t step = 0; step <= steps_of(iterations); ++step) {
    phases.push_back(phase.offset + phase.cycles_per_octave * std::log2(step_begin(step)));
  }
  return phases;
}

/// Above so many cycles an octave, colours between those of two steps would be those of no step.
// crossed by: HaveTheColorOfEachValue
constexpr double kMostTableCycles = 16;

/// The cycles of a phase that a table is too coarse for.
std::optional<CycleColors> cycle_colors(const Palette& palette, const Phase& phase) {
  if (phase.scale != Scale::log)
    return CycleColors(palette, phase.scale, phase.period, phase.offset);
  if (phase.cycles_per_octave <= kMostTableCycles) return std::nullopt;
  return CycleColors(palette, Scale::log, 1 / phase.cycles_per_octave, phase.offset);
}

/// Calls use(begin, values) for blocks of the values, which may lie at any address.
template <class T, class Use>
void for_each_block(const std::byte* values, std::size_t n, Use use) {
  // crossed by: EqualsTheSlowFormulaForSmoothValues
  constexpr std::size_t kBlock = 512;
  std::array<T, kBlock> block;
  for (std::size_t begin = 0; begin < n; begin += kBlock) {
    const std::size_t count = std::min(kBlock, n - begin);
    std::memcpy(block.data(), values + begin * sizeof(T), count * sizeof(T));
    use(begin, std::span<const T>(block).first(count));
  }
}

/// The same for a type that is known at run time.
template <class Use>
void for_each_block(const std::byte* values, base::ElementType type, std::size_t n, Use use) {
  switch (type) {
    case base::ElementType::u16:
      return for_each_block<std::uint16_t>(values, n, use);
    case base::ElementType::u32:
      return for_each_block<std::uint32_t>(values, n, use);
    case base::ElementType::u64:
      return for_each_block<std::uint64_t>(values, n, use);
    case base::ElementType::f32:
      return for_each_block<float>(values, n, use);
    default:  // no field has another type
      break;
  }
}

}  // namespace

std::size_t steps_of(ValueRange range) {
  const std::uint64_t most = range.iterations - range.least + kBeyond;
  return (fine_step_of(static_cast<float>(most) + 1.0f) >> kStepShift) + 1;
}

Colorizer::Colorizer(const Palette& palette, std::uint64_t iterations, const Phase& phase,
                     bool bytes)
    : Colorizer(palette, iterations, phases_of(iterations, phase), bytes) {
  cycle_ = cycle_colors(palette, phase);
  if (!cycle_) return;
  for (std::size_t count = 0; count < by_count_.size() && count < iterations; ++count) {
    by_count_[count] = cycle_color(static_cast<double>(count));
    if (bytes) rgb_by_count_[count] = rgb_of(by_count_[count]);
  }
}

Colorizer::Colorizer(const Palette& palette, ValueRange range, std::span<const double> phases,
                     bool bytes)
    : range_(range), bytes_(bytes) {
  table_.reserve(phases.size() + 1);
  for (const double cycles : phases) {
    table_.push_back(opaque(deep_color_at(palette, cycles - std::floor(cycles))));
  }
  table_.push_back(opaque(palette.inside));
  // A count has no colour between those of two steps.
  by_step_ = table_;
  if (bytes) {
    for (Pixel& pixel : by_step_) {
      pixel = of_bytes(pixel);
      rgb_by_step_.push_back(rgb_of(pixel));
    }
  }
  if (range.iterations >= kCounts) return;
  by_count_.assign(kCounts, by_step_.back());
  for (std::uint32_t count = 0; count < range.iterations; ++count) {
    by_count_[count] = by_step_[fine_step_of_value(count, range.least) >> kStepShift];
  }
  if (!bytes) return;
  rgb_by_count_.assign(kCounts, rgb_by_step_.back());
  for (std::uint32_t count = 0; count < range.iterations; ++count) {
    rgb_by_count_[count] = rgb_by_step_[fine_step_of_value(count, range.least) >> kStepShift];
  }
}

Pixel Colorizer::smooth_color(float value) const {
  const std::uint32_t fine = fine_step_of_value(value, range_.least);
  const std::size_t step = std::min<std::size_t>(fine >> kStepShift, table_.size() - 3);
  const Pixel& from = table_[step];
  const Pixel& to = table_[step + 1];
  const auto share = static_cast<std::int32_t>(fine & kStepMask);
  Pixel pixel{{0, 0, 0, kFull}};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::int32_t distance = to.channel[i] - from.channel[i];
    pixel.channel[i] =
        static_cast<std::uint16_t>(from.channel[i] + (distance * share >> kStepShift));
  }
  return pixel;
}

Pixel Colorizer::cycle_color(double count) const {
  return bytes_ ? of_bytes(cycle_->at(count)) : cycle_->at(count);
}

template <class Count>
Pixel Colorizer::color_of(Count count) const {
  if (is_inside(count, range_.iterations)) return by_step_.back();
  if (cycle_) return cycle_color(static_cast<double>(count));
  return by_step_[fine_step_of_value(count, range_.least) >> kStepShift];
}

Pixel Colorizer::color_of(std::uint16_t count) const {
  return by_count_.empty() ? color_of(std::uint32_t{count}) : by_count_[count];
}

Pixel Colorizer::color_of(float value) const {
  if (is_inside(value, range_.iterations)) return table_.back();
  return cycle_ ? cycle_->at(value) : smooth_color(value);
}

void Colorizer::colorize(const std::byte* values, base::ElementType type,
                         std::span<Pixel> pixels) const {
  for_each_block(values, type, pixels.size(), [&](std::size_t begin, const auto& block) {
    for (std::size_t i = 0; i < block.size(); ++i) pixels[begin + i] = color_of(block[i]);
  });
}

void Colorizer::colorize_rgb(const std::byte* counts, base::ElementType type, std::size_t n,
                             std::byte* rgb) const {
  const auto color_of_count = [range = range_, cycle = cycle_ ? &*cycle_ : nullptr,
                               by_step = std::span(rgb_by_step_),
                               by_count = std::span(rgb_by_count_)]<class T>(T count) {
    if (sizeof(T) == 2 && !by_count.empty()) return by_count[count];
    if (is_inside(count, range.iterations)) return by_step.back();
    if (cycle != nullptr) return rgb_of(of_bytes(cycle->at(static_cast<double>(count))));
    return by_step[fine_step_of_value(count, range.least) >> kStepShift];
  };
  for_each_block(counts, type, n, [&](std::size_t begin, const auto& block) {
    if constexpr (!std::is_same_v<std::decay_t<decltype(block[0])>, float>) {
      // Copies, because a store of bytes might change anything else.
      const auto color = color_of_count;
      std::byte* out = rgb + 3 * begin;
      std::size_t i = 0;
      // Two pixels in a store of 8 bytes; the next store overwrites the last two.
      for (; i + 4 <= block.size(); i += 2, out += 6) {
        const std::uint64_t two = color(block[i]) | std::uint64_t{color(block[i + 1])} << 24;
        std::memcpy(out, &two, sizeof two);
      }
      for (; i < block.size(); ++i, out += 3) {
        const std::uint32_t one = color(block[i]);
        std::memcpy(out, &one, 3);
      }
    }
  });
}

std::size_t Colorizer::memory_bytes(std::uint64_t iterations) {
  const std::size_t steps = steps_of(iterations) + 2;
  return (2 * steps + kCounts + CycleColors::kSteps) * sizeof(Pixel) +
         (steps + kCounts) * sizeof(std::uint32_t);
}

StepCounts::StepCounts(ValueRange range) : counts_(steps_of(range)), range_(range) {}

void StepCounts::add(const std::byte* values, base::ElementType type, std::size_t n) {
  for_each_block(values, type, n, [&](std::size_t, const auto& block) {
    for (const auto value : block) {
      if (is_inside(value, range_.iterations)) continue;
      const std::size_t step = fine_step_of_value(value, range_.least) >> kStepShift;
      ++counts_[std::min(step, counts_.size() - 1)];
    }
  });
}

std::uint64_t StepCounts::coarse_least() const {
  const auto first = std::ranges::find_if(counts_, [](std::uint64_t count) { return count > 0; });
  if (first == counts_.end()) return 0;
  const double begin = step_begin(static_cast<std::size_t>(first - counts_.begin())) - 1;
  return begin < kCoarse ? 0 : static_cast<std::uint64_t>(begin);
}

std::vector<double> StepCounts::phases(double cycles, double offset) const {
  std::uint64_t all = 0;
  for (const std::uint64_t count : counts_) all += count;
  std::vector<double> phases{offset};
  std::uint64_t below = 0;
  for (const std::uint64_t count : counts_) {
    below += count;
    const double share =
        static_cast<double>(below) / static_cast<double>(std::max<std::uint64_t>(all, 1));
    phases.push_back(offset + cycles * share);
  }
  return phases;
}

}  // namespace tessera::color
