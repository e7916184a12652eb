#include "device/process/shared_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "device/device.hpp"

namespace tessera::device::process {
namespace {

[[noreturn]] void fail(const char* call) {
  throw DeviceError(fmt::format("{}: {}", call, std::strerror(errno)));
}

}  // namespace

SharedMemory::SharedMemory(std::size_t bytes)
    : descriptor_(::memfd_create("tessera", MFD_CLOEXEC)) {
  if (descriptor_.get() < 0) fail("memfd_create");
  if (::ftruncate(descriptor_.get(), static_cast<off_t>(bytes)) != 0) fail("ftruncate");
  map(bytes);
}

SharedMemory::SharedMemory(Descriptor descriptor, std::size_t bytes)
    : descriptor_(std::move(descriptor)) {
  map(bytes);
}

SharedMemory::~SharedMemory() {
  ::munmap(bytes_.data(), bytes_.size());
}

void SharedMemory::map(std::size_t bytes) {
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.get(), 0);
  if (memory == MAP_FAILED) fail("mmap");
  bytes_ = {static_cast<std::byte*>(memory), bytes};
}

}  // namespace tessera::device::process
