#include "host_memory.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>
#include <map>
#include <mutex>

#include "settings.hpp"

namespace cuda_runtime {
namespace {

constexpr int kHostPattern = 0xEE;

struct Range {
  const std::byte* first;
  std::size_t bytes;
  bool overlaps(const Range& other) const {
    return first < other.first + other.bytes && other.first < first + bytes;
  }
};

struct HostMemory {
  std::mutex mutex;
  std::map<const void*, std::size_t> allocated, locked;
  std::map<const CopyInFlight*, Range> in_flight;
};

HostMemory& host_memory() {
  static HostMemory& known = *new HostMemory;
  return known;
}

std::size_t take_out(std::map<const void*, std::size_t>& from, void* memory, const char* use) {
  HostMemory& all = host_memory();
  const auto found = from.find(memory);
  if (found == from.end()) report(fmt::format("{} memory that is not page-locked by it", use));
  const Range range{static_cast<std::byte*>(memory), found->second};
  for (const auto& [copy, used] : all.in_flight) {
    if (range.overlaps(used)) report(fmt::format("{} memory that a copy in flight uses", use));
  }
  from.erase(found);
  return range.bytes;
}

}  // namespace

std::byte* allocate_host(std::size_t bytes) {
  if (!settings().page_lock) return nullptr;
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::memset(memory, kHostPattern, bytes);
  const std::scoped_lock lock(host_memory().mutex);
  host_memory().allocated[memory] = bytes;
  return static_cast<std::byte*>(memory);
}

void release_host(void* memory) {
  const std::scoped_lock lock(host_memory().mutex);
  munmap(memory, take_out(host_memory().allocated, memory, "cudaFreeHost frees"));
}

bool lock_host(void* memory, std::size_t bytes) {
  if (!settings().page_lock) return false;
  const std::scoped_lock lock(host_memory().mutex);
  const Range range{static_cast<std::byte*>(memory), bytes};
  for (const auto& [first, size] : host_memory().locked) {
    if (range.overlaps({static_cast<const std::byte*>(first), size})) {
      report("cudaHostRegister takes memory that is page-locked already");
    }
  }
  host_memory().locked[memory] = bytes;
  return true;
}

void unlock_host(void* memory) {
  const std::scoped_lock lock(host_memory().mutex);
  take_out(host_memory().locked, memory, "cudaHostUnregister unlocks");
}

CopyInFlight::CopyInFlight(const void* source, std::size_t bytes)
    : memory_(static_cast<const std::byte*>(source)), contents_(memory_, memory_ + bytes) {
  const std::scoped_lock lock(host_memory().mutex);
  host_memory().in_flight[this] = {memory_, bytes};
}

std::shared_ptr<CopyInFlight> CopyInFlight::to_host(void* target, std::size_t bytes) {
  std::memset(target, kHostPattern, bytes);
  return std::make_shared<CopyInFlight>(target, bytes);
}

CopyInFlight::~CopyInFlight() {
  const std::scoped_lock lock(host_memory().mutex);
  host_memory().in_flight.erase(this);
}

void CopyInFlight::check_unchanged() const {
  if (std::memcmp(memory_, contents_.data(), contents_.size()) != 0) {
    report(fmt::format("the host changes the memory of a copy of {} bytes that is in flight",
                       contents_.size()));
  }
}

}  // namespace cuda_runtime
