#include "faulty_kernels.hpp"

#include "words.hpp"

namespace cuda_runtime {
namespace {

constexpr unsigned kThreads = 64;

}  // namespace

void copy_element(const unsigned* from, std::size_t index, unsigned* to) {
  if (threadIdx.x == 0) to[blockIdx.x] = from[index];
}

void write_same_element(unsigned* to) {
  if (threadIdx.x == 0) to[0] = 7;
}

void count_blocks(unsigned* to) {
  if (threadIdx.x == 0) atomicAdd(to, 1U);
}

void count_and_read(unsigned* to) {
  if (threadIdx.x == 0 && atomicAdd(to, 1U) == 0) to[1] = to[0];
}

void pass_on(unsigned* to, bool with_barrier) {
  __shared__ unsigned room[kThreads];
  room[threadIdx.x] = threadIdx.x;
  if (with_barrier) __syncthreads();
  to[threadIdx.x] = room[(threadIdx.x + 1) % kThreads];
}

void read_shared(unsigned* to) {
  __shared__ unsigned room[kThreads];
  if (blockIdx.x == 0) room[threadIdx.x] = 1;
  __syncthreads();
  to[blockIdx.x * kThreads + threadIdx.x] = room[threadIdx.x];
}

void wait_alone() {
  if (threadIdx.x == 0) __syncthreads();
}

void load_pair(const unsigned* from, unsigned* to) {
  to[threadIdx.x] = static_cast<unsigned>(__ldg(reinterpret_cast<const ulonglong2*>(from)).x);
}

}  // namespace cuda_runtime
