#include "device/reference/reference.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "device/check_block.hpp"
#include "device/cpu_threads.hpp"
#include "kernels/scalar.hpp"

// std::fma is one instruction where the processor has it and a call of ten times the cost where the
// compiler may not assume so: compiled for both, chosen by the loader, the same bits by definition.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__FMA__) && !defined(TESSERA_SANITIZED)
#define TESSERA_WITH_AND_WITHOUT_FMA __attribute__((target_clones("fma", "default")))
#else
#define TESSERA_WITH_AND_WITHOUT_FMA
#endif

namespace tessera::device::reference {

namespace {

struct Pixel {
  std::uint32_t iterations = 0;
  float smooth = 0;
  std::uint64_t executed = 0;
};

/// The orbit of one pixel exactly as docs/numerics.md writes it.
TESSERA_WITH_AND_WITHOUT_FMA
Pixel compute_pixel(double c_re, double c_im, const job::ImageSpec& image, bool want_smooth) {
  const double bailout2 = image.bailout * image.bailout;
  const std::uint32_t limit = image.iterations;
  double x = 0;
  double y = 0;
  Pixel pixel{limit, static_cast<float>(limit), 0};
  const auto step = [&] {
    const double t = std::fma(-y, y, c_re);
    y = std::fma(x + x, y, c_im);
    x = std::fma(x, x, t);
    ++pixel.executed;
  };

  bool smooth_found = false;
  const auto look_for_smooth = [&](std::uint64_t m) {
    const double radius2 = std::fma(x, x, y * y);
    if (smooth_found || !(radius2 > 256.0 * 256.0)) return;
    smooth_found = true;
    pixel.smooth = static_cast<float>(kernels::ts_smooth(static_cast<double>(m), radius2));
  };

  for (std::uint32_t n = 0; n < limit; ++n) {
    if (want_smooth) look_for_smooth(n);
    if (std::fma(x, x, y * y) > bailout2) {
      pixel.iterations = n;
      for (std::uint64_t m = n; want_smooth && !smooth_found;) {
        step();
        look_for_smooth(++m);
      }
      return pixel;
    }
    step();
  }
  pixel.smooth = static_cast<float>(limit);
  return pixel;
}

class ReferenceLane : public Lane {
 public:
  BlockCounts render(const job::ImageSpec& image, const base::PixelRect& block,
                     const BlockBuffers& out) override {
    check_request(image, block, out);
    if (base::fault("device.kernel") || base::fault("device.kernel.reference")) {
      throw DeviceError("a fault point says that this kernel fails");
    }
    const double half_width = static_cast<double>(image.size_px.width) / 2;
    const double half_height = static_cast<double>(image.size_px.height) / 2;
    BlockCounts counts;
    for (std::int64_t row = 0; row < block.height; ++row) {
      const double i = static_cast<double>(block.y + row);
      const double c_im = std::fma(half_height - (i + 0.5), image.step(), image.center_im);
      for (std::int64_t column = 0; column < block.width; ++column) {
        const double j = static_cast<double>(block.x + column);
        const double c_re = std::fma(j + 0.5 - half_width, image.step(), image.center_re);
        const Pixel pixel = compute_pixel(c_re, c_im, image, out.smooth != nullptr);
        store(pixel, image, row * out.stride_px + column, out);
        counts += {pixel.iterations, pixel.executed};
      }
    }
    return counts;
  }

 private:
  static void store(const Pixel& pixel, const job::ImageSpec& image, std::ptrdiff_t at,
                    const BlockBuffers& out) {
    if (job::iterations_type(image) == base::ElementType::u16) {
      reinterpret_cast<std::uint16_t*>(out.iterations)[at] =
          static_cast<std::uint16_t>(pixel.iterations);
    } else {
      reinterpret_cast<std::uint32_t*>(out.iterations)[at] = pixel.iterations;
    }
    if (out.smooth != nullptr) out.smooth[at] = pixel.smooth;
  }
};

class ReferenceDevice : public Device {
 public:
  explicit ReferenceDevice(int threads)
      : info_{"reference", fmt::format("scalar, {} threads", threads), ""}, threads_(threads) {}
  const DeviceInfo& info() const override { return info_; }
  int lanes() const override { return threads_; }
  int rows_per_call(std::int64_t) const override { return 1; }
  /// There are no shortcuts to switch off.
  std::unique_ptr<Lane> open_lane(const LaneOptions&) const override {
    return std::make_unique<ReferenceLane>();
  }
  std::unique_ptr<Reducer> open_reducer(const statistics::ReductionSpec& spec) const override {
    return make_reducer(spec);
  }
  std::unique_ptr<AxisReducer> open_axis_reducer(
      const statistics::OutputSpec& output_spec) const override {
    return make_axis_reducer(output_spec);
  }

 private:
  DeviceInfo info_;
  int threads_;
};

}  // namespace

std::vector<DeviceInfo> list(const Placement& placement) {
  return {ReferenceDevice(cpu_threads(placement, count_cores())).info()};
}

std::unique_ptr<Device> open(std::string_view selector, const Placement& placement) {
  if (!selector.empty()) {
    throw base::usage_error("--device reference:{}: reference takes no selector", selector);
  }
  return std::make_unique<ReferenceDevice>(cpu_threads(placement, count_cores()));
}

}  // namespace tessera::device::reference
