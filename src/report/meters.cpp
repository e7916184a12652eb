#include "report/meters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace tessera::report {
namespace {

/// Counters of energy move in steps of up to 0.1 s.
constexpr double kRateSeconds = 0.2;

}  // namespace

std::string format_joules(double joules) {
  return joules < 1000 ? fmt::format("{:.3g} J", joules) : base::format_count(joules) + "J";
}

void MeterLog::add(double time_s, base::Reading reading) {
  note_energy(time_s, reading);
  bool any = false;
  for (std::size_t i = 0; i < reading.now.size(); ++i) {
    const double value = reading.now[i];
    if (!base::is_told(value)) continue;
    most_[i] = count_[i] == 0 ? value : std::max(most_[i], value);
    sum_[i] += value;
    ++count_[i];
    any = true;
  }
  if (any) keep_sample(time_s, reading.now);
}

void MeterLog::note_energy(double time_s, base::Reading& reading) {
  const double now_j = reading.energy_j;
  if (!base::is_told(now_j)) return;
  if (!base::is_told(first_j_)) {
    first_s_ = rated_s_ = time_s;
    first_j_ = rated_j_ = now_j;
  }
  turned_back_ = turned_back_ || now_j < last_j_;
  last_s_ = time_s;
  last_j_ = now_j;
  if (time_s - rated_s_ < kRateSeconds) return;
  double& power_w = reading[base::Measure::power];
  if (!base::is_told(power_w) && !turned_back_) power_w = (now_j - rated_j_) / (time_s - rated_s_);
  rated_s_ = time_s;
  rated_j_ = now_j;
}

void MeterLog::keep_sample(double time_s, const base::Measures& now) {
  if (!samples_.empty() && time_s - samples_.back().time_s < step_s_) return;
  samples_.push_back({time_s, now});
  if (samples_.size() < kMaxSamples) return;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < samples_.size(); i += 2) samples_[kept++] = samples_[i];
  samples_.resize(kept);
  step_s_ =
      2 * (samples_.back().time_s - samples_.front().time_s) / static_cast<double>(kMaxSamples);
}

double MeterLog::power_w() const {
  return samples_.empty() ? base::kNotTold
                          : samples_.back().now[static_cast<std::size_t>(base::Measure::power)];
}

/// A counter that did not move between two readings has told nothing yet.
MeterReport MeterLog::report() const {
  MeterReport report{.device = device_, .address = address_, .samples = samples_};
  if (!turned_back_ && last_j_ > first_j_) {
    report.energy_j = last_j_ - first_j_;
    report.measured_s = last_s_ - first_s_;
  }
  for (std::size_t i = 0; i < count_.size(); ++i) {
    const bool told = count_[i] > 0;
    report.mean[i] = told ? sum_[i] / static_cast<double>(count_[i]) : base::kNotTold;
    report.most[i] = told ? most_[i] : base::kNotTold;
  }
  if (report.measured_s > 0) {
    constexpr auto kPower = static_cast<std::size_t>(base::Measure::power);
    report.mean[kPower] = report.energy_j / report.measured_s;
    if (report.most[kPower] < report.mean[kPower]) report.most[kPower] = report.mean[kPower];
  }
  return report;
}

}  // namespace tessera::report
