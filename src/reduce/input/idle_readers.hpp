// Readers that the threads of a source share.
#pragma once

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera::reduce {

/// As many readers as threads read at the same time. Each keeps what it has decompressed.
template <class Reader>
class IdleReaders {
 public:
  /// use(reader), with one that no other thread has; with make(), which returns a pointer, if there
  /// is none. A reader is gone after an error.
  template <class Make, class Use>
  void lend(const Make& make, const Use& use) {
    std::unique_ptr<Reader> reader = take();
    if (!reader) reader = make();
    use(*reader);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(reader));
  }

 private:
  std::unique_ptr<Reader> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Reader> reader = std::move(idle_.back());
    idle_.pop_back();
    return reader;
  }

  std::mutex mutex_;
  std::vector<std::unique_ptr<Reader>> idle_;
};

}  // namespace tessera::reduce
