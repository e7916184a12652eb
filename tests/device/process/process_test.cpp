// The pieces of which a device's process is made: the line, the memory, the child, the patience.
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>
#include <typeinfo>

#include "device/device.hpp"
#include "device/process/channel.hpp"
#include "device/process/child_process.hpp"
#include "device/process/commands.hpp"
#include "device/process/program_number.hpp"
#include "device/process/response_timeout.hpp"
#include "device/process/retry_while_busy.hpp"
#include "device/process/shared_memory.hpp"
#include "device/process/stream_server.hpp"
#include "device/process/supervisor.hpp"
#include "tests/hang.hpp"

namespace tessera::device::process {
namespace {

using Outcome = Channel::Outcome;

constexpr double kSoon = kHang.count();

base::Bytes some_bytes(std::size_t count) {
  base::Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 1000);
  return bytes;
}

TEST(Channel, carries_messages_of_any_length_in_order) {
  auto [here, there] = Channel::pair();
  const std::vector<std::size_t> sizes = {0, 1, 1000, std::size_t{3} << 20, 5};
  std::thread sender([&, &to = here] {
    for (const std::size_t size : sizes) EXPECT_EQ(to.send(some_bytes(size), kSoon), Outcome::done);
  });
  for (const std::size_t size : sizes) {
    Message message;
    EXPECT_EQ(there.receive(message, kSoon), Outcome::done);
    EXPECT_EQ(message.body, some_bytes(size));
    EXPECT_EQ(message.descriptor.get(), -1);
  }
  sender.join();
}

TEST(Channel, tells_a_closed_line_from_a_silent_one) {
  auto [here, there] = Channel::pair();
  Message message;
  EXPECT_EQ(here.receive(message, 0.05), Outcome::silent);
  // As much as the kernel takes, and more: the other end does not read.
  EXPECT_EQ(here.send(some_bytes(std::size_t{16} << 20), 0.05), Outcome::silent);
  auto [mine, theirs] = Channel::pair();
  { const Channel closed = std::move(theirs); }
  EXPECT_EQ(mine.receive(message, kSoon), Outcome::closed);
  EXPECT_EQ(mine.send(some_bytes(10), kSoon), Outcome::closed);
}

TEST(ProgramNumber, is_another_one_for_each_expression_and_kernel) {
  std::vector<kernels::TsStep> steps(2);
  const ProgramNumber first = number_of(steps);
  EXPECT_EQ(number_of(steps), first);
  steps[1].value = 7;
  EXPECT_NE(number_of(steps), first);
  EXPECT_NE(number_of(kernels::ArrayKernel::reduce_f64), number_of(kernels::ArrayKernel::make));
  EXPECT_GT(first, number_of(kernels::ArrayKernel::search));
  EXPECT_GT(number_of(steps), number_of(kernels::ArrayKernel::search));
}

TEST(SharedMemory, is_the_same_for_those_who_get_its_descriptor) {
  auto [here, there] = Channel::pair();
  const SharedMemory mine(100000);
  std::memset(mine.bytes().data(), 3, mine.bytes().size());
  ASSERT_EQ(here.send(some_bytes(1), kSoon, mine.descriptor()), Outcome::done);
  Message message;
  ASSERT_EQ(there.receive(message, kSoon), Outcome::done);
  const SharedMemory theirs(std::move(message.descriptor), mine.bytes().size());
  EXPECT_EQ(theirs.bytes()[99999], std::byte{3});
  theirs.bytes()[50000] = std::byte{4};
  EXPECT_EQ(mine.bytes()[50000], std::byte{4});
}

TEST(SharedMemory, that_there_is_no_room_for_is_a_failure_of_the_device) {
  EXPECT_THROW(SharedMemory(std::size_t{1} << 62), DeviceError);
}

std::string end_of_shell(const std::string& script) {
  auto [mine, theirs] = Channel::pair();
  const ChildProcess child("/bin/sh", {"sh", "-c", script}, std::move(theirs));
  return child.end();
}

TEST(ChildProcess, says_how_it_ended) {
  EXPECT_EQ(end_of_shell("exit 3"), "left with exit code 3");
  EXPECT_EQ(end_of_shell("kill -SEGV $$").substr(0, 23), "was ended by SIGSEGV (S");
  EXPECT_NE(end_of_shell("kill -KILL $$").find("lack of memory"), std::string::npos);
}

TEST(ChildProcess, closes_the_line_when_it_ends) {
  auto [mine, theirs] = Channel::pair();
  const ChildProcess child("/bin/sh", {"sh", "-c", "exit 0"}, std::move(theirs));
  Message message;
  EXPECT_EQ(mine.receive(message, kSoon), Outcome::closed);
}

TEST(ChildProcess, is_not_asked_to_stop_with_the_group_and_takes_no_launcher_for_its_own) {
  ::setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  ::setenv("PMIX_RANK", "1", 1);
  ::setenv("TESSERA_KEPT", "1", 1);
  EXPECT_EQ(end_of_shell("for s in TERM INT HUP USR1 USR2; do kill -$s $$; done; "
                         "test -z \"$OMPI_COMM_WORLD_SIZE$PMIX_RANK\" && test -n \"$TESSERA_KEPT\" "
                         "&& test -e /proc/self/fd/3 && exit 5"),
            "left with exit code 5");
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "TESSERA_KEPT"}) ::unsetenv(name);
}

