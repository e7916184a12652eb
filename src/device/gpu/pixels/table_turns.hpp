// Lanes take turns with the one jump table that their device holds.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace tessera::device::gpu {

/// Lanes of the same deep image go on together; a lane with another image waits until they have
/// finished. Thread-safe.
class TableTurns {
 public:
  class Turn {
   public:
    /// Waits. `image`: the number of a deep image, or 0 for one that needs no table.
    Turn(TableTurns& turns, std::uint64_t image) : turns_(image == 0 ? nullptr : &turns) {
      if (turns_) turns_->begin(image);
    }
    ~Turn() {
      if (turns_) turns_->end();
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    TableTurns* turns_;
  };

 private:
  void begin(std::uint64_t image) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return lanes_ == 0 || image_ == image; });
    image_ = image;
    ++lanes_;
  }
  void end() {
    const std::scoped_lock lock(mutex_);
    if (--lanes_ == 0) changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t image_ = 0;
  int lanes_ = 0;
};

}  // namespace tessera::device::gpu
