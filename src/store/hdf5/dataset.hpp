// Opens a dataset of numbers in any HDF5 file and describes it before it is read. Private to this
// folder.
#pragma once

#include <string>
#include <vector>

#include "store/arrays/array_source.hpp"
#include "store/hdf5/handle.hpp"

namespace tessera::store {

/// The first datasets of a file, in the order of their names.
struct Listing {
  std::vector<std::string> names;  ///< "/a", "/group/b"
  bool more = false;
};
Listing list_datasets(const CheckedCall& h5, const Handle& file);

/// Whether an HDF5 file has an object of that very name.
bool has_hdf5_object(const std::string& path, const std::string& name);

struct Hdf5Dataset {
  /// Throws a missing error that lists the datasets if this one is not in the file; a usage error
  /// if its elements are not numbers.
  explicit Hdf5Dataset(const job::ArrayInput& given);

  /// True if the file has no user block; HDF5 1.10 reports offsets without that block.
  bool starts_its_file() const;

  /// Reopens the dataset without a chunk cache: HDF5 reports a chunk that is only in its cache as
  /// stored in the file.
  void reopen_without_cache();

  CheckedCall h5;
  std::string path;  ///< in the file
  Handle file;
  Handle dataset;
  Handle creation;  ///< property list
  ArrayInfo info;
  /// The elements are stored as info.type, in one of the two byte orders.
  bool plain = false;
  bool is_bitfield = false;  ///< HDF5 does not convert them to integers
  std::string member;        ///< name of the only member of a compound
  bool big_endian = false;
  /// H5Dread may leave memory unchanged where nothing was ever written.
  bool leaves_gaps = true;
};

/// Reads a box by H5Dread, in C order and this machine's byte order. Elements that HDF5 leaves
/// unset, because nothing was ever written, are 0. Any thread may call it.
void read_hyperslab(const Hdf5Dataset& data, const plan::Box& box, std::span<std::byte> elements);

/// The chunk shape; empty if the dataset has no chunks.
plan::Shape chunk_of(const Hdf5Dataset& data);

/// The error that the chunk at `origin` is damaged. For a field of an image of Tessera it names the
/// tile and the command that repairs it.
base::Error damaged_chunk(const Hdf5Dataset& data, const plan::Shape& origin,
                          const std::string& why);

/// The shape of any dataset; {0} if it has no dataspace.
plan::Shape shape_of(const CheckedCall& h5, const Handle& dataset);

/// The file that really contains the object, under the name that HDF5 opened.
std::string file_of(const CheckedCall& h5, const Handle& object);

}  // namespace tessera::store
