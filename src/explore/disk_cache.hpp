// A cache of squares on disk, of bounded size, for later visits of the same place.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "explore/square.hpp"

namespace tessera::explore {

/// All that the values of a square depend on, as text.
std::string identity_of(const SquareImage& square, const Place& place, const SquareKey& key);

/// Any thread may use it. Ignores damaged files, files of other squares, and errors of writing.
class DiskCache {
 public:
  /// Makes the folder; throws base::Error if that fails. With "", keeps nothing.
  DiskCache(std::string folder, std::uint64_t most_bytes);

  bool used() const { return !folder_.empty(); }
  /// Null if the cache lacks them.
  std::shared_ptr<const SquareValues> find(const std::string& identity);
  void keep(const std::string& identity, const SquareValues& values);

 private:
  std::string path_of(const std::string& identity) const;
  void make_room(std::uint64_t bytes);

  std::string folder_;
  std::uint64_t most_bytes_;
  std::mutex mutex_;  ///< guards bytes_
  std::uint64_t bytes_ = 0;
};

}  // namespace tessera::explore
