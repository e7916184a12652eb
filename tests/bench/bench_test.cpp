#include "bench/bench.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "bench/array_bench.hpp"
#include "bench/bench_calls.hpp"
#include "bench/bench_devices.hpp"
#include "bench/bench_lanes.hpp"
#include "bench/time_budget.hpp"

namespace tessera::bench {
namespace {

constexpr std::uint64_t kMemory = std::uint64_t{1} << 30;

PictureSums sums_of(const std::string& device, int threads, const job::ImageSpec& image) {
  return BenchLanes(device, {.threads = threads}, kMemory).render(image, true);
}

TEST(TimeBudget, gives_each_part_an_equal_part_of_the_time_that_is_left) {
  TimeBudget budget(1e6);
  budget.set_parts(2);
  budget.begin_part(10);
  EXPECT_TRUE(budget.allows(4.9e5));
  EXPECT_FALSE(budget.allows(5.1e5));
  EXPECT_EQ(budget.repeats_s(), 2);
  budget.begin_part(1'000'000);
  EXPECT_TRUE(budget.allows(9e5)) << "the first part left its time";
  EXPECT_NEAR(budget.repeats_s(), 0.5, 0.1);
}

TEST(TimeBudget, without_a_limit_allows_everything) {
  TimeBudget budget(0);
  budget.begin_part(10);
  EXPECT_TRUE(budget.allows(1e12));
  EXPECT_EQ(budget.repeats_s(), 2);
}

TEST(BenchLanes, a_picture_has_one_checksum_however_it_is_made) {
  const job::ImageSpec image{.size_px = {700, 531}, .iterations = 60};
  const PictureSums sums = sums_of("cpu", 1, image);
  EXPECT_GT(sums.iterations, 0U);
  for (const int threads : {1, 3}) {
    for (const char* device : {"cpu", "reference"}) {
      EXPECT_EQ(sums_of(device, threads, image).checksum, sums.checksum) << device << threads;
      EXPECT_EQ(sums_of(device, threads, image).iterations, sums.iterations) << device << threads;
    }
  }
}

TEST(BenchLanes, another_picture_has_another_checksum) {
  const job::ImageSpec image{.size_px = {100, 100}, .iterations = 60};
  job::ImageSpec moved = image;
  moved.center_im = 0.01;
  EXPECT_NE(sums_of("cpu", 1, image).checksum, sums_of("cpu", 1, moved).checksum);
  job::ImageSpec turned = image;  // the same rows in another order
  turned.center_im = 0.3;
  job::ImageSpec back = turned;
  back.center_im = -0.3;
  EXPECT_EQ(sums_of("cpu", 1, turned).iterations, sums_of("cpu", 1, back).iterations);
  EXPECT_NE(sums_of("cpu", 1, turned).checksum, sums_of("cpu", 1, back).checksum);
}

TEST(BenchLanes, refuses_more_lanes_than_memory_has_room_for) {
  try {
    BenchLanes("cpu", {.threads = 100}, std::uint64_t{100} << 20);
    FAIL() << "nothing was thrown";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos) << error.what();
  }
}

TEST(BenchCalls, come_once_first_and_so_many_times_later) {
  int calls = 0;
  const report::CallTimes times = time_calls(5, {.most = 4}, [&] { ++calls; });
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(times.later_s.size(), 4U);
  EXPECT_GE(times.first_s, 5);
}

/// Right in everything, except for the results that it is asked to falsify.
class LyingProbe : public device::BenchArrays {
 public:
  enum class Lie { none, sum, add, copy };
  explicit LyingProbe(Lie lie) : lie_(lie) {}
  void resize(std::size_t elements) override {
    host_.assign(elements, 0);
    c_.assign(elements, 0);
  }
  std::span<double> host() override { return host_; }
  void copy_to_device() override { c_ = host_; }
  void copy_from_device() override {
    host_ = c_;
    if (lie_ == Lie::copy) ++host_.back();
  }
  void add() override {
    for (std::size_t i = 0; i < c_.size(); ++i) {
      c_[i] = static_cast<double>(i % 1024 + 3 * (i % 512));
    }
    if (lie_ == Lie::add) ++c_.front();
  }
  double sum() override {
    double sum = lie_ == Lie::sum && ++sums_ == 2 ? 1 : 0;
    for (std::size_t i = 0; i < c_.size(); ++i) sum += static_cast<double>(i % 1024);
    return sum;
  }

 private:
  Lie lie_;
  int sums_ = 0;
  std::vector<double> host_, c_;
};

TEST(BenchArrays, a_wrong_answer_is_a_problem) {
  using Lie = LyingProbe::Lie;
  const auto problems_of = [](Lie lie) {
    report::BenchReport bench;
    LyingProbe bench_arrays(lie);
    for (const std::size_t elements : {1U, 1023U, 1024U, 5000U}) {
      bench_arrays.resize(elements);
      measure_arrays(bench_arrays, "toy", {.most = 2}, bench);
    }
    EXPECT_EQ(bench.arrays.size(), 16U);
    return bench.problems;
  };
  EXPECT_TRUE(problems_of(Lie::none).empty());
  ASSERT_EQ(problems_of(Lie::sum).size(), 1U);
  EXPECT_EQ(problems_of(Lie::sum).front(), "toy: the sum of 1 element is wrong");
  EXPECT_EQ(problems_of(Lie::add).size(), 4U);
  EXPECT_EQ(problems_of(Lie::copy).size(), 8U);
}

TEST(BenchDevices, all_are_the_cores_and_what_else_there_is_but_not_the_reference) {
  std::vector<std::string> left_out;
  const auto names = devices_to_compare("auto", {.threads = 1}, left_out);
  EXPECT_EQ(std::ranges::count(names, "cpu"), 1);
  EXPECT_EQ(std::ranges::count(names, "reference"), 0);
  for (const std::string& name : names) EXPECT_FALSE(name.starts_with("cpu:")) << name;
}

TEST(BenchDevices, are_named_once_and_not_beside_auto) {
  std::vector<std::string> left_out;
  EXPECT_EQ(devices_to_compare("reference,cpu", {}, left_out).size(), 2U);
  for (const char* list : {"cpu,cpu", "auto,cpu", "cpux", "cpu,"}) {
    EXPECT_THROW(devices_to_compare(list, {}, left_out), base::Error) << list;
  }
}

TEST(Bench, measures_every_case_on_every_device) {
  job::BenchJob job;
  job.device = "reference,cpu";
  job.sides_px = {4, 12};  // calls that are far from the limit of two seconds
  job.iterations = {5, 70000};
  job.elements = {10, 1'000'000'000'000};
  job.repeats = 2;
  job.quiet = true;
  const report::BenchReport bench = run_bench(job, {.threads = 2});
  EXPECT_EQ(bench.devices.size(), 2U);
  EXPECT_EQ(bench.renders.size(), 8U);
  EXPECT_EQ(bench.arrays.size(), 4U);
  EXPECT_TRUE(bench.problems.empty()) << bench.problems.front();
  // What reference has not got, and what does not fit the memory.
  EXPECT_EQ(bench.left_out.size(), 2U);
  for (const report::RenderCase& render : bench.renders) {
    EXPECT_EQ(render.times.later_s.size(), 2U);
    EXPECT_NE(render.checksum, 0U);
  }
}

}  // namespace
}  // namespace tessera::bench
