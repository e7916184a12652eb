#include "blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>
#include <cstring>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <vector>

#include "device_memory.hpp"
#include "settings.hpp"
#include "words.hpp"

// All variables that kernels declare as __shared__.
extern "C" {
extern std::byte __start_cuda_shared[];
extern std::byte __stop_cuda_shared[];
}

Index blockIdx, threadIdx;
Size gridDim, blockDim;

namespace cuda_runtime {
namespace {

namespace context = boost::context;

constexpr std::size_t kStackBytes = 64 << 10;
constexpr unsigned kWarp = 32;

constexpr std::size_t kWord = 4;  ///< shared memory is used in words

/// The last uses of a word of shared memory. Intervals lie between two barriers; numbers of threads
/// begin with 1, and more than one thread is kSeveral.
struct SharedUse {
  std::uint64_t written = 0, read = 0;  ///< intervals
  std::uint32_t writer = 0, reader = 0;
};
constexpr std::uint32_t kSeveral = ~0U, kAtomic = ~0U - 1;

class Grid {
 public:
  void run(std::uint32_t blocks, std::uint32_t threads, const std::function<void()>& kernel);
  void wait_for_others();
  void check(std::size_t word, Access access);

 private:
  struct Thread {
    context::fiber fiber;
    bool ended = false;
  };
  void run_block(std::uint32_t block);
  std::size_t run_interval();
  void shuffle_threads();
  context::fiber run_thread(context::fiber&& scheduler);

  std::mutex one_launch_;
  const std::function<void()>* kernel_ = nullptr;
  std::vector<Thread> threads_;
  std::uint32_t running_ = 0, count_ = 0;
  context::fiber scheduler_;
  std::vector<std::uint32_t> order_;
  std::mt19937_64 random_{settings().seed};
  std::vector<SharedUse> uses_{
      static_cast<std::size_t>(__stop_cuda_shared - __start_cuda_shared) / kWord + 1};
  std::uint64_t interval_ = 1, first_interval_ = 1;
};

Grid& grid() {
  static Grid& known = *new Grid;  // never destroyed: fibers are suspended in it
  return known;
}

void Grid::run(std::uint32_t blocks, std::uint32_t threads, const std::function<void()>& kernel) {
  const std::scoped_lock lock(one_launch_);
  kernel_ = &kernel;
  count_ = threads;
  threads_.resize(std::max<std::size_t>(threads_.size(), threads));
  gridDim.x = blocks;
  blockDim.x = threads;
  begin_launch(blocks);
  // Any order of blocks is allowed; a step that shares no factor with their number visits all.
  const std::uint64_t start = random_() % blocks;
  std::uint64_t step = random_() % blocks + 1;
  while (std::gcd(step, std::uint64_t{blocks}) != 1) ++step;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    run_block(static_cast<std::uint32_t>((start + i * step) % blocks));
  }
}

void Grid::run_block(std::uint32_t block) {
  begin_block(block);
  blockIdx.x = block;
  first_interval_ = ++interval_;
  // Kernels that check nothing find other bytes than those of the last block.
  std::fill(__start_cuda_shared, __stop_cuda_shared, std::byte{0xCB});
  for (std::uint32_t i = 0; i < count_; ++i) threads_[i].ended = false;
  for (std::size_t ended = 0; ended < count_; ++interval_) {
    ended = run_interval();
    if (ended != 0 && ended != count_) {
      report(fmt::format("{} of {} threads of a block end while the others wait at a barrier",
                         ended, count_));
    }
  }
}

std::size_t Grid::run_interval() {
  shuffle_threads();
  std::size_t ended = 0;
  for (const std::uint32_t number : order_) {
    Thread& thread = threads_[number];
    running_ = number;
    threadIdx.x = number;
    if (!thread.fiber) {
      thread.fiber =
          context::fiber(std::allocator_arg, context::fixedsize_stack(kStackBytes),
                         [this](context::fiber&& from) { return run_thread(std::move(from)); });
    }
    thread.fiber = std::move(thread.fiber).resume();
    ended += thread.ended ? 1 : 0;
  }
  return ended;
}

/// A fiber lives on for the same thread of later blocks, because a new one is dear.
context::fiber Grid::run_thread(context::fiber&& scheduler) {
  scheduler_ = std::move(scheduler);
  for (;;) {
    (*kernel_)();
    threads_[running_].ended = true;
    wait_for_others();
  }
}

void Grid::wait_for_others() {
  scheduler_ = std::move(scheduler_).resume();
}

/// Warps in any order, and the threads of a warp forwards or backwards.
void Grid::shuffle_threads() {
  order_.clear();
  std::vector<std::uint32_t> warps((count_ + kWarp - 1) / kWarp);
  std::iota(warps.begin(), warps.end(), 0U);
  std::shuffle(warps.begin(), warps.end(), random_);
  for (const std::uint32_t warp : warps) {
    const std::uint32_t end = std::min(count_, (warp + 1) * kWarp);
    for (std::uint32_t thread = warp * kWarp; thread < end; ++thread) order_.push_back(thread);
    if (random_() % 2 != 0) std::reverse(order_.end() - (end - warp * kWarp), order_.end());
  }
}

void Grid::check(std::size_t word, Access access) {
  SharedUse& use = uses_[word];
  const std::uint32_t me = running_ + 1;
  const bool by_other = use.written == interval_ && use.writer != me;
  if (by_other && !(access == Access::atomic && use.writer == kAtomic)) {
    report(fmt::format("thread {} uses shared memory that thread {} wrote, with no barrier between",
                       running_, use.writer - 1));
  }
  if (access != Access::write) {
    if (use.written < first_interval_) report("a kernel reads shared memory that nothing wrote");
    use.reader = use.read == interval_ && use.reader != me ? kSeveral : me;
    use.read = interval_;
  }
  if (access == Access::read) return;
  if (access == Access::write && use.read == interval_ && use.reader != me) {
    report(fmt::format("thread {} writes shared memory that another reads, with no barrier between",
                       running_));
  }
  use.written = interval_;
  use.writer = access == Access::atomic ? kAtomic : me;
}

}  // namespace

void run_blocks(std::uint32_t blocks, std::uint32_t threads, const std::function<void()>& kernel) {
  grid().run(blocks, threads, kernel);
}

void barrier() {
  grid().wait_for_others();
}

bool check_shared_access(const void* bytes, std::size_t size, Access access) {
  const auto* const first = static_cast<const std::byte*>(bytes);
  if (first < __start_cuda_shared || first >= __stop_cuda_shared) return false;
  if (!kKernelsAreChecked) return true;
  const auto offset = static_cast<std::size_t>(first - __start_cuda_shared);
  if (offset % kWord != 0 || size % kWord != 0)
    report("a use of shared memory that is not of words");
  for (std::size_t i = 0; i < size; i += kWord) grid().check((offset + i) / kWord, access);
  return true;
}

}  // namespace cuda_runtime
