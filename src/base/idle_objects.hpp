// A pool of objects, such as readers with their buffers. A thread borrows one and gives it back.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace tessera::base {

/// As many objects as threads use one at the same time. Each keeps its state, such as what it has
/// decompressed.
template <class Object>
class IdleObjects {
 public:
  using Make = std::function<std::unique_ptr<Object>()>;
  explicit IdleObjects(Make make) : make_(std::move(make)) {}

  /// use(object), with one that no other thread has, or with a new one. It is gone after an error.
  template <class Use>
  void lend(const Use& use) {
    std::unique_ptr<Object> object = take();
    if (!object) object = make_();
    use(*object);
    const std::scoped_lock lock(mutex_);
    idle_.push_back(std::move(object));
  }

 private:
  std::unique_ptr<Object> take() {
    const std::scoped_lock lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Object> object = std::move(idle_.back());
    idle_.pop_back();
    return object;
  }

  Make make_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Object>> idle_;
};

}  // namespace tessera::base
