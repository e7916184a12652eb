// What the runtime reports. A check that reports nothing would let every test of the backend pass.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

#include "blocks.hpp"
#include "device_memory.hpp"
#include "faulty_kernels.hpp"
#include "settings.hpp"

namespace cuda_runtime {
namespace {

constexpr std::uint32_t kThreads = 64;

/// Device memory of so many words, as kernels see it.
unsigned* words(std::size_t count, bool written = true) {
  void* const handle = allocate(0, count * sizeof(unsigned));
  std::byte* const bytes = bytes_of(handle, count * sizeof(unsigned), "a test");
  std::memset(bytes, 0, written ? count * sizeof(unsigned) : 0);
  if (written) mark_written(bytes, count * sizeof(unsigned));
  return reinterpret_cast<unsigned*>(bytes);
}

class Kernels : public testing::Test {
 protected:
  static void SetUpTestSuite() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(Kernels, compute) {
  unsigned* const from = words(8);
  unsigned* const to = words(8, false);
  from[3] = 42;
  run_blocks(2, kThreads, [=] { copy_element(from, 3, to); });
  EXPECT_EQ(to[0], 42U);
  EXPECT_EQ(to[1], 42U);
  run_blocks(1000, kThreads, [=] { count_blocks(from); });
  EXPECT_EQ(from[0], 1000U);
}

TEST_F(Kernels, meet_at_barriers) {
  unsigned* const to = words(kThreads);
  run_blocks(1, kThreads, [=] { pass_on(to, true); });
  for (unsigned i = 0; i < kThreads; ++i) EXPECT_EQ(to[i], (i + 1) % kThreads);
}

TEST_F(Kernels, may_not_read_behind_an_allocation) {
  unsigned* const from = words(8);
  EXPECT_DEATH(run_blocks(1, kThreads, [=] { copy_element(from, 8, from); }), "not allocated");
}

TEST_F(Kernels, may_not_read_before_an_allocation) {
  unsigned* const from = words(8);
  EXPECT_DEATH(run_blocks(1, kThreads, [=] { copy_element(from - 1, 0, from); }), "not allocated");
}

TEST_F(Kernels, may_not_write_behind_an_allocation) {
  unsigned* const to = words(1);
  EXPECT_DEATH(run_blocks(2, kThreads, [=] { copy_element(words(1), 0, to); }), "not allocated");
}

TEST_F(Kernels, may_not_read_what_nothing_wrote) {
  unsigned* const from = words(8, false);
  unsigned* const to = words(8);
  EXPECT_DEATH(run_blocks(1, kThreads, [=] { copy_element(from, 5, to); }), "nothing wrote");
}

TEST_F(Kernels, may_not_read_what_is_free) {
  void* const handle = allocate(0, 64);
  auto* const from = reinterpret_cast<unsigned*>(bytes_of(handle, 64, "a test"));
  release(handle);
  EXPECT_DEATH(run_blocks(1, kThreads, [=] { copy_element(from, 0, words(1)); }), "free");
}

TEST_F(Kernels, may_not_write_the_same_byte_in_two_blocks) {
  unsigned* const to = words(8);
  run_blocks(1, kThreads, [=] { write_same_element(to); });
  run_blocks(1, kThreads, [=] { write_same_element(to); });  // another launch may
  EXPECT_DEATH(run_blocks(2, kThreads, [=] { write_same_element(to); }), "same byte as block");
}

TEST_F(Kernels, may_not_read_what_another_block_counts) {
  unsigned* const to = words(8);
  EXPECT_DEATH(run_blocks(2, kThreads, [=] { count_and_read(to); }), "same byte");
}

TEST_F(Kernels, may_not_pass_shared_memory_on_without_a_barrier) {
  unsigned* const to = words(kThreads);
  EXPECT_DEATH(run_blocks(1, kThreads, [=] { pass_on(to, false); }), "no barrier between|nothing");
}

TEST_F(Kernels, may_not_read_the_shared_memory_of_another_block) {
  unsigned* const to = words(std::size_t{8} * kThreads);
  run_blocks(1, kThreads, [=] { read_shared(to); });
  EXPECT_DEATH(run_blocks(8, kThreads, [=] { read_shared(to); }), "shared memory that nothing");
}

TEST_F(Kernels, may_not_end_while_others_wait) {
  EXPECT_DEATH(run_blocks(1, kThreads, wait_alone), "63 of 64 threads");
}

TEST_F(Kernels, may_not_load_vectors_that_are_not_aligned_or_reach_too_far) {
  unsigned* const from = words(8);
  EXPECT_DEATH(run_blocks(1, kThreads, [=] { load_pair(from + 1, from); }), "not aligned");
  unsigned* const few = words(3);
  EXPECT_DEATH(run_blocks(1, kThreads, [=] { load_pair(few, from); }), "not allocated");
}

/// The two devices and the schedule are those of runtime_test in CMakeLists.txt.
class Calls : public Kernels {
 protected:
  void SetUp() override {
    ASSERT_EQ(settings().devices, 2);
    ASSERT_EQ(settings().schedule, Schedule::late);
    ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess);
    const unsigned flags = cudaEventBlockingSync | cudaEventDisableTiming;
    ASSERT_EQ(cudaEventCreateWithFlags(&event_, flags), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&memory_, kBytes), cudaSuccess);
    void* host = nullptr;
    ASSERT_EQ(cudaHostAlloc(&host, kBytes, cudaHostAllocPortable), cudaSuccess);
    host_ = static_cast<unsigned char*>(host);
  }
  void copy_in() { cudaMemcpyAsync(memory_, host_, kBytes, cudaMemcpyHostToDevice, stream_); }
  void copy_out() { cudaMemcpyAsync(host_, memory_, kBytes, cudaMemcpyDeviceToHost, stream_); }
  void wait() {
    cudaEventRecord(event_, stream_);
    EXPECT_EQ(cudaEventSynchronize(event_), cudaSuccess);
  }

