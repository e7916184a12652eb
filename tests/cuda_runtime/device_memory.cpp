#include "device_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "settings.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define CUDA_RUNTIME_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CUDA_RUNTIME_ASAN 1
#endif
#endif
#ifdef CUDA_RUNTIME_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, size) (static_cast<void>(0))
#define ASAN_UNPOISON_MEMORY_REGION(address, size) (static_cast<void>(0))
#endif

namespace cuda_runtime {
namespace {

constexpr int kMaxDevices = 4;
constexpr std::size_t kDeviceBytes = std::size_t{1} << 35;  ///< of addresses; never used twice
constexpr std::size_t kAllBytes = kMaxDevices * kDeviceBytes;
constexpr std::size_t kPage = 4096;
constexpr int kDevicePattern = 0xCD;

/// What is known of a byte: who wrote it last, that nothing did (also where it is free), or that it
/// lies just before or behind an allocation.
using Stamp = std::uint32_t;
constexpr Stamp kUnwritten = 0;
constexpr Stamp kOutside = 1;
constexpr Stamp kByCopy = 2;

std::byte* reserve(std::size_t bytes, int protection) {
  void* const memory =
      mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) report("cannot reserve addresses for device memory");
  return static_cast<std::byte*>(memory);
}

/// Three ranges of addresses: those that programs see, the bytes, and a stamp for each byte.
struct Arena {
  std::byte* handles = reserve(kAllBytes, PROT_NONE);
  std::byte* bytes = reserve(kAllBytes, PROT_NONE);
  Stamp* stamps =
      reinterpret_cast<Stamp*>(reserve(kAllBytes * sizeof(Stamp), PROT_READ | PROT_WRITE));
  std::mutex mutex;
  std::map<std::size_t, std::size_t> allocations;  ///< offset and size
  std::array<std::size_t, kMaxDevices> next{}, allocated{};

  std::size_t offset_of(const void* byte) const {
    return static_cast<std::size_t>(static_cast<const std::byte*>(byte) - bytes);
  }
};

Arena& arena() {
  static Arena& known = *new Arena;
  return known;
}

std::size_t pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// Of the launch that is executed; only one is at a time.
Stamp first_stamp = 3;  ///< of the launch: atomic accesses; block b has first_stamp + 1 + b
Stamp own_stamp = 3;
Stamp next_launch = 3;

[[noreturn]] void report_access(std::string_view what, std::size_t offset) {
  report(fmt::format("{}, {} bytes from the start of the memory of device {}", what,
                     offset % kDeviceBytes, offset / kDeviceBytes));
}

bool of_this_launch(Stamp stamp) {
  return stamp >= first_stamp;
}

void check_byte(std::size_t offset, Stamp stamp, Access access) {
  if (stamp == kOutside) report_access("a kernel uses memory that is not allocated", offset);
  if (stamp == kUnwritten && access != Access::write) {
    report_access("a kernel reads memory that nothing wrote, or that is free", offset);
  }
  const bool of_another = of_this_launch(stamp) && stamp != own_stamp;
  if (of_another && !(access == Access::atomic && stamp == first_stamp)) {
    report_access(fmt::format("block {} uses the same byte as block {}, and one of them writes it",
                              own_stamp - first_stamp - 1, stamp - first_stamp - 1),
                  offset);
  }
}

}  // namespace

void* allocate(int device, std::size_t bytes) {
  Arena& all = arena();
  const std::scoped_lock lock(all.mutex);
  const auto number = static_cast<std::size_t>(device);
  if (all.allocated[number] + bytes > settings().memory) return nullptr;
  if (all.allocated[number] + bytes > settings().most) {
    report(fmt::format("device {} has more than {} bytes in use", number, settings().most));
  }
  // A page that stays free lies before and behind each allocation.
  const std::size_t offset = number * kDeviceBytes + all.next[number] + kPage;
  all.next[number] += pages(bytes) + 2 * kPage;
  if (all.next[number] > kDeviceBytes) report("the addresses of a device are used up");
  all.allocated[number] += bytes;
  all.allocations[offset] = bytes;
  if (mprotect(all.bytes + offset, pages(bytes), PROT_READ | PROT_WRITE) != 0) {
    report("cannot allocate the bytes of device memory");
  }
  std::memset(all.bytes + offset, kDevicePattern, bytes);
  ASAN_POISON_MEMORY_REGION(all.bytes + offset + bytes, pages(bytes) - bytes);
  std::fill_n(all.stamps + offset - kPage, kPage, kOutside);
  std::fill_n(all.stamps + offset + bytes, pages(bytes) - bytes + kPage, kOutside);
  return all.handles + offset;
}

