#include "farm/worker_pool.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

#include "tests/hang.hpp"
#include "toy_work.hpp"

namespace tessera::farm {
namespace {

/// One item of many parts, of which the first lasts until all lanes that are to help do so;
/// remembers which lanes worked on it.
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
      void finish(int lane, const SendResult& send_result) override {
        work.finish(lane, send_result);
      }
      SharedWork& work;
    };
    return std::make_unique<Forward>(*this);
  }
  int parts() const override { return 60; }
  void run_part(int part, int lane) override {
    std::unique_lock lock(mutex);
    lanes_seen.insert(lane);
    parts_seen.insert(part);
    seen.notify_all();
    // A lane that never comes fails the test, not a late one.
    seen.wait_for(lock, kHang, [&] { return lanes_seen.size() >= expected; });
  }
  void finish(int, const SendResult& send_result) override { send_result({.item = 0, .body = {}}); }

  std::size_t expected = 3;
  std::mutex mutex;
  std::condition_variable seen;
  std::set<int> lanes_seen;
  std::multiset<int> parts_seen;
};

TEST(ItemQueue, tells_which_part_of_an_item_in_progress_is_done) {
  SharedWork work;
  ItemQueue queue(work);
  const std::vector<std::int64_t> items = {7};
  queue.add(items, 0);
  ASSERT_EQ(queue.next(0)->item, 7);
  const auto active = queue.share(7, work.begin(7, 0));
  EXPECT_TRUE(queue.in_progress().empty());
  const ItemQueue::PartRange parts = queue.take_parts(*active, 15);
  EXPECT_TRUE(queue.in_progress().empty()) << "they are taken, and not done";
  queue.parts_done(*active, parts);
  EXPECT_EQ(queue.in_progress(), (std::vector<ItemProgress>{{7, 0.25F}}));
  queue.parts_done(*active, queue.take_parts(*active, 45));
  EXPECT_EQ(queue.wait_for_parts(active, 0), ItemQueue::Parts::done);
  EXPECT_TRUE(queue.in_progress().empty());
  queue.item_done(0);
}

