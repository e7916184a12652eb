#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "report/bench_printers.hpp"
#include "report/table_parts.hpp"

namespace tessera::report {

namespace {

constexpr std::size_t kDeviceWidth = 16;

using Text = std::back_insert_iterator<std::string>;

std::string device_cell(const std::string& name) {
  return fmt::format("{:<{}}", cut(name, kDeviceWidth), kDeviceWidth);
}

void print_devices(Text out, const BenchReport& bench) {
  fmt::format_to(out, "device            lanes  what it is\n");
  for (const BenchDevice& device : bench.devices) {
    std::string detail = device.detail;
    if (!device.driver.empty()) detail += ", " + device.driver;
    if (device.memory_bytes > 0) {
      detail += ", " + base::format_bytes(static_cast<double>(device.memory_bytes));
    }
    fmt::format_to(out, "{} {:>6}  {}\n", device_cell(device.name), device.lanes,
                   cut(detail, kWidth - kDeviceWidth - 9));
  }
}

void print_render(Text out, const BenchReport& bench, const RenderCase& render) {
  const auto ratio = ratio_to_baseline(bench, render);
  fmt::format_to(out, "{:>15}  {} {:>10} {:>11} {:>10} {:>13} {:>12}\n",
                 fmt::format("{0} x {0}", render.side_px), device_cell(render.device),
                 format_call(render.times.first_s), format_call(render.times.median_s()),
                 base::format_count(render.pixels_per_s()),
                 base::format_count(render.iterations_per_s()),
                 ratio ? fmt::format("{:.3g} x", *ratio) : "-");
}

std::string square_or_never(const std::optional<std::int64_t>& side_px) {
  return side_px ? fmt::format("from {0} x {0} on", *side_px) : "at no size measured";
}

bool rendered(const BenchReport& bench, const std::string& device, std::uint32_t iterations) {
  return std::ranges::any_of(bench.renders, [&](const RenderCase& render) {
    return render.device == device && render.iterations == iterations;
  });
}

void print_pays(Text out, const BenchReport& bench, std::uint32_t iterations) {
  const BenchDevice* const cpu = baseline(bench);
  if (cpu == nullptr) return;
  for (const BenchDevice& device : bench.devices) {
    if (&device == cpu || !rendered(bench, device.name, iterations)) continue;
    const auto later = pays_from(bench, device.name, iterations, Calls::later);
    const auto first = pays_from(bench, device.name, iterations, Calls::first);
    fmt::format_to(out, "{}{} is ", device.is_gpu ? "the GPU " : "", cut(device.name, 12));
    if (later || first) {
      fmt::format_to(out, "faster {}; first call: {}\n", square_or_never(later),
                     square_or_never(first));
    } else {
      fmt::format_to(out, "slower than {} at every size measured\n", cut(cpu->name, 12));
    }
  }
}

void print_renders(Text out, const BenchReport& bench, std::uint32_t iterations) {
  fmt::format_to(out, "\nMandelbrot, {}\n", base::count_of(iterations, "iteration"));
  fmt::format_to(out, "{:>15}  {:<{}} {:>10} {:>11} {:>10} {:>13} {:>12}\n", "pixels", "device",
                 kDeviceWidth, "first call", "later calls", "pixels/s", "iterations/s",
                 "against cpu");
  for (const std::int64_t side_px : sides_of(bench)) {
    for (const BenchDevice& device : bench.devices) {
      const RenderCase* const render = find_render(bench, device.name, side_px, iterations);
      if (render != nullptr) print_render(out, bench, *render);
    }
  }
  print_pays(out, bench, iterations);
}

void print_arrays(Text out, const BenchReport& bench, ArrayWork work) {
  fmt::format_to(out, "\n{}, arrays of f64\n", title_of(work));
  fmt::format_to(out, "{:>15}  {:<{}} {:>10} {:>11} {:>10}\n", "elements", "device", kDeviceWidth,
                 "first call", "later calls", "GB/s");
  for (const std::uint64_t elements : elements_of(bench)) {
    for (const ArrayCase& array : bench.arrays) {
      if (array.work != work || array.elements != elements) continue;
      fmt::format_to(out, "{:>15}  {} {:>10} {:>11} {:>10}\n", elements, device_cell(array.device),
                     format_call(array.times.first_s), format_call(array.times.median_s()),
                     fmt::format("{:.3g}", array.bytes_per_s() * 1e-9));
    }
  }
}

}  // namespace

std::string format_call(double seconds) {
  const bool micro = seconds < 999.5e-6;
  const bool milli = seconds < 999.5e-3;
  const double value = seconds * (micro ? 1e6 : milli ? 1e3 : 1);
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, micro ? "us" : milli ? "ms" : "s");
}

std::string to_table(const BenchReport& bench) {
  std::string text;
  const Text out = std::back_inserter(text);
  fmt::format_to(out, "{}\n\n",
                 cut(fmt::format("tessera bench {} on {}", bench.version, bench.host), kWidth));
  print_devices(out, bench);
  for (const std::uint32_t iterations : iterations_of(bench)) {
    print_renders(out, bench, iterations);
  }
  if (!bench.arrays.empty()) {
    for (const ArrayWork work : kArrayWork) print_arrays(out, bench, work);
  }
  fmt::format_to(out, "\nlater calls: their median. wall time {}\n",
                 base::format_seconds(bench.wall_s));
  for (const std::string& reason : bench.left_out) fmt::format_to(out, "left out: {}\n", reason);
  for (const std::string& problem : bench.problems) fmt::format_to(out, "WRONG: {}\n", problem);
  return text;
}

}  // namespace tessera::report
