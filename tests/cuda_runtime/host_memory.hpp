// Page-locked host memory, and the parts of host memory that copies use at present.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace cuda_runtime {

/// Page-locked memory that faults once it is freed; null where settings refuse it.
std::byte* allocate_host(std::size_t bytes);
/// Reports memory that a copy in flight uses, and memory that allocate_host() did not return.
void release_host(void* memory);
/// False where settings refuse it. Reports memory that is page-locked already.
bool lock_host(void* memory, std::size_t bytes);
void unlock_host(void* memory);

/// A copy that is queued: freeing or unlocking its memory is reported until it is destroyed. What
/// the host does to the memory meanwhile is found too: the source of a copy has to stay as it was,
/// and the target has to stay as the constructor leaves it, filled with a pattern.
class CopyInFlight {
 public:
  CopyInFlight(const void* source, std::size_t bytes);
  static std::shared_ptr<CopyInFlight> to_host(void* target, std::size_t bytes);
  ~CopyInFlight();
  CopyInFlight(const CopyInFlight&) = delete;
  CopyInFlight& operator=(const CopyInFlight&) = delete;

  /// Called as the copy is executed.
  void check_unchanged() const;

 private:
  const std::byte* memory_;
  std::vector<std::byte> contents_;
};

}  // namespace cuda_runtime
