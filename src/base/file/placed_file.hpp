// A file that is written at places of the writer's choosing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tessera::base {

/// Owned. All members but the destructor throw file_error() (posix_file.hpp).
class PlacedFile {
 public:
  /// Opens `path`, or creates it empty.
  explicit PlacedFile(std::string path);
  ~PlacedFile();
  PlacedFile(const PlacedFile&) = delete;
  PlacedFile& operator=(const PlacedFile&) = delete;

  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// The contents reach the disk.
  void sync();

 private:
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace tessera::base
