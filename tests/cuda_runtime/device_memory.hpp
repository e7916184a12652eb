// Device memory of the simulated devices. What cudaMalloc returns is a handle, an address that
// nobody can read or write; kernels and copies get the bytes, which lie elsewhere. So a host access
// to device memory faults.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cuda_runtime {

/// Whether kernels call the checks below (accesses.cpp). Under other sanitizers they do not, so
/// that nothing is known of what they write.
#ifdef CUDA_RUNTIME_CHECKS_ACCESSES
constexpr bool kKernelsAreChecked = true;
#else
constexpr bool kKernelsAreChecked = false;
#endif

/// Allocates on `device`; null if the device has too little memory. Aligned to 256 bytes, as
/// cudaMalloc does.
void* allocate(int device, std::size_t bytes);
/// Reports an address that allocate() did not return, or that is free already.
void release(void* handle);
/// Bytes that are allocated now.
std::size_t allocated_bytes(int device);

/// Of any address: the device to which the handle belongs, or -1.
int device_of(const void* handle);
/// Where the bytes of a handle lie. Reports a range that is not inside one allocation.
std::byte* bytes_of(const void* handle, std::size_t size, const char* use);

/// After a copy to these bytes or a memset: reads of them are correct.
void mark_written(const std::byte* bytes, std::size_t size);
/// Reports a word of bytes that nothing has written since they were allocated.
void check_written(const std::byte* bytes, std::size_t size, const char* use);

/// What kernels do with memory: called for each access of an instrumented kernel (accesses.cpp).
enum class Access { read, write, atomic };
/// Reports an access outside of allocations, a read of bytes that nothing has written, and accesses
/// of two blocks of one launch to the same byte of which one is a write (atomic ones may meet).
/// False if the address is not one of device memory.
bool check_access(const void* bytes, std::size_t size, Access access);
/// A vector load may read unwritten bytes behind the first one.
void check_vector_load(const void* bytes, std::size_t size);

/// Accesses from now on are those of another launch, of `blocks` blocks.
void begin_launch(std::uint32_t blocks);
void begin_block(std::uint32_t block);

}  // namespace cuda_runtime
