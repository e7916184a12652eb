// The checks of memory accesses. The compiler inserts calls of these functions before each access
// of a kernel to memory that others can see: kernels are compiled with -fsanitize=thread, and this
// file stands in for the library of that sanitizer.
#include <cstddef>

#include "blocks.hpp"
#include "device_memory.hpp"
#include "settings.hpp"

namespace cuda_runtime {

namespace {

/// Other addresses are those of the thread's own stack, or of constants.
void check(const void* address, std::size_t size, Access access) {
  if (!check_access(address, size, access)) check_shared_access(address, size, access);
}

}  // namespace
}  // namespace cuda_runtime

// NOLINTBEGIN(bugprone-reserved-identifier): the names are the compiler's.
extern "C" {
void __tsan_init();
void __tsan_func_entry(void* caller);
void __tsan_func_exit();
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

#define CHECKED_ACCESSES(size)                                              \
  void __tsan_read##size(void* address);                                    \
  void __tsan_write##size(void* address);                                   \
  void __tsan_unaligned_read##size(void* address);                          \
  void __tsan_unaligned_write##size(void* address);                         \
  void __tsan_read##size(void* address) {                                   \
    cuda_runtime::check(address, size, cuda_runtime::Access::read);         \
  }                                                                         \
  void __tsan_write##size(void* address) {                                  \
    cuda_runtime::check(address, size, cuda_runtime::Access::write);        \
  }                                                                         \
  void __tsan_unaligned_read##size(void*) {                                 \
    cuda_runtime::report("a kernel reads an address that is not aligned");  \
  }                                                                         \
  void __tsan_unaligned_write##size(void*) {                                \
    cuda_runtime::report("a kernel writes an address that is not aligned"); \
  }
CHECKED_ACCESSES(1)
CHECKED_ACCESSES(2)
CHECKED_ACCESSES(4)
CHECKED_ACCESSES(8)
CHECKED_ACCESSES(16)

/// The guards of static variables.
char __tsan_atomic8_load(const volatile char* guard, int order);
char __tsan_atomic8_load(const volatile char* guard, int) {
  return __atomic_load_n(guard, __ATOMIC_ACQUIRE);
}

void __tsan_read_range(void* address, std::size_t size);
void __tsan_write_range(void* address, std::size_t size);
void __tsan_read_range(void* address, std::size_t size) {
  cuda_runtime::check(address, size, cuda_runtime::Access::read);
}
void __tsan_write_range(void* address, std::size_t size) {
  cuda_runtime::check(address, size, cuda_runtime::Access::write);
}
}
// NOLINTEND(bugprone-reserved-identifier)
