// Arrays that are written, box by box in any order, as FILE.part until they are whole: one to a
// .npy file, or as many as one likes to an HDF5 file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "plan/array_pieces.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

struct WrittenArray {
  std::string name;  ///< of the dataset
  base::ElementType type = base::ElementType::f64;
  bool truth = false;  ///< false or true in a byte each; `type` is u8
  plan::Shape shape;
};

/// What a later run has to know to go on with FILE.part.
struct ArrayLayout {
  std::vector<std::uint64_t> offsets;  ///< of the first element of each array
  std::uint32_t head = 0;              ///< CRC-32C of all that is no element
};

/// One thread at a time, and while it is made no other HDF5 call in the process. All members throw
/// base::Error (failed) naming the file, with the space left where a disk is full.
class ArrayWriter {
 public:
  /// Creates `path`.part, replacing an old one; `path` ends in .npy, then there is one array and
  /// nowhere for the attributes to go, or it is an HDF5 file. Usage error if another run is writing
  /// it.
  ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
              const Attributes& attributes);
  /// Goes on with `path`.part, of which can_go_on() is true.
  ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays, ArrayLayout layout);
  /// Without finish(): removes the .part file, unless keep() was called.
  ~ArrayWriter();
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  /// There is a `path`.part, and all that is no element is as it was.
  static bool can_go_on(const std::string& path, const std::vector<WrittenArray>& arrays,
                        const ArrayLayout& layout);
  const ArrayLayout& layout() const;

  /// The elements of a box along the first dimensions of an array, of any further ones all;
  /// box.elements() times the elements of these. Those of the box come in `order`. Returns the
  /// CRC-32C of them as they lie in the file, going on from `checksum`.
  std::uint32_t write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                      std::span<const std::byte> elements, std::uint32_t checksum = 0);
  /// The same of what is there.
  std::uint32_t read_checksum(std::size_t array, const plan::Box& box,
                              std::uint32_t checksum = 0) const;
  /// What was written reaches the disk. Any thread.
  void sync();
  /// The .part file is for a later run.
  void keep();
  /// Syncs and renames to `path`; usage error if there is such a file that must not be replaced.
  /// Nothing else may be called afterwards.
  void finish(base::Replace replace = base::Replace::nothing);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::store
