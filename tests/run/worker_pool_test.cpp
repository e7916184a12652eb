#include "run/worker_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "toy_work.hpp"

namespace tessera::run {
namespace {

/// One item of many slow parts; remembers which lanes worked on it.
class SharedWork : public Work, public Task {
 public:
  int lanes() const override { return 3; }
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<Task> begin(std::int64_t, int) override {
    struct Forward : Task {
      explicit Forward(SharedWork& w) : work(w) {}
      int parts() const override { return work.parts(); }
      void run_part(int part, int lane) override { work.run_part(part, lane); }
      void finish(int lane, const Emit& emit) override { work.finish(lane, emit); }
      SharedWork& work;
    };
    return std::make_unique<Forward>(*this);
  }
  int parts() const override { return 60; }
  void run_part(int part, int lane) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::scoped_lock lock(mutex);
    lanes_seen.insert(lane);
    parts_seen.insert(part);
  }
  void finish(int, const Emit& emit) override { emit({.item = 0, .body = {}}); }

  std::mutex mutex;
  std::set<int> lanes_seen;
  std::multiset<int> parts_seen;
};

TEST(WorkerPool, idle_threads_help_with_the_last_item) {
  SharedWork work;
  std::atomic<int> emitted = 0;
  WorkerPool pool(work, {.emit = [&](Parcel) { ++emitted; }, .progress = [] {}}, base::Clock::now(),
                  false);
  const std::int64_t item = 0;
  pool.add({&item, 1});
  while (emitted == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  pool.close();
  pool.join();
  EXPECT_EQ(emitted, 1);
  EXPECT_EQ(work.lanes_seen.size(), 3U);
  EXPECT_EQ(work.parts_seen.size(), 60U);
  EXPECT_EQ(std::set(work.parts_seen.begin(), work.parts_seen.end()).size(), 60U);
  EXPECT_EQ(pool.completed(), 1U);
}

TEST(WorkerPool, keeps_the_spans_of_what_it_did_when_asked) {
  ToyWork work(2);
  WorkerPool pool(work, {.emit = [](Parcel) {}, .progress = [] {}}, base::Clock::now(), true);
  std::vector<std::int64_t> items(50);
  std::iota(items.begin(), items.end(), 0);
  pool.add(items);
  pool.close();
  std::size_t computed = 0;
  for (const auto& thread : pool.join()) {
    EXPECT_TRUE(thread.worker);
    double last_start = 0;
    for (const auto& span : thread.spans) {
      EXPECT_LE(span.start_s, span.end_s);
      EXPECT_LE(last_start, span.start_s);
      last_start = span.start_s;
      computed += span.stage == report::Stage::compute;
    }
  }
  EXPECT_GE(computed, 50U);  // a span an item, and one for each time that another thread helped
}

TEST(WorkerPool, remembers_the_first_failure_and_ends) {
  ToyWork work(2, 3);
  WorkerPool pool(work, {.emit = [](Parcel) {}, .progress = [] {}}, base::Clock::now(), false);
  std::vector<std::int64_t> items(50);
  std::iota(items.begin(), items.end(), 0);
  pool.add(items);
  pool.join();
  EXPECT_TRUE(pool.idle());
  EXPECT_EQ(pool.failure(), "toy item failed");
}

}  // namespace
}  // namespace tessera::run