TEST(WorkerPool, idle_threads_help_with_the_last_item) {
  SharedWork work;
  std::atomic<int> emitted = 0;
  WorkerPool pool(work, {.send_result = [&](const Result&) { ++emitted; }, .progress = [] {}},
                  base::Clock::now(), false);
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

/// Lane 0 takes a part at a time, the others take seven. A failure of theirs is one of all seven.
class WideWork : public SharedWork {
 public:
  explicit WideWork(bool fails) : fails_(fails) {}
  std::unique_ptr<Task> begin(std::int64_t, int begun_by) override {
    struct Wide : Task {
      Wide(WideWork& w, int owner) : work(w), begun_by(owner) {}
      int parts() const override { return work.parts(); }
      void run_part(int part, int lane) override { work.run_part(part, lane); }
      int parts_at_once(int lane) const override { return lane == begun_by ? 1 : 7; }
      void run_parts(int first, int count, int lane) override {
        work.note(first, count, lane == begun_by);
        if (count > 1 && work.fails_) throw device::DeviceError("toy died");
        for (int i = 0; i < count; ++i) run_part(first + i, lane);
      }
      void finish(int lane, const SendResult& send_result) override {
        work.finish(lane, send_result);
      }
      WideWork& work;
      int begun_by;
    };
    return std::make_unique<Wide>(*this, begun_by);
  }
  std::string lose_lane(int lane, const std::string& why) override {
    const std::scoped_lock lock(mutex);
    lanes_seen.insert(lane);
    seen.notify_all();
    return why;
  }
  std::multiset<int> of_helpers;

 private:
  void note(int first, int count, bool owner) {
    const std::scoped_lock lock(mutex);
    EXPECT_LE(first + count, parts());
    if (!owner) of_helpers.insert(count);
  }
  bool fails_;
};

TEST(WorkerPool, a_helper_takes_as_many_parts_as_it_prefers) {
  for (const bool fails : {false, true}) {
    WideWork work(fails);
    std::atomic<int> emitted = 0;
    WorkerPool pool(work, {.send_result = [&](const Result&) { ++emitted; }, .progress = [] {}},
                    base::Clock::now(), false);
    const std::int64_t item = 0;
    pool.add({&item, 1});
    while (emitted == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    pool.close();
    pool.join();
    EXPECT_GT(work.of_helpers.count(7), 0U);
    EXPECT_EQ(work.parts_seen.size(), 60U);
    EXPECT_EQ(std::set(work.parts_seen.begin(), work.parts_seen.end()).size(), 60U);
  }
}

TEST(WorkerPool, keeps_the_spans_of_what_it_did_when_asked) {
  ToyWork work(2);
  WorkerPool pool(work, {.send_result = [](const Result&) {}, .progress = [] {}},
                  base::Clock::now(), true);
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
  WorkerPool pool(work, {.send_result = [](const Result&) {}, .progress = [] {}},
                  base::Clock::now(), false);
  std::vector<std::int64_t> items(50);
  std::iota(items.begin(), items.end(), 0);
  pool.add(items);
  pool.join();
  EXPECT_TRUE(pool.idle());
  EXPECT_EQ(pool.failure(), "toy item failed");
}

/// How often each of items 0 to n-1 was sent; calls `then` when all threads have ended.
std::map<std::int64_t, int> run_items(Work& work, int n,
                                      const std::function<void(WorkerPool&)>& then) {
  std::mutex mutex;
  std::map<std::int64_t, int> sent;
  WorkerPool pool(work,
                  {.send_result =
                       [&](const Result& result) {
                         std::scoped_lock lock(mutex);
                         ++sent[result.front().item];
                         EXPECT_TRUE(result.back().last);
                       },
                   .progress = [] {}},
                  base::Clock::now(), false);
  std::vector<std::int64_t> items(static_cast<std::size_t>(n));
  std::iota(items.begin(), items.end(), 0);
  pool.add(items);
  pool.close();
  pool.join();
  then(pool);
  return sent;
}

void expect_each_once(const std::map<std::int64_t, int>& sent, std::size_t n) {
  EXPECT_EQ(sent.size(), n);
  for (const auto& [item, times] : sent) EXPECT_EQ(times, 1) << item;
}

TEST(WorkerPool, lanes_in_reserve_take_over_when_the_others_are_lost) {
  for (int life = 0; life < 30; ++life) {
    DyingWork work(4, {life, -1});
    work.keep_reserve();
    expect_each_once(run_items(work, 100,
                               [](WorkerPool& pool) {
                                 EXPECT_EQ(pool.failure(), "");
                                 EXPECT_EQ(pool.live_lanes(), 2);
                                 EXPECT_TRUE(pool.idle());
                               }),
                     100);
  }
}

TEST(WorkerPool, lanes_in_reserve_that_nobody_needs_have_no_thread) {
  DyingWork work(4, {-1, -1});
  work.keep_reserve();
  WorkerPool pool(work, {.send_result = [](const Result&) {}, .progress = [] {}},
                  base::Clock::now(), false);
  pool.close();
  const auto reports = pool.join();
  ASSERT_EQ(reports.size(), 2U);
  EXPECT_EQ(reports[0].name, "worker 0");
  EXPECT_EQ(reports[1].name, "worker 2");
}

TEST(WorkerPool, what_a_lost_lane_had_is_made_by_the_others) {
  for (int life = 0; life < 30; ++life) {
    DyingWork work(4, {life, -1});
    expect_each_once(run_items(work, 100,
                               [](WorkerPool& pool) {
                                 EXPECT_EQ(pool.failure(), "");
                                 EXPECT_GE(pool.live_lanes(), 2);
                                 EXPECT_EQ(pool.completed(), 100U);
                               }),
                     100);
  }
}

TEST(WorkerPool, without_a_lane_left_the_items_can_be_taken_back) {
  for (int life = 0; life < 30; ++life) {
    DyingWork work(3, {life});
    std::vector<std::int64_t> back;
    auto sent = run_items(work, 100, [&](WorkerPool& pool) {
      EXPECT_EQ(pool.failure(), "");
      EXPECT_EQ(pool.live_lanes(), 0);
      EXPECT_NE(pool.loss().find("toy died"), std::string::npos);
      back = pool.take_back();
      EXPECT_EQ(pool.queued(), 0U);
    });
    for (const std::int64_t item : back) ++sent[item];
    expect_each_once(sent, 100);
  }
}

/// Lane 0 fails when it has nothing but the encoding left to do.
class FailsAtTheEnd : public ToyWork {
 public:
  explicit FailsAtTheEnd(bool after_first_parcel) : ToyWork(2), late_(after_first_parcel) {}
  std::unique_ptr<Task> begin(std::int64_t item, int) override {
    struct Fragile : ToyTask {
      Fragile(FailsAtTheEnd& w, std::int64_t i) : ToyTask(w, i), work(w), item(i) {}
      void finish(int lane, const SendResult& send_result) override {
        if (lane == 0 && work.late_) send_result({.item = item, .last = false, .body = {}});
        if (lane == 0) throw device::DeviceError("toy died");
        ToyTask::finish(lane, send_result);
      }
      FailsAtTheEnd& work;
      std::int64_t item;
    };
    return std::make_unique<Fragile>(*this, item);
  }

 private:
  bool late_;
};

TEST(WorkerPool, a_device_may_fail_until_its_item_is_whole) {
  for (const bool after_first_parcel : {false, true}) {
    FailsAtTheEnd work(after_first_parcel);
    expect_each_once(run_items(work, 50, [](WorkerPool& pool) { EXPECT_EQ(pool.failure(), ""); }),
                     50);
  }
}

TEST(WorkerPool, a_task_that_was_given_up_has_no_result) {
  struct GivesUp : ToyWork {
    struct Task : ToyTask {
      using ToyTask::ToyTask;
      void finish(int, const SendResult&) override {}
    };
    using ToyWork::ToyWork;
    std::unique_ptr<farm::Task> begin(std::int64_t item, int) override {
      return std::make_unique<Task>(*this, item);
    }
  };
  GivesUp work(2);
  EXPECT_TRUE(run_items(work, 20, [](WorkerPool& pool) { EXPECT_EQ(pool.failure(), ""); }).empty());
}

TEST(WorkerPool, what_others_have_done_is_not_begun) {
  struct OneLane : SharedWork {
    OneLane() { expected = 1; }
    int lanes() const override { return 1; }
  } work;
  std::atomic<int> emitted = 0;
  WorkerPool pool(work, {.send_result = [&](const Result&) { ++emitted; }, .progress = [] {}},
                  base::Clock::now(), false);
  {
    // While the lane is held in the parts of the first item.
    std::scoped_lock lock(work.mutex);
    pool.add(std::vector<std::int64_t>{0});
    while (pool.queued() > 0) std::this_thread::yield();
    pool.add(std::vector<std::int64_t>{1, 2});
    pool.drop(std::vector<std::int64_t>{0, 1, 2});
    EXPECT_EQ(pool.queued(), 0U);
  }
  pool.close();
  pool.join();
  EXPECT_EQ(emitted, 1);
}

TEST(WorkerPool, starts_no_thread_for_a_lost_lane) {
  DyingWork work(2, {0, -1});
  work.lose_lane(0, "");
  expect_each_once(run_items(work, 20, [](WorkerPool& pool) { EXPECT_EQ(pool.live_lanes(), 1); }),
                   20);
}

/// The lane that did not begin the item is lost with the first part that it helps with.
class LostHelper : public SharedWork {
 public:
  LostHelper() { expected = 2; }
  int lanes() const override { return 2; }
  std::unique_ptr<Task> begin(std::int64_t item, int lane) override {
    owner_ = lane;
    return SharedWork::begin(item, lane);
  }
  void run_part(int part, int lane) override {
    SharedWork::run_part(part, lane);
    if (lane == owner_) return;
    parts_of_lost.insert(part);
    throw device::DeviceError("toy died");
  }
  std::multiset<int> parts_of_lost;

 private:
  std::atomic<int> owner_ = -1;
};

TEST(WorkerPool, the_part_that_a_lost_lane_helped_with_is_done_by_another) {
  LostHelper work;
  int emitted = 0;
  WorkerPool pool(work, {.send_result = [&](const Result&) { ++emitted; }, .progress = [] {}},
                  base::Clock::now(), false);
  const std::int64_t item = 0;
  pool.add({&item, 1});
  pool.close();
  pool.join();
  EXPECT_EQ(emitted, 1);
  EXPECT_EQ(pool.live_lanes(), 1);
  ASSERT_EQ(work.parts_of_lost.size(), 1U);
  EXPECT_EQ(work.parts_seen.size(), 61U);
  EXPECT_EQ(work.parts_seen.count(*work.parts_of_lost.begin()), 2U);
}

/// Lanes of two devices in turn, which are tried together and alone.
class TriedWork : public DyingWork {
 public:
  using DyingWork::DyingWork;
  int device_of_lane(int lane) const override { return lane % 2; }
  bool tries_devices() const override { return true; }
  void use_device(int lane) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(lane % 2 == 0 ? 1 : 2));
    DyingWork::use_device(lane);
  }
};

TEST(WorkerPool, all_items_are_made_while_devices_are_tried) {
  for (const std::vector<int>& lives : {std::vector{-1, -1}, {-1, 150}}) {
    TriedWork work(4, lives);
    const auto sent = run_items(work, 500, [](WorkerPool& pool) { EXPECT_EQ(pool.failure(), ""); });
    EXPECT_EQ(sent.size(), 500U);
    for (const auto& [item, times] : sent) EXPECT_EQ(times, 1);
  }
}

}  // namespace
}  // namespace tessera::farm
