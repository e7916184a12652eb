// The pyramids of the images in use, and the thread that builds them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "base/lru_cache.hpp"
#include "view/cpu_throttle.hpp"
#include "view/pyramid.hpp"

namespace tessera::view {

/// Removes the pyramids beside an image that is gone.
void remove_pyramids(const std::string& image);

/// Any thread may use it.
class Pyramids {
 public:
  /// Builds at low priority, with `threads` threads or as many as have memory, and for images that
  /// are being written as `throttle` permits. The file of a pyramid lies beside its image. If that
  /// is not possible, it lies in the folder `cache`; if `cache` is "", it is an unnamed temporary
  /// file.
  Pyramids(int threads, std::uint64_t memory_bytes, std::string cache, CpuThrottle& throttle);
  /// Stops building and saves what there is.
  ~Pyramids();
  Pyramids(const Pyramids&) = delete;
  Pyramids& operator=(const Pyramids&) = delete;

  /// The pyramid of a field. From now on, it grows with the image. Null for a small image, which
  /// needs none, and if there is no space for it.
  std::shared_ptr<Pyramid> of(const std::shared_ptr<const OpenImage>& image, job::Field field);

 private:
  static constexpr std::size_t kMaxPyramids = 16;  ///< that stay open
  using Clock = base::Clock;
  struct Entry {
    job::Field field = job::Field::iterations;
    std::shared_ptr<const OpenImage> image;
    std::shared_ptr<Pyramid> pyramid;  ///< null if it cannot be made
    bool idle = true;                  ///< nothing is left to do
  };
  std::unique_ptr<store::PyramidFile> open_file(const OpenImage& image, job::Field field) const;
  std::shared_ptr<Pyramid> make(const std::shared_ptr<const OpenImage>& image,
                                job::Field field) const;
  void build();
  bool step(Entry& entry, base::ThreadTeam& team);
  void build_throttled(const std::function<void()>& build);
  int members_of(const OpenImage& image, job::Field field) const;

  int threads_;
  std::uint64_t memory_bytes_;
  std::string cache_;
  CpuThrottle& throttle_;
  std::mutex mutex_;
  std::condition_variable asked_;
  bool ended_ = false;
  /// By generation and field. mutex_ guards what the entries hold.
  base::LruCache<std::pair<std::uint64_t, job::Field>, Entry> entries_{kMaxPyramids};
  std::thread builder_;
};

}  // namespace tessera::view