TEST(ChildProcess, is_killed_when_it_does_not_leave) {
  int pid = 0;
  {
    auto [mine, theirs] = Channel::pair();
    const ChildProcess child("/bin/sleep", {"sleep", "100"}, std::move(theirs));
    pid = child.pid();
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(ChildProcess, that_cannot_be_started_is_a_failure_of_the_device) {
  auto [mine, theirs] = Channel::pair();
  EXPECT_THROW(ChildProcess("/nowhere", {"nowhere"}, std::move(theirs)), DeviceError);
}

/// How the rank sees what the process of the device throws.
template <class Error>
void expect_arrives_as_it_was_thrown() {
  Message answer;
  answer.body = answer_of([]() -> base::Bytes { throw Error("out of luck"); });
  try {
    take_answer(answer);
    ADD_FAILURE() << "no error";
  } catch (const DeviceError& error) {
    EXPECT_EQ(typeid(error), typeid(Error));
    EXPECT_STREQ(error.what(), "out of luck");
  }
}

TEST(Answer, tells_a_lost_context_and_a_busy_device_from_other_failures) {
  expect_arrives_as_it_was_thrown<DeviceError>();
  expect_arrives_as_it_was_thrown<ContextLostError>();
  expect_arrives_as_it_was_thrown<DeviceBusyError>();
}

TEST(RetryWhileBusy, waits_for_a_busy_device_and_for_nothing_else) {
  constexpr BusyPause kAtOnce{.attempts = 3, .pause = std::chrono::milliseconds(0)};
  int calls = 0;
  const auto busy_before = [&](int call) {
    return [&calls, call] {
      if (++calls < call) throw DeviceBusyError("full");
      return calls;
    };
  };
  EXPECT_EQ(retry_while_busy(busy_before(3), kAtOnce), 3);
  calls = 0;
  EXPECT_THROW(retry_while_busy(busy_before(4), kAtOnce), DeviceBusyError);
  EXPECT_EQ(calls, 3);
  calls = 0;
  EXPECT_THROW(retry_while_busy(
                   [&] {
                     ++calls;
                     throw DeviceError("broken");
                   },
                   kAtOnce),
               DeviceError);
  EXPECT_EQ(calls, 1);
}

/// Clears shared memory some time after it was asked to, as a device does.
class LateStream : public gpu::Stream {
 public:
  explicit LateStream(bool& late) : late_(late) {}
  std::size_t capacity() const override { return kMinBytes; }
  bool grow(std::size_t) override { return false; }
  void wait() override { in_flight_ = false; }
  std::unique_ptr<HostBuffer> make_host_buffer(std::size_t) override { return nullptr; }
  std::shared_ptr<void> lock_memory(std::span<std::byte> bytes) override {
    return {bytes.data(), [this](void*) { late_ = in_flight_; }};
  }
  void clear(std::size_t) override {}
  void begin_stats() override {}
  void launch(const gpu::Tile&) override {}
  gpu::BandStats read_stats() override { return {}; }
  void copy_out(std::size_t, std::span<std::byte>) override { in_flight_ = true; }
  void copy_in(std::span<const std::byte>, std::size_t) override {}
  bool use_deep(std::uint64_t, std::uint32_t) override { return false; }
  bool make_deep(std::uint32_t, const kernels::TsDeepImage&, std::size_t) override { return false; }
  void copy_deep(std::span<const std::byte>, std::size_t) override {}
  void share_deep(std::uint64_t) override {}

 private:
  bool in_flight_ = false;
  bool& late_;
};

TEST(StreamServer, frees_shared_memory_only_after_the_copies_into_it) {
  auto [rank, process] = Channel::pair();
  const SharedMemory memory(1000);
  bool late = true;
  std::thread server([&late, &line = process] {
    serve_pixels([&] { return std::make_unique<LateStream>(late); }, line);
  });
  Message answer;
  EXPECT_EQ(rank.receive(answer, kSoon), Outcome::done);
  constexpr std::uint64_t kNumber = 0;
  base::ByteWriter share;
  share.put(Reply::requested, Command::share, kNumber, memory.bytes().size());
  EXPECT_EQ(rank.send(share.take(), kSoon, memory.descriptor()), Outcome::done);
  EXPECT_EQ(rank.receive(answer, kSoon), Outcome::done);
  base::ByteWriter copy;
  copy.put(Reply::requested, Command::call, number_of<&gpu::Stream::copy_out>(Calls()),
           std::size_t{0}, SharedRegion{kNumber, 0, 1000});
  EXPECT_EQ(rank.send(copy.take(), kSoon), Outcome::done);
  EXPECT_EQ(rank.receive(answer, kSoon), Outcome::done);
  { const Channel closed = std::move(rank); }
  server.join();
  EXPECT_FALSE(late);
}

TEST(ResponseTimeout, grows_with_the_work_and_shrinks_with_the_speed_that_was_seen) {
  ResponseTimeout response_timeout(5, 4);
  EXPECT_EQ(response_timeout.allowed_s(), 5);
  response_timeout.launched(1e9);
  EXPECT_DOUBLE_EQ(response_timeout.allowed_s(), 5 + 10 * 1e9 / 1e8);
  response_timeout.learn(1e9, 0.5);
  EXPECT_DOUBLE_EQ(response_timeout.allowed_s(), 5 + 10 * 4 * 0.5);
  response_timeout.learn(1e3, 0.5);  // mostly overhead
  response_timeout.launched(1e3);    // behind a large one
  EXPECT_DOUBLE_EQ(response_timeout.allowed_s(), 5 + 10 * 4 * 0.5);
}

}  // namespace
}  // namespace tessera::device::process
