// How large a launch may be. A display GPU kills kernels after some seconds, and a kernel that runs
// long holds up the screen and every other stream.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tessera::device::gpu {

/// Keeps launches under kLongestSeconds even if no pixel of them escapes: starts small, grows with
/// the speed that it sees, shrinks when a launch took too long. A row cannot be split: beyond about
/// 10^7 iterations it alone takes longer.
class LaunchPacer {
 public:
  static constexpr double kLongestSeconds = 0.1;  ///< half of what the design allows

  /// Rows of `width_px` pixels in a launch when a pixel may take `iterations` steps; at least 1.
  std::int64_t rows(std::int64_t width_px, std::uint32_t iterations) const {
    const double row_steps = static_cast<double>(width_px) * static_cast<double>(iterations);
    const double fitting = std::min(steps_per_s_ * kLongestSeconds / row_steps, 1e9);
    const auto rows = std::max<std::int64_t>(static_cast<std::int64_t>(fitting), 1);
    return rows < kGroupRows ? rows : rows / kGroupRows * kGroupRows;
  }

  /// `launches` one after another carried out `steps` within `elapsed_s`. A low speed alone says
  /// nothing: most of the time may be overhead, which smaller launches would only add to.
  void learn(std::uint64_t steps, std::int64_t launches, double elapsed_s) {
    if (elapsed_s <= 0) return;
    const double measured = static_cast<double>(steps) / elapsed_s;
    if (elapsed_s > 1.5 * kLongestSeconds * static_cast<double>(launches)) {
      steps_per_s_ = std::max(steps_per_s_ / 2, kSlowest);
    } else if (measured > steps_per_s_) {
      steps_per_s_ = std::min(measured, 4 * steps_per_s_);
    }
  }

 private:
  static constexpr std::int64_t kGroupRows = 8;
  static constexpr double kSlowest = 1e8;  ///< no GPU with fp64 is slower; one is only disturbed
  double steps_per_s_ = 1e9;
};

}  // namespace tessera::device::gpu
