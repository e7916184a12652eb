// What all jobs have in common, and the options of the jobs that have no job file.
#include "job/run_options.hpp"

#include <gtest/gtest.h>

#include "given.hpp"
#include "job/arrays/map_job.hpp"
#include "job/arrays/reduce_job.hpp"
#include "job/bench_job.hpp"
#include "job/image/color_job.hpp"
#include "job/image/merge_job.hpp"
#include "job/image/verify_job.hpp"

namespace tessera::job {
namespace {

template <class Job>
Job applied(std::span<const Option<Job>> options,
            std::initializer_list<std::pair<std::string_view, std::string_view>> texts) {
  Job job;
  apply_options<Job>(job, options, given(texts));
  return job;
}

/// Each option of `options` that run_option() has is that one.
template <class Job>
void expect_shared(std::span<const Option<Job>> options, int fewest) {
  int shared = 0;
  for (const Option<Job>& option : options) {
    for (int i = 0; i <= static_cast<int>(RunOption::trace); ++i) {
      const Option<RunSpec>& row = run_option_row(static_cast<RunOption>(i));
      // `verify` and `bench` mean other devices by a list, and say so.
      if (row.name != option.name || row.name == "device") continue;
      ++shared;
      EXPECT_EQ(option.help, row.help) << option.name;
      EXPECT_EQ(option.value, row.value) << option.name;
      EXPECT_EQ(option.scope, row.scope) << option.name;
      EXPECT_EQ(option.get(Job{}), row.get(RunSpec{})) << option.name;
    }
  }
  EXPECT_GE(shared, fewest);
}

TEST(RunOptions, AreTheSameForAllCommands) {
  expect_shared(render_options(), 9);
  expect_shared(reduce_options(), 8);
  expect_shared(map_options(), 8);
  expect_shared(color_options(), 5);
  expect_shared(verify_options(), 5);
  expect_shared(merge_options(), 1);
  expect_shared(bench_options(), 4);
}

TEST(RunOptions, RefuseTooLittleMemoryEverywhere) {
  const auto words = {std::string("--memory"), std::string("at least 16M")};
  expect_error(base::ExitCode::usage, words, [] {
    applied<ColorJob>(color_options(), {{"memory", "15M"}});
  });
  expect_error(base::ExitCode::usage, words, [] {
    applied<VerifyJob>(verify_options(), {{"memory", "15M"}});
  });
  expect_error(base::ExitCode::usage, words, [] {
    applied<BenchJob>(bench_options(), {{"memory", "15M"}});
  });
  const auto color = applied<ColorJob>(color_options(), {{"memory", "16M"}});
  EXPECT_EQ(color.memory_bytes, std::uint64_t{16} << 20);
}

TEST(ColorJob, SaysInItsReportWhatWasGiven) {
  auto job = applied<ColorJob>(color_options(), {{"region", "8, 16,100,50"}, {"scale", "0.5"}});
  job.input = "a.h5";
  const auto lines = describe(job);
  const auto value = [&](std::string_view key) {
    for (const auto& [name, text] : lines) {
      if (name == key) return text;
    }
    return std::string("absent");
  };
  EXPECT_EQ(lines.front(), (std::pair<std::string, std::string>("input", "a.h5")));
  EXPECT_EQ(value("region"), "8,16,100,50");
  EXPECT_EQ(value("scale"), "1/2");
  EXPECT_EQ(value("field"), "absent");
  const auto again = applied<ColorJob>(color_options(), {{"region", value("region")}});
  EXPECT_EQ(again.region.has_value(), job.region.has_value());
}

TEST(VerifyJob, TakesItsDeviceForTheSample) {
  EXPECT_EQ(VerifyJob{}.sample_device, "");
  EXPECT_EQ(applied<VerifyJob>(verify_options(), {{"device", "cpu"}}).sample_device, "cpu");
}

}  // namespace
}  // namespace tessera::job
