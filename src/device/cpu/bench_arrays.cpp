// Benchmark arrays in host memory, with plain loops that the compiler vectorizes.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <vector>

#include "base/thread_team.hpp"
#include "device/cpu/cpu.hpp"

namespace tessera::device::cpu {

namespace {

/// Elements per thread below which another thread costs more time than it saves: some microseconds
/// of work.
constexpr std::size_t kElementsPerThread = 32768;

/// Independent sums: an addition has a latency of four cycles, and a core starts two vectors of two
/// f64 per cycle.
constexpr std::size_t kSums = 16;

struct Range {
  std::size_t begin = 0;
  std::size_t size = 0;
};

/// The values are integers and all partial sums are below 2^53, so the sum is exact in any order.
double sum_of(const double* values, std::size_t count) {
  double sums[kSums] = {};
  std::size_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (std::size_t k = 0; k < kSums; ++k) sums[k] += values[i + k];
  }
  for (std::size_t k = 0; i < count; ++i, ++k) sums[k] += values[i];
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

void add_to(double* __restrict c, const double* __restrict a, const double* __restrict b,
            std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) c[i] = a[i] + b[i];
}

class CpuBenchArrays : public BenchArrays {
 public:
  explicit CpuBenchArrays(int threads)
      : team_(threads), sums_(static_cast<std::size_t>(team_.size())) {}

  void resize(std::size_t elements) override {
    for (Array* array : {&a_, &b_, &c_, &host_}) array->reset();
    elements_ = elements;
    try {
      // Uninitialised: the thread that first writes a page determines its NUMA node.
      for (Array* array : {&a_, &b_, &c_, &host_}) {
        *array = std::make_unique_for_overwrite<double[]>(elements);
      }
    } catch (const std::bad_alloc&) {
      throw DeviceError(fmt::format("cpu: no memory for 4 arrays of {} elements", elements));
    }
    share([&](int, Range range) {
      for (std::size_t i = range.begin; i < range.begin + range.size; ++i) {
        a_[i] = static_cast<double>(i % 1024);
        b_[i] = static_cast<double>(3 * (i % 512));
        c_[i] = 0;
        host_[i] = 0;
      }
    });
  }
  std::span<double> host() override { return {host_.get(), elements_}; }
  void copy_to_device() override { copy(host_.get(), c_.get()); }
  void copy_from_device() override { copy(c_.get(), host_.get()); }
  void add() override {
    share([&](int, Range range) {
      add_to(&c_[range.begin], &a_[range.begin], &b_[range.begin], range.size);
    });
  }
  double sum() override {
    std::ranges::fill(sums_, 0);
    share([&](int member, Range range) {
      sums_[static_cast<std::size_t>(member)] = sum_of(&a_[range.begin], range.size);
    });
    return sum_of(sums_.data(), sums_.size());
  }

 private:
  using Array = std::unique_ptr<double[]>;

  /// Calls work(member, range) with ranges of equal size; the same size gives the same ranges.
  template <class Work>
  void share(const Work& work) {
    const auto size = static_cast<std::size_t>(team_.size());
    const std::size_t members = std::clamp<std::size_t>(elements_ / kElementsPerThread, 1, size);
    const auto first_of = [&](std::size_t member) { return elements_ * member / members; };
    team_.run(static_cast<int>(members), [&](int number) {
      const auto member = static_cast<std::size_t>(number);
      work(number, Range{first_of(member), first_of(member + 1) - first_of(member)});
    });
  }

  void copy(const double* from, double* to) {
    share([&](int, Range range) {
      std::memcpy(to + range.begin, from + range.begin, range.size * sizeof(double));
    });
  }

  base::ThreadTeam team_;
  std::vector<double> sums_;  ///< one per thread
  std::size_t elements_ = 0;
  Array a_, b_, c_, host_;
};

}  // namespace

std::unique_ptr<BenchArrays> bench_arrays(std::string_view selector, const Placement& placement) {
  return std::make_unique<CpuBenchArrays>(open(selector, placement)->lanes());
}

}  // namespace tessera::device::cpu
