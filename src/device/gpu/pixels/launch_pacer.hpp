// Limits the size of a launch. A display GPU kills kernels after some seconds, and a long kernel
// delays the screen and every other stream.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/geometry.hpp"
#include "kernels/pixel/tile.hpp"

namespace tessera::device::gpu {

/// The speeds that decide how many steps a launch takes of each orbit. Pure.
struct CutSpeeds {
  static constexpr double kLongestSeconds = 0.1;  ///< half of the design limit
  static constexpr std::uint32_t kBlock = 16;     ///< iterations between two tests
  /// No GPU with fp64 is slower; a lower value means a disturbance.
  static constexpr double kSlowest = 1e8;
  static constexpr double kSlowestOrbit = 1e5;

  double together = 0;  ///< steps of all orbits in a second
  double of_one = 0;    ///< steps of a single orbit

  /// Iterations of each of `pixels` pixels in the next launch, a multiple of kBlock. Few pixels are
  /// limited by the speed of one orbit, many by that of the device.
  std::uint32_t cut(std::uint64_t pixels) const {
    const double each = together / static_cast<double>(pixels);
    const double fitting = std::min(each, of_one) * kLongestSeconds;
    const auto blocks = static_cast<std::uint32_t>(std::min(fitting, 0x1p31) / kBlock);
    return std::max(blocks, 1U) * kBlock;
  }

  /// Notes that a launch executed `steps`, at most `cut` for a pixel. `full`: a pixel took them
  /// all.
  void learn(std::uint64_t steps, std::uint32_t cut, bool full, double elapsed_s) {
    if (elapsed_s <= 0) return;
    if (elapsed_s > 2 * kLongestSeconds) {
      together = std::max(together / 2, kSlowest);
      of_one = std::min(of_one, std::max(of_one / 2, kSlowestOrbit));
      return;
    }
    together = std::max(together, static_cast<double>(steps) / elapsed_s);
    if (full) of_one = std::max(of_one, cut / elapsed_s);
  }
};

/// Keeps launches below kLongestSeconds even if no pixel escapes: starts with small launches, grows
/// them with the measured speed, and shrinks them if one took too long. Orbits of more than
/// kWholeOrbit iterations are cut: each launch then takes so many iterations of each pixel that it
/// stays as short. Shared by threads.
class LaunchPacer {
 public:
  static constexpr double kLongestSeconds = CutSpeeds::kLongestSeconds;
  /// Initial speeds: of a GPU with little fp64, and of a CPU, which has no watchdog.
  static constexpr double kGpuStepsPerSecond = 2e10;
  static constexpr double kCpuStepsPerSecond = 1e15;
  /// Iterations that every GPU with fp64 takes of a few orbits in less than kLongestSeconds.
  // crossed by: of_orbits_that_are_cut
  static constexpr std::uint32_t kWholeOrbit = std::uint32_t{1} << 20;

  /// Initial speeds of a GPU for steps of deep pixels, which wait for memory.
  static constexpr double kDeepStepsPerSecond = 1e9;
  static constexpr double kDeepOrbitStepsPerSecond = 2e4;
  /// The same in 106 bits.
  static constexpr double kPreciseStepsPerSecond = 1e8;
  static constexpr double kPreciseOrbitStepsPerSecond = 2e3;
  /// Initial speed for steps of exact images in 106 bits.
  static constexpr double kOpenStepsPerSecond = 1e9;
  /// As for deep pixels, with 190 bits.
  static constexpr double kWideStepsPerSecond = 1e7;
  static constexpr double kWideOrbitStepsPerSecond = 1e3;

  explicit LaunchPacer(double steps_per_s = kGpuStepsPerSecond, double orbit_steps_per_s = 1e7)
      : steps_per_s_(steps_per_s),
        cut_steps_per_s_(std::min(steps_per_s, kGpuStepsPerSecond)),
        orbit_steps_per_s_(orbit_steps_per_s) {}

  /// Whether a pixel of so many iterations needs several launches.
  static bool cuts(std::uint32_t iterations) { return iterations > kWholeOrbit; }

  CutSpeeds cut_speeds() const { return {cut_steps_per_s_, orbit_steps_per_s_}; }
  /// As CutSpeeds has them.
  std::uint32_t cut(std::uint64_t pixels) const { return cut_speeds().cut(pixels); }
  void learn_cut(std::uint64_t steps, std::uint32_t cut, bool full, double elapsed_s) {
    const CutSpeeds before = cut_speeds();
    CutSpeeds after = before;
    after.learn(steps, cut, full, elapsed_s);
    learn_cut(before, after);
  }
  /// Notes what launches have changed `before` to.
  void learn_cut(const CutSpeeds& before, const CutSpeeds& after) {
    follow(before.together, after.together, cut_steps_per_s_);
    follow(before.of_one, after.of_one, orbit_steps_per_s_);
  }

  /// Pixels of the next launch, if one takes at most `iterations` steps.
  std::int64_t launch_pixels(std::uint32_t iterations) const {
    const double fitting = steps_per_s_ * kLongestSeconds / static_cast<double>(iterations);
    return static_cast<std::int64_t>(std::min(fitting, 1e18));
  }
  /// Columns and rows of the next launch within a band of `size`, if a pixel takes at most
  /// `iterations` steps: whole rows if possible, otherwise whole blocks of pixels.
  base::ImageSize launch_px(const base::ImageSize& size, std::uint32_t iterations) const {
    const std::int64_t pixels = launch_pixels(iterations);
    const std::int64_t rows = pixels / size.width / kRows * kRows;
    if (rows > 0) return {size.width, std::min(rows, size.height)};
    const std::int64_t blocks = std::max(pixels / kRows / kColumns, std::int64_t{1});
    return {std::min(blocks * kColumns, size.width), std::min(kRows, size.height)};
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
  /// Other lanes may have raised it meanwhile.
  static void follow(double before, double after, std::atomic<double>& speed) {
    if (after > before) speed = std::max<double>(speed, after);
    if (after < before) speed = after;
  }

  static constexpr std::int64_t kColumns = TS_BLOCK_COLUMNS;
  static constexpr std::int64_t kRows = TS_BLOCK_ROWS;
  static constexpr double kSlowest = CutSpeeds::kSlowest;
  std::atomic<double> steps_per_s_;
  std::atomic<double> cut_steps_per_s_;
  std::atomic<double> orbit_steps_per_s_;  ///< speed of one orbit; initially that of a slow GPU
};

}  // namespace tessera::device::gpu
