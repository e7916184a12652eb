#include "device/cuda/memory.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdint>

#include "base/run.hpp"

namespace tessera::device::cuda {
namespace {

/// Freed memory that a device's pool keeps for the next allocation.
constexpr std::uint64_t kPoolKeepsBytes = std::uint64_t{128} << 20;

/// False if the device has no memory pool.
bool prepare_pool(int device, std::uint64_t kept_bytes) {
  int supported = 0;
  cudaMemPool_t pool = nullptr;
  std::uint64_t keep = kept_bytes;
  const bool ready =
      cudaDeviceGetAttribute(&supported, cudaDevAttrMemoryPoolsSupported, device) == cudaSuccess &&
      supported != 0 && cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess &&
      cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep) == cudaSuccess;
  if (!ready) cudaGetLastError();
  return ready;
}

/// Prints the first refusal of this process.
void note_refusal(std::string_view call, cudaError_t code) {
  cudaGetLastError();
  static std::atomic_flag noted;
  if (ends_context(code) || noted.test_and_set()) return;
  base::log("tessera: cuda: {} refused page-locked memory: {}; copies will be slower", call,
            text_of(code));
}

}  // namespace

void FreeDeviceMemory::operator()(void* memory) const {
  cudaSetDevice(device);
  pooled ? cudaFreeAsync(memory, stream) : cudaFree(memory);
  // A pool gives memory back when a stream is awaited. Until then the device would have more than
  // the budget.
  if (pooled && budget->limited()) cudaStreamSynchronize(stream);
  budget->give_back(bytes);
}

WaitableStream::WaitableStream(int device) : device_(device) {
  check(cudaSetDevice(device), "cudaSetDevice");
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  stream_.reset(stream);
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | cudaEventDisableTiming),
        "cudaEventCreateWithFlags");
  done_.reset(event);
}

void WaitableStream::wait(std::string_view work) const {
  const cudaError_t recorded = cudaEventRecord(done_.get(), stream_.get());
  if (recorded != cudaSuccess) settle();
  check(recorded, "cudaEventRecord", work);
  check(cudaEventSynchronize(done_.get()), "cudaEventSynchronize", work);
}

void WaitableStream::settle() const noexcept {
  cudaSetDevice(device_);
  if (cudaStreamSynchronize(stream_.get()) != cudaSuccess) cudaGetLastError();
}

StreamMemory::StreamMemory(const WaitableStream& stream, std::shared_ptr<gpu::MemoryBudget> budget)
    : free_{stream.device(), stream.get(),
            prepare_pool(stream.device(), budget->limited() ? 0 : kPoolKeepsBytes),
            std::move(budget)} {}

cudaError_t StreamMemory::allocate(void*& memory, std::size_t bytes) const {
  const cudaError_t code =
      free_.pooled ? cudaMallocAsync(&memory, bytes, free_.stream) : cudaMalloc(&memory, bytes);
  if (code != cudaSuccess) free_.budget->give_back(bytes);
  return code;
}

FreeDeviceMemory StreamMemory::freeing(std::size_t bytes) const {
  FreeDeviceMemory free = free_;
  free.bytes = bytes;
  return free;
}

DeviceArray<std::byte> StreamMemory::try_make(std::size_t bytes) const {
  if (!free_.budget->try_take(bytes)) return nullptr;
  void* memory = nullptr;
  const cudaError_t code = allocate(memory, bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(code, kCall);
  return DeviceArray<std::byte>(static_cast<std::byte*>(memory), freeing(bytes));
}

DeviceArray<std::byte> try_make_shared(int device, const std::shared_ptr<gpu::MemoryBudget>& budget,
                                       std::size_t bytes) {
  if (!budget->try_take(bytes)) return nullptr;
  void* memory = nullptr;
  const cudaError_t code = cudaMalloc(&memory, bytes);
  if (code != cudaSuccess) budget->give_back(bytes);
  if (code == cudaErrorMemoryAllocation) {
    cudaGetLastError();
    return nullptr;
  }
  check(code, "cudaMalloc");
  return {static_cast<std::byte*>(memory), {.device = device, .budget = budget, .bytes = bytes}};
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) {
  void* memory = nullptr;
  const cudaError_t code = cudaHostAlloc(&memory, bytes, cudaHostAllocPortable);
  if (code == cudaSuccess) {
    memory_.reset(static_cast<std::byte*>(memory));
    bytes_ = {memory_.get(), bytes};
  } else {
    note_refusal("cudaHostAlloc", code);
    ordinary_.resize(bytes);
    bytes_ = ordinary_;
  }
}

std::shared_ptr<void> lock_memory(std::shared_ptr<const WaitableStream> stream,
                                  std::span<std::byte> bytes) {
  const cudaError_t code = cudaHostRegister(bytes.data(), bytes.size(), cudaHostRegisterPortable);
  if (code != cudaSuccess) {
    note_refusal("cudaHostRegister", code);
    return nullptr;
  }
  return {bytes.data(), [stream = std::move(stream)](void* memory) {
            stream->settle();
            cudaHostUnregister(memory);
          }};
}

}  // namespace tessera::device::cuda
