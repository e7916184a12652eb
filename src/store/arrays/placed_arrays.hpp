// Arrays whose elements are at known places of a file, written by several threads and ranks at the
// same time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file/posix_file.hpp"
#include "plan/array_pieces.hpp"
#include "store/arrays/written_array.hpp"

namespace tessera::store {

/// Any thread may call every member. Members throw base::Error (failed) naming the file, and the
/// free space if the disk is full.
class PlacedArrays {
 public:
  /// `files`: that of each array, as element_files() returns them. `offsets`: byte offset of the
  /// first element there.
  PlacedArrays(const std::vector<std::string>& files, std::vector<WrittenArray> arrays,
               std::vector<std::uint64_t> offsets);

  /// As ArrayWriter::write().
  std::uint32_t write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                      std::span<const std::byte> elements, std::uint32_t checksum = 0);
  /// As ArrayWriter::read_checksum().
  std::uint32_t read_checksum(std::size_t array, const plan::Box& box,
                              std::uint32_t checksum = 0) const;
  void sync();
  /// Starts to sync what lies from the beginning of a box to the end of another one, if it is
  /// nothing but `elements` elements: parts of a page would be written several times.
  void start_sync(std::size_t array, const plan::Box& first, const plan::Box& last,
                  std::int64_t elements);

 private:
  std::vector<std::shared_ptr<base::PosixFile>> files_;  ///< by array
  std::vector<WrittenArray> arrays_;
  std::vector<std::uint64_t> offsets_;
};

}  // namespace tessera::store
