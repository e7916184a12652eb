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
#include "store/image_file.hpp"

namespace tessera::store {

struct WrittenArray {
  std::string name;  ///< of the dataset
  base::ElementType type = base::ElementType::f64;
  bool truth = false;  ///< false or true in a byte each; `type` is u8
  plan::Shape shape;
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
  /// Without finish(): removes the .part file.
  ~ArrayWriter();
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  /// The elements of a box along the first dimensions of an array, of any further ones all;
  /// box.elements() times the elements of these. Those of the box come in `order`.
  void write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
             std::span<const std::byte> elements);
  /// Syncs and renames to `path`. Nothing else may be called afterwards.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::store
