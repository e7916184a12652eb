// The pyramids of the images in use, and the thread that builds them.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "view/allowance.hpp"
#include "view/pyramid.hpp"

namespace tessera::view {

/// Any thread may use it.
class Pyramids {
 public:
  /// Builds at low priority, with `threads` threads or as many as have memory, and for images that
  /// are being written as `allowance` permits. The file of a pyramid lies beside its image. If that
  /// is not possible, it lies in the folder `cache`; if `cache` is "", it is an unnamed temporary
  /// file.
  Pyramids(int threads, std::uint64_t memory_bytes, std::string cache, Allowance& allowance);
  /// Stops building and saves what there is.
  ~Pyramids();
  Pyramids(const Pyramids&) = delete;
  Pyramids& operator=(const Pyramids&) = delete;

  /// The pyramid of a field. From now on, it grows with the image. Null for a small image, which
  /// needs none, and if there is no space for it.
  std::shared_ptr<Pyramid> of(const std::shared_ptr<const OpenImage>& image, job::Field field);

 private:
  using Clock = std::chrono::steady_clock;
  struct Entry {
    std::uint64_t generation = 0;
    job::Field field = job::Field::iterations;
    std::shared_ptr<const OpenImage> image;
    std::shared_ptr<Pyramid> pyramid;  ///< null if it cannot be made
    bool idle = false;                 ///< nothing is left to do
    Clock::time_point last_use;
  };
  std::unique_ptr<store::PyramidFile> open_file(const OpenImage& image, job::Field field) const;
  Entry& entry_of(const std::shared_ptr<const OpenImage>& image, job::Field field);
  void build();
  void build_politely(const std::function<void()>& build);
  void drop(const std::shared_ptr<Pyramid>& pyramid, const std::string& why);

  int members_of(const OpenImage& image, job::Field field) const;

  int threads_;
  std::uint64_t memory_bytes_;
  std::string cache_;
  Allowance& allowance_;
  std::mutex mutex_;
  std::condition_variable asked_;
  bool ended_ = false;
  std::vector<Entry> entries_;
  std::thread builder_;
};

}  // namespace tessera::view
