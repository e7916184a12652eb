// Limits the size of a launch. A display GPU kills kernels after some seconds, and a long kernel
// delays the screen and every other stream.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/geometry.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::device::gpu {

/// Keeps launches below kLongestSeconds even if no pixel escapes: starts with small launches, grows
/// them with the measured speed, and shrinks them if one took too long. One orbit cannot be split:
/// beyond about 10^7 iterations a single pixel takes longer. Shared by threads.
class LaunchPacer {
 public:
  static constexpr double kLongestSeconds = 0.1;  ///< half of the design limit
  /// Initial speeds: of a GPU with little fp64, and of a CPU, which has no watchdog.
  static constexpr double kGpuStepsPerSecond = 2e10;
  static constexpr double kCpuStepsPerSecond = 1e15;

  explicit LaunchPacer(double steps_per_s = kGpuStepsPerSecond) : steps_per_s_(steps_per_s) {}

  /// Columns and rows of the next launch within a band of `size`, if a pixel takes at most
  /// `iterations` steps: whole rows if possible, otherwise whole groups of pixels.
  base::ImageSize launch_px(const base::ImageSize& size, std::uint32_t iterations) const {
    const double fitting = steps_per_s_ * kLongestSeconds / static_cast<double>(iterations);
    const auto pixels = static_cast<std::int64_t>(std::min(fitting, 1e18));
    const std::int64_t rows = pixels / size.width / kEdge * kEdge;
    if (rows > 0) return {size.width, std::min(rows, size.height)};
    const std::int64_t columns = std::max(pixels / kEdge / kEdge, std::int64_t{1}) * kEdge;
    return {std::min(columns, size.width), std::min(kEdge, size.height)};
  }

  /// Notes that a launch executed `steps` in `elapsed_s`. A low speed alone does not shrink the
  /// launches: most of the time may be overhead, which smaller launches would increase.
  void learn(std::uint64_t steps, double elapsed_s) {
    if (elapsed_s <= 0) return;
    const double known = steps_per_s_;
    const double measured = static_cast<double>(steps) / elapsed_s;
    if (elapsed_s > 2 * kLongestSeconds && known < kCpuStepsPerSecond) {
      steps_per_s_ = std::max(known / 2, kSlowest);
    } else if (measured > known) {
      steps_per_s_ = measured;
    }
  }

 private:
  static constexpr std::int64_t kEdge = TS_GROUP_EDGE;
  static constexpr double kSlowest = 1e8;  ///< no GPU with fp64 is slower; a lower value means a
                                           ///< disturbance
  std::atomic<double> steps_per_s_;
};

}  // namespace tessera::device::gpu
