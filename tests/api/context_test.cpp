// How calls are watched and stopped, and what they leave alone.
#include "tessera/context.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tessera/image.hpp"
#include "tessera/reduce.hpp"

namespace {

using tessera::Code;
using tessera::Context;
using tessera::Error;
using tessera::Progress;
using tessera::Source;

const tessera::Reduction kSum{{{"op", "sum,kurtosis"}}};

Source endless() {
  return Source::file("random:normal?count=1000000000000");
}

TEST(ApiContext, a_stop_token_stops_a_call_and_not_the_next) {
  Context context({.device = "cpu"});
  std::stop_source stop;
  try {
    reduce(context, endless(), kSum,
           {.stop = stop.get_token(), .progress = [&](const Progress& now) {
              if (now.done > 0) stop.request_stop();
            }});
    ADD_FAILURE() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::stopped);
    EXPECT_NE(std::string(error.what()).find("stopped by its caller with "), std::string::npos);
  }
  EXPECT_THROW(reduce(context, endless(), kSum, {.stop = stop.get_token()}), Error);
  EXPECT_EQ(reduce(context, Source::file("linspace:1,1?count=5"), kSum)["sum"].values[0].real, 5);
}

TEST(ApiContext, what_the_progress_throws_ends_the_call) {
  Context context({.device = "cpu"});
  const std::thread::id here = std::this_thread::get_id();
  EXPECT_THROW(reduce(context, endless(), kSum,
                      {.progress =
                           [&](const Progress& now) {
                             EXPECT_EQ(std::this_thread::get_id(), here);
                             if (now.total > 0) throw std::out_of_range("enough");
                           }}),
               std::out_of_range);
}

TEST(ApiContext, calls_of_several_threads_follow_each_other) {
  Context context({.device = "cpu"});
  std::vector<std::jthread> threads;
  std::mutex mutex;
  std::vector<std::string> sums;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const auto found = reduce(context, Source::file("random:normal?count=300000"), kSum);
      const std::scoped_lock lock(mutex);
      sums.push_back(found["sum"].values[0].text);
    });
  }
  threads.clear();
  EXPECT_EQ(sums, std::vector<std::string>(4, sums.front()));
}

TEST(ApiContext, remarks_go_to_the_log_and_nothing_to_stderr) {
  std::mutex mutex;
  std::string said;
  Context context({.device = "cpu", .log = [&](tessera::Level level, std::string_view line) {
                     const std::scoped_lock lock(mutex);
                     EXPECT_EQ(level, tessera::Level::remark);
                     said += line;
                   }});
  testing::internal::CaptureStderr();
  reduce(context, Source::file("random:normal?count=300000"), {{{"op", "median"}}});
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_NE(said.find("reduce: "), std::string::npos) << said;
}

TEST(ApiContext, devices_are_listed) {
  Context context;
  bool has_cores = false;
  for (const tessera::Device& device : devices(context)) {
    has_cores |= device.name == "cpu" && device.reason.empty();
  }
  EXPECT_TRUE(has_cores);
}

}  // namespace
