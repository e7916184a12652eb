// The measurements of `tessera bench`: the struct from which table, JSON and plot are printed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::report {

struct BenchDevice {
  std::string name;
  std::string detail;
  std::string driver;
  bool is_gpu = false;
  int lanes = 0;
  std::uint64_t memory_bytes = 0;  ///< memory of the device; 0 = it uses host memory
};

/// The first call includes one-time costs: opening the device, compiling, the first touch of
/// memory.
struct CallTimes {
  double first_s = 0;
  std::vector<double> later_s;

  /// Median of the later calls; 0 if there were none.
  double median_s() const;
};

/// A square picture of the whole Mandelbrot set.
struct RenderCase {
  std::string device;
  std::int64_t side_px = 0;
  std::uint32_t iterations = 0;
  CallTimes times;
  std::uint64_t iterations_done = 0;  ///< sum of the counts of all pixels
  std::uint64_t checksum = 0;         ///< checksum of all counts and their positions

  double pixels_per_s() const;      ///< by the median
  double iterations_per_s() const;  ///< by the median
};

enum class ArrayWork { add, sum, to_device, from_device };
inline constexpr std::array kArrayWork = {ArrayWork::add, ArrayWork::sum, ArrayWork::to_device,
                                          ArrayWork::from_device};

std::string_view key_of(ArrayWork work);    ///< "copy_to_device"
std::string_view title_of(ArrayWork work);  ///< "copy to the device"

/// Work on arrays of f64 that lie on the device.
struct ArrayCase {
  std::string device;
  std::uint64_t elements = 0;
  ArrayWork work = ArrayWork::add;
  CallTimes times;

  /// Bytes read and written on the device; for a copy the bytes transferred, counted once.
  std::uint64_t bytes() const;
  double bytes_per_s() const;  ///< by the median
};

struct BenchReport {
  std::string version;
  std::string host;
  double wall_s = 0;
  std::vector<std::pair<std::string, std::string>> job;
  std::vector<BenchDevice> devices;
  std::vector<RenderCase> renders;
  std::vector<ArrayCase> arrays;
  std::vector<std::string> left_out;  ///< measurements that were not made, and why
  std::vector<std::string> problems;  ///< results that differ, devices that failed
};

/// The device that others are compared with: the first one that is the CPU cores, or null.
const BenchDevice* baseline(const BenchReport& bench);

const RenderCase* find_render(const BenchReport& bench, std::string_view device,
                              std::int64_t side_px, std::uint32_t iterations);

/// The sides, iterations and numbers of elements of all cases, ascending and without repetition.
std::vector<std::int64_t> sides_of(const BenchReport& bench);
std::vector<std::uint32_t> iterations_of(const BenchReport& bench);
std::vector<std::uint64_t> elements_of(const BenchReport& bench);

/// Speed relative to the baseline, from the medians; nothing if the baseline lacks that case.
std::optional<double> ratio_to_baseline(const BenchReport& bench, const RenderCase& render);

enum class Calls { first, later };

/// The smallest side from which on the device is faster than the baseline at every side that both
/// have measured; nothing if there is none.
std::optional<std::int64_t> pays_from(const BenchReport& bench, std::string_view device,
                                      std::uint32_t iterations, Calls calls);

/// One line for each device whose result differs from that of the first device with the same
/// picture.
std::vector<std::string> find_disagreement(const std::vector<RenderCase>& renders);

}  // namespace tessera::report
