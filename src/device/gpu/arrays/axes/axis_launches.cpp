#include "device/gpu/arrays/axes/axis_launches.hpp"

#include <algorithm>

namespace tessera::device::gpu {
namespace {

using Levels = std::vector<plan::AxisLevel>;

/// That many threads hide the latency of loads; more have no benefit.
// crossed by: ColumnsHaveAThreadEachAndMoreWhereThereAreFew, RowsHaveManyThreadsInARow
constexpr std::int64_t kMaxThreads = 65536;
/// Fewest elements that justify a thread.
// crossed by: ColumnsHaveAThreadEachAndMoreWhereThereAreFew, RowsHaveManyThreadsInARow
constexpr std::int64_t kMinTerms = 16;

std::int64_t elements_of(std::span<const plan::AxisLevel> levels) {
  std::int64_t count = 1;
  for (const plan::AxisLevel& level : levels) count *= level.extent;
  return count;
}

bool launchable(const Levels& levels) {
  const auto number = [&](bool reduced) {
    return std::ranges::count(levels, reduced, &plan::AxisLevel::reduced);
  };
  return number(false) <= TS_AXIS_LEVELS && number(true) <= TS_AXIS_LEVELS;
}

kernels::TsAxis call_of(const Levels& levels) {
  kernels::TsAxis call{};
  call.outputs = call.terms = 1;
  std::int64_t stride = elements_of(levels);
  for (const plan::AxisLevel& level : levels) {
    stride /= level.extent;
    const kernels::TsAxisLevel one{
        .step = static_cast<std::uint64_t>(level.reduced ? level.index_step : level.output_step),
        .extent = static_cast<std::uint32_t>(level.extent),
        .stride = static_cast<std::uint32_t>(stride)};
    if (level.reduced) {
      call.reduced[call.reduced_levels++] = one;
      call.terms *= one.extent;
    } else {
      call.kept[call.kept_levels++] = one;
      call.outputs *= one.extent;
    }
  }
  return call;
}

class Divider {
 public:
  explicit Divider(std::int64_t most) : most_(most) {}

  /// Splits the outermost level until each part fits.
  void divide(Levels levels, AxisPart part) {
    const std::int64_t count = elements_of(levels);
    if (launchable(levels) && count <= most_) {
      const AxisPart begun = part;
      part.call = call_of(levels);
      part.count = count;
      part.call.first_output = begun.call.first_output;
      part.call.first_index = begun.call.first_index;
      parts_.push_back(part);
      return;
    }
    const plan::AxisLevel outer = levels.front();
    const std::int64_t inner = count / outer.extent;
    const std::int64_t at_once =
        launchable(levels) ? std::clamp<std::int64_t>(most_ / inner, 1, outer.extent) : 1;
    for (std::int64_t at = 0; at < outer.extent; at += at_once) {
      Levels some = levels;
      some.front().extent = std::min(at_once, outer.extent - at);
      if (at_once == 1) some.erase(some.begin());
      AxisPart next = part;
      next.first += at * inner;
      next.call.first_output += static_cast<std::uint32_t>(at * outer.output_step);
      next.call.first_index += static_cast<std::uint64_t>(at * outer.index_step);
      divide(std::move(some), next);
    }
  }

  std::vector<AxisPart> take() { return std::move(parts_); }

 private:
  std::int64_t most_;
  std::vector<AxisPart> parts_;
};

}  // namespace

std::vector<AxisPart> parts_of(const plan::AxisPiece& piece, std::int64_t max_elements) {
  Levels levels = piece.levels;
  std::erase_if(levels, [](const plan::AxisLevel& level) { return level.extent == 1; });
  if (elements_of(levels) == 0) return {};
  AxisPart whole;
  whole.call.first_index = static_cast<std::uint64_t>(piece.first_index);
  Divider divider(max_elements);
  divider.divide(std::move(levels), whole);
  return divider.take();
}

void assign_threads(kernels::TsAxis& call, std::int64_t max_splits) {
  call.lanes = call.joins = 1;
  const bool terms_in_a_row =
      call.reduced_levels > 0 && call.reduced[call.reduced_levels - 1].stride == 1;
  if (terms_in_a_row) {
    const std::uint32_t row = call.reduced[call.reduced_levels - 1].extent;
    for (; call.lanes < TS_REDUCE_BLOCK && kMinTerms * call.lanes <= row; call.lanes *= 2) {
      ++call.joins;
    }
  }
  const std::int64_t threads = std::int64_t{call.outputs} * call.lanes;
  const std::int64_t requested =
      std::min(std::int64_t{call.terms} / (kMinTerms * call.lanes), kMaxThreads / threads);
  call.splits = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(requested, 1, std::max<std::int64_t>(1, max_splits)));
}

}  // namespace tessera::device::gpu