  static constexpr std::size_t kBytes = 1000;
  cudaStream_t stream_ = nullptr;
  cudaEvent_t event_ = nullptr;
  void* memory_ = nullptr;
  unsigned char* host_ = nullptr;
};

TEST_F(Calls, copy_once_somebody_waits) {
  std::memset(host_, 5, kBytes);
  copy_in();
  wait();
  std::memset(host_, 0, kBytes);
  copy_out();
  EXPECT_EQ(host_[7], 0xEE) << "the pattern of what is not there yet";
  wait();
  EXPECT_EQ(host_[7], 5);
}

TEST_F(Calls, do_not_let_the_host_read_device_memory) {
  EXPECT_DEATH(std::memset(memory_, 0, 1), "");
}

TEST_F(Calls, do_not_let_the_source_of_a_copy_change) {
  EXPECT_DEATH(
      {
        copy_in();
        host_[9] ^= 1;
        wait();
      },
      "the host changes the memory");
}

TEST_F(Calls, do_not_let_the_target_of_a_copy_be_freed) {
  EXPECT_DEATH(
      {
        cudaMemsetAsync(memory_, 0, kBytes, stream_);
        copy_out();
        cudaFreeHost(host_);
      },
      "a copy in flight");
}

TEST_F(Calls, do_not_copy_what_nothing_wrote) {
  EXPECT_DEATH(
      {
        copy_out();
        wait();
      },
      "nothing wrote");
}

TEST_F(Calls, do_not_copy_more_than_is_allocated) {
  std::array<char, 2 * kBytes> larger{};
  EXPECT_DEATH(cudaMemcpyAsync(memory_, larger.data(), kBytes + 1, cudaMemcpyHostToDevice, stream_),
               "not all allocated");
}

TEST_F(Calls, need_the_device_of_their_stream) {
  cudaSetDevice(1);
  EXPECT_DEATH(copy_in(), "stream of device 0 while device 1 is current");
  EXPECT_DEATH(cudaEventRecord(event_, stream_), "while device 1 is current");
}

TEST_F(Calls, do_not_free_memory_twice) {
  cudaFree(memory_);
  EXPECT_DEATH(cudaFree(memory_), "not allocated");
}

TEST_F(Calls, do_not_wait_for_an_event_that_is_not_recorded) {
  EXPECT_DEATH(cudaEventSynchronize(event_), "never recorded");
}

TEST_F(Calls, fail_where_memory_is_short) {
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, settings().memory), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace cuda_runtime
