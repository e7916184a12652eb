#include "bench/device_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "bench/array_bench.hpp"
#include "bench/bench_calls.hpp"
#include "bench/bench_lanes.hpp"

namespace tessera::bench {
namespace {

using report::DeviceCheck;

struct Picture {
  const char* name;
  job::ImageSpec image;
};

/// Small pictures that between them take every kind of kernel for pixels.
std::vector<Picture> pictures() {
  const auto of_view = [](double re, double im, double width) {
    return job::ImageSpec{
        .center_re = re, .center_im = im, .width = width, .size_px = {96, 64}, .iterations = 2000};
  };
  job::ImageSpec deep{.size_px = {48, 32},
                      .iterations = 14000,
                      .arithmetic = job::Arithmetic::perturbation,
                      .place = {.center_re = "-0.743643887037151",
                                .center_im = "0.131825904205330",
                                .width = "3.85e-11"}};
  job::ImageSpec ship = of_view(-1.755, 0.03, 0.1);
  ship.formula = job::parse_formula("burning-ship", "formula");
  return {{"the whole set", of_view(-0.75, 0, 3.5)},
          {"seahorse valley", of_view(-0.7453, 0.1127, 0.0065)},
          {"the Burning Ship", ship},
          {"a picture by perturbation", deep}};
}

/// All fields, in the order of job::kFields.
using Pixels = std::vector<std::vector<std::byte>>;

Pixels rendered(const device::Device& device, const job::ImageSpec& image) {
  const base::PixelRect whole{0, 0, image.size_px.width, image.size_px.height};
  const auto pixels = static_cast<std::size_t>(whole.pixels());
  Pixels result;
  device::BlockBuffers out{.stride_px = whole.width};
  for (const job::Field field : job::kFields) {
    result.emplace_back(pixels * base::element_bytes(job::field_type(image, field)));
    out.set(field, result.back().data());
  }
  device.open_lane({})->render(image, whole, out);
  return result;
}

void compare_pictures(const device::Device& device, const device::Placement& placement,
                      DeviceCheck& check) {
  const auto reference = std::move(device::open_devices("reference", placement).front());
  for (const Picture& picture : pictures()) {
    ++check.compared;
    if (rendered(device, picture.image) == rendered(*reference, picture.image)) continue;
    check.problems.push_back(
        fmt::format("its pixels of {} are not those of the reference", picture.name));
  }
}

/// Iterations of pixels within the set until a picture takes long enough to be timed.
double iterations_per_s(const std::string& name, const device::Placement& placement) {
  constexpr double kLongEnough = 0.05;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 24;
  BenchLanes lanes(name, placement, ~std::uint64_t{0}, {.shortcuts = false});
  job::ImageSpec image{.center_re = -0.1, .width = 0.1, .size_px = {2048, 2048}, .iterations = 16};
  lanes.render(image, false);  // compiles the kernel
  double best = 0;
  double taken_s = 0;
  for (; taken_s < kLongEnough && image.iterations <= kMost; image.iterations *= 4) {
    PictureSums sums;
    taken_s = seconds_of([&] { sums = lanes.render(image, false); });
    best = std::max(best, static_cast<double>(sums.iterations) / taken_s);
  }
  return best;
}

void measure_copies(const std::string& name, const device::Placement& placement, bool is_gpu,
                    DeviceCheck& check) {
  // So many that a launch takes little of the time.
  const std::size_t elements = std::size_t{1} << (is_gpu ? 25 : 22);
  const auto arrays = device::open_bench_arrays(name, placement);
  if (!arrays) return;
  arrays->resize(elements);
  report::BenchReport bench;
  measure_arrays(*arrays, name, {.most = 5, .max_s = 0.3}, bench);
  check.compared += static_cast<int>(bench.arrays.size()) - 1;  // a copy there and back is one
  for (const report::ArrayCase& measured : bench.arrays) {
    const double rate = measured.bytes_per_s();
    if (measured.work == report::ArrayWork::add) check.memory_bytes_per_s = rate;
    if (!is_gpu) continue;
    if (measured.work == report::ArrayWork::to_device) check.to_device_bytes_per_s = rate;
    if (measured.work == report::ArrayWork::from_device) check.from_device_bytes_per_s = rate;
  }
  for (std::string& problem : bench.problems) check.problems.push_back(std::move(problem));
}

/// What is slow, and what to do about it.
void advise(bool is_gpu, DeviceCheck& check) {
  constexpr double kSlowOpening = 1.5;
  constexpr double kSlowCopies = 5e9;
  constexpr double kFewF64 = 2e11;
  if (!is_gpu) return;
  if (check.open_s > kSlowOpening) {
    check.advice.push_back(
        "the driver takes long to open it; on an NVIDIA GPU, start nvidia-persistenced");
  }
  const double copies = std::min(check.to_device_bytes_per_s, check.from_device_bytes_per_s);
  if (copies > 0 && copies < kSlowCopies) {
    check.advice.push_back(
        "copies are slow; is it in a slot of 16 lanes, and the rank on cores near it "
        "(mpirun --bind-to numa)?");
  }
  if (check.iterations_per_s > 0 && check.iterations_per_s < kFewF64) {
    check.advice.push_back(
        "it has few units for f64, so the cores may be as fast; tessera bench compares them");
  }
}

}  // namespace

DeviceCheck check_device(const std::string& name, const device::Placement& placement) {
  const auto start = base::Clock::now();
  DeviceCheck check{.made = true};
  try {
    const auto device = std::move(device::open_devices(name, placement).front());
    check.open_s = base::seconds_between(start, base::Clock::now());
    compare_pictures(*device, placement, check);
    check.iterations_per_s = iterations_per_s(name, placement);
    measure_copies(name, placement, device->info().is_gpu, check);
    advise(device->info().is_gpu, check);
  } catch (const device::DeviceError& error) {
    check.problems.push_back(fmt::format("it failed: {}", error.what()));
  } catch (const base::Error& error) {
    check.problems.push_back(error.what());
  }
  check.wall_s = base::seconds_between(start, base::Clock::now());
  return check;
}

}  // namespace tessera::bench
