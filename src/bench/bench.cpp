#include "bench/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/run.hpp"
#include "base/text.hpp"
#include "bench/array_bench.hpp"
#include "bench/bench_calls.hpp"
#include "bench/bench_devices.hpp"
#include "bench/bench_lanes.hpp"
#include "bench/time_budget.hpp"
#include "job/memory.hpp"
#include "job/standard_output.hpp"
#include "store/outputs.hpp"

namespace tessera::bench {
namespace {

report::BenchDevice describe(const BenchLanes& lanes) {
  const device::DeviceInfo& info = lanes.device().info();
  return {info.name, info.detail, info.driver, info.is_gpu, lanes.count(), info.memory_bytes};
}

/// The reason why arrays of that many elements do not fit; "" if they do.
std::string no_room(const job::BenchJob& job, const report::BenchDevice& device,
                    std::uint64_t elements) {
  constexpr std::uint64_t kArrays = 3;  // on the device; plus one on the host
  const std::uint64_t array = elements * sizeof(double);
  const bool own_memory = device.is_gpu && device.memory_bytes > 0;
  const std::uint64_t limit = job.device_memory_bytes;
  const std::uint64_t host = job::kProgramBytes + array * (own_memory ? 1 : kArrays + 1);
  const auto compare = [](std::uint64_t needed, std::uint64_t there) {
    return base::format_different_bytes(static_cast<double>(needed), static_cast<double>(there));
  };
  if (host > job.memory_bytes) {
    const auto [needed, given] = compare(host, job.memory_bytes);
    return fmt::format("they need {} of the host's memory, more than --memory {}", needed, given);
  }
  if (limit != 0 && device.is_gpu && array * kArrays > limit) {
    const auto [needed, given] = compare(array * kArrays, limit);
    return fmt::format("they need {} of the device's memory, more than --device-memory {}", needed,
                       given);
  }
  // An eighth is left for the driver, the program, and other users of the device.
  if (own_memory && array * kArrays > device.memory_bytes / 8 * 7) {
    const auto [needed, there] = compare(array * kArrays, device.memory_bytes);
    return fmt::format("they need {} of the device's {}", needed, there);
  }
  return "";
}

class Bench {
 public:
  Bench(const job::BenchJob& job, const device::Placement& placement)
      : job_(job),
        placement_(placement),
        status_(base::status_line(job.quiet)),
        budget_(job.within_s) {}

  report::BenchReport run() {
    open_all();
    budget_.set_parts(2 * static_cast<int>(report_.devices.size()));
    if (budget_.limited() && !job_.quiet) {
      base::log("bench: takes up to {}; --within sets the limit",
                base::format_seconds(job_.within_s));
    }
    for (const report::BenchDevice& device : report_.devices) {
      attempt(device, [&] { measure_pictures(device.name); });
      opened_.erase(device.name);
      attempt(device, [&] { measure_all_arrays(device); });
    }
    for (std::string& problem : report::find_disagreement(report_.renders)) {
      report_.problems.push_back(std::move(problem));
    }
    return std::move(report_);
  }

 private:
  void open_all() {
    std::uint64_t left = job_.memory_bytes - std::min(job_.memory_bytes, job::kProgramBytes);
    for (const std::string& name : devices_to_compare(job_.device, placement_, report_.left_out)) {
      status_->show("bench: opening " + name);
      try {
        auto lanes = std::make_unique<BenchLanes>(name, placement_, left);
        left -= lanes->memory_bytes();
        const report::BenchDevice device = describe(*lanes);
        if (!opened_.try_emplace(device.name, std::move(lanes)).second) {
          throw base::usage_error("--device {}: '{}' is '{}' again; once is enough", job_.device,
                                  name, device.name);
        }
        report_.devices.push_back(device);
      } catch (const device::DeviceError& error) {
        if (job_.device != kEveryDevice) throw;
        report_.left_out.push_back(fmt::format("{}: {}", name, error.what()));
      }
    }
  }

  /// If this device fails, the others are still measured.
  template <class Work>
  void attempt(const report::BenchDevice& device, const Work& work) {
    try {
      work();
    } catch (const device::DeviceError& error) {
      report_.problems.push_back(fmt::format("{} failed: {}", device.name, error.what()));
    }
  }

  void measure_pictures(const std::string& name) {
    budget_.begin_part(static_cast<int>(job_.iterations.size() * job_.sides_px.size()));
    for (const std::int64_t iterations : job_.iterations) {
      const report::RenderCase* smaller = nullptr;
      for (const std::int64_t side_px : job_.sides_px) {
        const double predicted_s = smaller == nullptr ? 0 : predict_s(*smaller, side_px);
        const std::string what = fmt::format("{0}, {1} x {1} pixels, {2}", name, side_px,
                                             base::count_of(iterations, "iteration"));
        if (!budget_.allows(predicted_s)) {
          leave_out(what, predicted_s);
          break;
        }
        show(what);
        const job::ImageSpec image{.size_px = {side_px, side_px},
                                   .iterations = static_cast<std::uint64_t>(iterations)};
        measure_picture(name, image);
        smaller = &report_.renders.back();
      }
    }
  }

