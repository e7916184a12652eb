// A dataset of numbers in somebody's HDF5 file: what it is, before any of it is read. Private to
// this room.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "store/arrays/array_source.hpp"
#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// Debian's HDF5 is not thread-safe: whatever threads call it with, they hold this.
std::mutex& hdf5_mutex();

struct Hdf5Dataset {
  /// Missing error, listing what there is, for a dataset that is not in the file; usage error for
  /// one of no numbers.
  explicit Hdf5Dataset(const job::ArrayInput& input);

  /// No block of the user's own stands before it: HDF5 1.10 tells places without that.
  bool starts_its_file() const;

  /// HDF5 takes a chunk that it has in its cache for one that is in the file.
  void reopen_without_cache();

  CheckedCall h5;
  std::string path;  ///< in the file
  Handle file;
  Handle dataset;
  Handle creation;  ///< property list
  ArrayInfo info;
  /// The elements are stored as info.type has it, in one of the two byte orders.
  bool plain = false;
  bool truth = false;  ///< and HDF5 knows them as an enumeration
  bool big_endian = false;
  /// H5Dread may leave memory as it is where nothing was ever written.
  bool leaves_gaps = true;
};

/// H5Dread of a box, in C order and this machine's byte order; 0 where HDF5 leaves the memory as it
/// is, since nothing was ever written. Any thread.
void read_hyperslab(const Hdf5Dataset& data, const plan::Box& box, std::span<std::byte> elements);

/// Sides of its chunks; empty if it has none.
plan::Shape chunk_of(const Hdf5Dataset& data);

/// For H5Dread: `type` as this machine has it.
Handle memory_type(const CheckedCall& h5, base::ElementType type);

/// The file that the object is really in, as HDF5 has opened it.
std::string file_of(const CheckedCall& h5, const Handle& object);

}  // namespace tessera::store
