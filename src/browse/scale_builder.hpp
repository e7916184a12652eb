// Makes the smaller scales of planes that somebody looks at, behind the requests.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "browse/plane_scales.hpp"

namespace tessera::browse {

/// Its threads work at the plane that was asked for last, and pause where nobody looks.
class ScaleBuilder {
 public:
  explicit ScaleBuilder(int threads);
  ~ScaleBuilder();
  ScaleBuilder(const ScaleBuilder&) = delete;
  ScaleBuilder& operator=(const ScaleBuilder&) = delete;

  /// Somebody looks at it.
  void want(const std::shared_ptr<PlaneScales>& scales);

 private:
  void work();
  /// Null if there is nothing to do.
  std::shared_ptr<PlaneScales> next();

  std::mutex mutex_;
  std::condition_variable wanted_;
  bool closed_ = false;
  std::vector<std::weak_ptr<PlaneScales>> all_;  ///< the last one was asked for last
  std::vector<std::thread> threads_;
};

}  // namespace tessera::browse