  /// The seconds of opening, a first and a second call, by those for a smaller picture.
  static double predict_s(const report::RenderCase& smaller, std::int64_t side_px) {
    const double sides = static_cast<double>(side_px) / static_cast<double>(smaller.side_px);
    return smaller.times.first_s + 2 * smaller.times.median_s() * sides * sides;
  }

  void leave_out(const std::string& what, double predicted_s) {
    report_.left_out.push_back(
        fmt::format("{}, and more: another {}; --within 0 measures everything", what,
                    base::format_seconds(predicted_s)));
  }

  void show(const std::string& what) {
    status_->show(fmt::format(
        "bench: {}{}", what,
        budget_.limited() ? fmt::format(", up to {} left", base::format_seconds(budget_.left_s()))
                          : ""));
  }

  Repeats repeats() const { return {job_.repeats, budget_.repeats_s()}; }

  void measure_picture(const std::string& name, const job::ImageSpec& image) {
    // The first picture uses the device that open_all() opened; each other picture opens it again.
    std::unique_ptr<BenchLanes> lanes = std::move(opened_[name]);
    if (!lanes) lanes = std::make_unique<BenchLanes>(name, placement_, job_.memory_bytes);
    report::RenderCase render{
        .device = name, .side_px = image.size_px.width, .iterations = image.short_iterations()};
    bool first = true;
    bool same = true;
    render.times = time_calls(lanes->open_s(), repeats(), [&] {
      const PictureSums sums = lanes->render(image, first);
      if (first) render.checksum = sums.checksum;
      if (first) render.iterations_done = sums.iterations;
      same = same && sums.iterations == render.iterations_done;
      first = false;
    });
    if (!same) {
      report_.problems.push_back(
          fmt::format("{0} counts differently from call to call: {1} x {1} pixels, {2}", name,
                      render.side_px, base::count_of(render.iterations, "iteration")));
    }
    report_.renders.push_back(std::move(render));
  }

  void measure_all_arrays(const report::BenchDevice& device) {
    if (job_.elements.empty()) return;
    const std::unique_ptr<device::BenchArrays> bench_arrays =
        device::open_bench_arrays(device.name, placement_);
    if (!bench_arrays) {
      report_.left_out.push_back(device.name + ": has no arrays to measure");
      return;
    }
    budget_.begin_part(static_cast<int>(job_.elements.size() * report::kArrayWork.size()));
    std::pair<std::uint64_t, double> before{1, 0};  // elements, and the seconds for them
    for (const std::int64_t count : job_.elements) {
      const auto elements = static_cast<std::uint64_t>(count);
      if (const std::string reason = no_room(job_, device, elements); !reason.empty()) {
        report_.left_out.push_back(fmt::format("{}: arrays of {}: {}", device.name,
                                               base::count_of(count, "element"), reason));
        continue;
      }
      const double predicted_s =
          before.second * static_cast<double>(elements) / static_cast<double>(before.first);
      if (!budget_.allows(predicted_s)) {
        leave_out(fmt::format("{}, arrays of {}", device.name, base::count_of(count, "element")),
                  predicted_s);
        break;
      }
      show(fmt::format("{}, arrays of {}", device.name, base::count_of(count, "element")));
      try {
        bench_arrays->resize(elements);
      } catch (const device::DeviceError& error) {
        report_.left_out.push_back(fmt::format("{}: arrays of {} and more: {}", device.name,
                                               base::count_of(count, "element"), error.what()));
        return;
      }
      const auto begun = base::Clock::now();
      measure_arrays(*bench_arrays, device.name, repeats(), report_);
      before = {elements, base::seconds_between(begun, base::Clock::now())};
    }
  }

  const job::BenchJob& job_;
  device::Placement placement_;
  std::unique_ptr<base::StatusLine> status_;
  TimeBudget budget_;
  report::BenchReport report_;
  std::map<std::string, std::unique_ptr<BenchLanes>> opened_;
};

}  // namespace

void check_bench_job(const job::BenchJob& job) {
  if (job.sides_px.empty() && job.elements.empty()) {
    throw base::usage_error("--sizes and --elements: both are empty; nothing is left to measure");
  }
  if (job.iterations.empty()) {
    throw base::usage_error("--iterations: names no number; leave it out for 50,1000");
  }
  job::check_standard_output(job, {{"--plot", job.plot}});
  store::check_distinct({{"--report", job.report}, {"--plot", job.plot}});
  store::check_text_outputs(
      {{"--report", job.report, base::kReport}, {"--plot", job.plot, base::kPlot}});
}

report::BenchReport run_bench(const job::BenchJob& job, const device::Placement& placement) {
  return Bench(job, placement).run();
}

}  // namespace tessera::bench
