#include "report/bench_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"

namespace tessera::report {

namespace {

double per_second(double count, double seconds) {
  return seconds > 0 ? count / seconds : 0;
}

double time_of(const RenderCase& render, Calls calls) {
  return calls == Calls::first ? render.times.first_s : render.times.median_s();
}

template <class Case, class Value>
std::vector<Value> values_of(const std::vector<Case>& cases, Value Case::*member) {
  std::set<Value> values;
  for (const Case& one : cases) values.insert(one.*member);
  return {values.begin(), values.end()};
}

}  // namespace

double CallTimes::median_s() const {
  if (later_s.empty()) return 0;
  std::vector<double> sorted = later_s;
  std::ranges::sort(sorted);
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double RenderCase::pixels_per_s() const {
  const auto side = static_cast<double>(side_px);
  return per_second(side * side, times.median_s());
}

double RenderCase::iterations_per_s() const {
  return per_second(static_cast<double>(iterations_done), times.median_s());
}

std::string_view key_of(ArrayWork work) {
  constexpr std::array<std::string_view, 4> kKeys = {"add", "sum", "copy_to_device",
                                                     "copy_from_device"};
  return kKeys[static_cast<std::size_t>(work)];
}

std::string_view title_of(ArrayWork work) {
  constexpr std::array<std::string_view, 4> kTitles = {"vector add", "sum", "copy to the device",
                                                       "copy from the device"};
  return kTitles[static_cast<std::size_t>(work)];
}

std::uint64_t ArrayCase::bytes() const {
  return elements * sizeof(double) * (work == ArrayWork::add ? 3 : 1);
}

double ArrayCase::bytes_per_s() const {
  return per_second(static_cast<double>(bytes()), times.median_s());
}

const BenchDevice* baseline(const BenchReport& bench) {
  const auto cpu = std::ranges::find_if(bench.devices, [](const BenchDevice& device) {
    return device.name == "cpu" || device.name.starts_with("cpu:");
  });
  return cpu == bench.devices.end() ? nullptr : &*cpu;
}

const RenderCase* find_render(const BenchReport& bench, std::string_view device,
                              std::int64_t side_px, std::uint32_t iterations) {
  const auto found = std::ranges::find_if(bench.renders, [&](const RenderCase& render) {
    return render.device == device && render.side_px == side_px && render.iterations == iterations;
  });
  return found == bench.renders.end() ? nullptr : &*found;
}

std::vector<std::int64_t> sides_of(const BenchReport& bench) {
  return values_of(bench.renders, &RenderCase::side_px);
}

std::vector<std::uint32_t> iterations_of(const BenchReport& bench) {
  return values_of(bench.renders, &RenderCase::iterations);
}

std::vector<std::uint64_t> elements_of(const BenchReport& bench) {
  return values_of(bench.arrays, &ArrayCase::elements);
}

std::optional<double> ratio_to_baseline(const BenchReport& bench, const RenderCase& render) {
  const BenchDevice* const cpu = baseline(bench);
  if (cpu == nullptr) return {};
  const RenderCase* const other = find_render(bench, cpu->name, render.side_px, render.iterations);
  if (other == nullptr || render.times.median_s() <= 0) return {};
  return other->times.median_s() / render.times.median_s();
}

std::optional<std::int64_t> pays_from(const BenchReport& bench, std::string_view device,
                                      std::uint32_t iterations, Calls calls) {
  const BenchDevice* const cpu = baseline(bench);
  if (cpu == nullptr) return {};
  std::optional<std::int64_t> from;
  for (const std::int64_t side_px : sides_of(bench)) {
    const RenderCase* const mine = find_render(bench, device, side_px, iterations);
    const RenderCase* const other = find_render(bench, cpu->name, side_px, iterations);
    if (mine == nullptr || other == nullptr) continue;
    const bool faster = time_of(*mine, calls) < time_of(*other, calls);
    from = faster ? std::optional(from.value_or(side_px)) : std::nullopt;
  }
  return from;
}

std::vector<std::string> find_disagreement(const std::vector<RenderCase>& renders) {
  std::vector<std::string> problems;
  for (auto one = renders.begin(); one != renders.end(); ++one) {
    const auto first = std::ranges::find_if(renders, [&](const RenderCase& other) {
      return other.side_px == one->side_px && other.iterations == one->iterations;
    });
    if (one->checksum == first->checksum && one->iterations_done == first->iterations_done) {
      continue;
    }
    problems.push_back(fmt::format(
        "{0} and {1} disagree about {2} x {2} pixels of {3}: checksums {4:016x}, "
        "{5:016x}, sums of the counts {6}, {7}",
        first->device, one->device, one->side_px, base::count_of(one->iterations, "iteration"),
        first->checksum, one->checksum, first->iterations_done, one->iterations_done));
  }
  return problems;
}

}  // namespace tessera::report
