// Energy, power, temperature, clock, use and memory of the hardware of a run. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/meter.hpp"

namespace tessera::report {

struct MeterSample {
  double time_s = 0;
  base::Measures now{};
};

/// What a GPU, or the cores of a host, told while a rank had it. Numbers that are not known are
/// base::kNotTold.
struct MeterReport {
  std::string device;   ///< "cores" or the name of the GPU
  std::string address;  ///< PCI address of the GPU, by which ranks that share it know; "" of cores
  double measured_s = 0;  ///< time to which the energy belongs
  double energy_j = base::kNotTold;
  base::Measures mean{}, most{};
  std::vector<MeterSample> samples;  ///< for a trace

  bool of_cores() const { return address.empty(); }
  double operator[](base::Measure measure) const { return mean[static_cast<std::size_t>(measure)]; }

  static auto members(auto& self) {
    return std::tie(self.device, self.address, self.measured_s, self.energy_j, self.mean, self.most,
                    self.samples);
  }
};

/// "0.35 J", "1.23 kJ"
std::string format_joules(double joules);

/// Makes a MeterReport of readings.
class MeterLog {
 public:
  MeterLog(std::string device, std::string address)
      : device_(std::move(device)), address_(std::move(address)) {}

  /// A reading at a time since the start of the run; times ascend. Where only energy is told, power
  /// is its rate.
  void add(double time_s, base::Reading reading);
  bool has_told() const { return base::is_told(first_j_) || !samples_.empty(); }
  /// The last power that was told.
  double power_w() const;
  MeterReport report() const;

  /// Every second sample goes when there are as many.
  // crossed by: DropsEverySecondSampleOfALongRun
  static constexpr std::size_t kMaxSamples = 1024;

 private:
  void note_energy(double time_s, base::Reading& reading);
  void keep_sample(double time_s, const base::Measures& now);

  std::string device_, address_;
  double first_s_ = 0, last_s_ = 0, first_j_ = base::kNotTold, last_j_ = base::kNotTold;
  double rated_s_ = 0, rated_j_ = 0;  ///< where the last rate ends
  bool turned_back_ = false;          ///< the energy became less
  base::Measures sum_{}, most_{};
  std::array<std::size_t, base::kMeasures.size()> count_{};
  std::vector<MeterSample> samples_;
  double step_s_ = 0;  ///< least time between two samples
};

}  // namespace tessera::report