void release(void* handle) {
  Arena& all = arena();
  const std::scoped_lock lock(all.mutex);
  const auto offset = static_cast<std::size_t>(static_cast<std::byte*>(handle) - all.handles);
  const auto found = all.allocations.find(offset);
  if (found == all.allocations.end()) report("frees device memory that is not allocated");
  const std::size_t bytes = found->second;
  all.allocations.erase(found);
  all.allocated[offset / kDeviceBytes] -= bytes;
  ASAN_UNPOISON_MEMORY_REGION(all.bytes + offset, pages(bytes));
  mprotect(all.bytes + offset, pages(bytes), PROT_NONE);
  madvise(all.bytes + offset, pages(bytes), MADV_DONTNEED);
  madvise(all.stamps + offset, pages(bytes) * sizeof(Stamp), MADV_DONTNEED);
}

std::size_t allocated_bytes(int device) {
  const std::scoped_lock lock(arena().mutex);
  return arena().allocated[static_cast<std::size_t>(device)];
}

int device_of(const void* handle) {
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(handle) - arena().handles);
  return offset < kAllBytes ? static_cast<int>(offset / kDeviceBytes) : -1;
}

std::byte* bytes_of(const void* handle, std::size_t size, const char* use) {
  Arena& all = arena();
  if (device_of(handle) < 0) {
    report(fmt::format("{} takes an address of the host for one of a device", use));
  }
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(handle) - all.handles);
  const std::scoped_lock lock(all.mutex);
  const auto behind = all.allocations.upper_bound(offset);
  if (behind == all.allocations.begin() ||
      offset + size > std::prev(behind)->first + std::prev(behind)->second) {
    report(fmt::format("{} reaches {} bytes that are not all allocated", use, size));
  }
  return all.bytes + offset;
}

void mark_written(const std::byte* bytes, std::size_t size) {
  std::fill_n(arena().stamps + arena().offset_of(bytes), size, kByCopy);
}

void check_written(const std::byte* bytes, std::size_t size, const char* use) {
  if (!kKernelsAreChecked) return;
  // Structures may end with some bytes that nothing writes, but not with a word.
  constexpr std::size_t kWord = 8;
  const Stamp* const stamps = arena().stamps + arena().offset_of(bytes);
  std::size_t unwritten = 0;
  for (std::size_t i = 0; i < size; ++i) {
    unwritten = stamps[i] == kUnwritten ? unwritten + 1 : 0;
    if (unwritten == std::min(size, kWord)) {
      report(fmt::format("{} reads {} bytes, and nothing wrote byte {} of them", use, size, i));
    }
  }
}

bool check_access(const void* bytes, std::size_t size, Access access) {
  const std::size_t offset = arena().offset_of(bytes);
  if (offset >= kAllBytes || !kKernelsAreChecked) return offset < kAllBytes;
  Stamp* const stamps = arena().stamps + offset;
  for (std::size_t i = 0; i < size; ++i) {
    if (stamps[i] != own_stamp || access == Access::atomic)
      check_byte(offset + i, stamps[i], access);
    if (access == Access::write) stamps[i] = own_stamp;
    if (access == Access::atomic) stamps[i] = first_stamp;
  }
  return true;
}

void check_vector_load(const void* bytes, std::size_t size) {
  const std::size_t offset = arena().offset_of(bytes);
  if (offset >= kAllBytes) report("a vector load of an address that is not one of a device");
  if (offset % size != 0) report_access("a vector load that is not aligned", offset);
  if (!kKernelsAreChecked) return;
  const Stamp* const stamps = arena().stamps + offset;
  check_byte(offset, stamps[0], Access::read);
  for (std::size_t i = 1; i < size; ++i) {
    if (stamps[i] == kOutside)
      report_access("a kernel uses memory that is not allocated", offset + i);
  }
}

void begin_launch(std::uint32_t blocks) {
  if (next_launch > ~Stamp{0} - blocks - 2) report("the stamps of launches are used up");
  first_stamp = next_launch;
  next_launch += blocks + 1;
}

void begin_block(std::uint32_t block) {
  own_stamp = first_stamp + 1 + block;
}

}  // namespace cuda_runtime
