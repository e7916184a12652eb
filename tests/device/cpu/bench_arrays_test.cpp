#include "base/error.hpp"
#include "device/cpu/cpu.hpp"
#include "tests/device/check_bench_arrays.hpp"

namespace tessera::device {
namespace {

TEST(CpuProbe, adds_sums_and_copies_at_sizes_that_threads_share_unevenly) {
  const auto bench_arrays = cpu::bench_arrays("", {.threads = 3});
  for (const std::size_t elements : {1U, 15U, 1000U, 65537U, 300001U, 17U}) {
    check_bench_arrays(*bench_arrays, elements);
  }
}

TEST(CpuProbe, sums_the_same_with_any_number_of_threads) {
  const auto one = cpu::bench_arrays("", {.threads = 1});
  const auto many = cpu::bench_arrays("", {.threads = 7});
  one->resize(1'000'003);
  many->resize(1'000'003);
  EXPECT_EQ(one->sum(), many->sum());
}

TEST(CpuProbe, knows_the_selectors_that_the_device_knows) {
  EXPECT_THROW(cpu::bench_arrays("mmx", {.threads = 1}), base::Error);
}

}  // namespace
}  // namespace tessera::device
