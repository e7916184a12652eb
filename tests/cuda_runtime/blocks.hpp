// Runs the blocks of a launch: every thread of a block is a fiber, and a barrier switches to the
// next one. Threads and blocks come in an order that the seed decides.
#pragma once

#include <cstdint>
#include <functional>

namespace cuda_runtime {

/// Runs `kernel` once for each thread of `blocks` blocks of `threads` threads. One launch runs at a
/// time in a process. Reports threads that end while others of their block wait at a barrier.
void run_blocks(std::uint32_t blocks, std::uint32_t threads, const std::function<void()>& kernel);

/// __syncthreads(), called by a kernel.
void barrier();

/// Uses of shared memory by the running thread. They report a read of bytes that this block has not
/// written, and uses of a byte by two threads with no barrier between them, of which one is a
/// write (atomic ones may meet). False if the address is not one of shared memory.
enum class Access;
bool check_shared_access(const void* bytes, std::size_t size, Access access);

}  // namespace cuda_runtime
