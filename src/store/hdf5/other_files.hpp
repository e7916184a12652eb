// The other files that hold elements of a dataset: sources of virtual datasets, external storage,
// targets of links. HDF5 silently returns the fill value, or zeros, for what it does not find in
// them. Private to this folder.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file/file_stamp.hpp"
#include "base/file/posix_file.hpp"
#include "store/hdf5/dataset.hpp"

namespace tessera::store {

/// The files that a box of the dataset is made of.
struct UsedFiles {
  plan::Box box;
  std::vector<std::size_t> files;  ///< places in the list of files
};

/// A file as it was when the dataset was opened.
struct HeldFile {
  std::string path;
  base::FileIdentity identity;
  base::FileStamp stamp;
  friend bool operator==(const HeldFile&, const HeldFile&) = default;
};

/// Nothing if there is no such file.
std::optional<HeldFile> find_file(const std::string& path);

class OtherFiles {
 public:
  /// None.
  OtherFiles() = default;
  /// Opens all files, also those that sources have their elements in, and keeps them open. Throws a
  /// missing error or a usage error that names the file if HDF5 would not find every element.
  explicit OtherFiles(const Hdf5Dataset& data);

  /// After elements of `box` were read: throws a run error if a file that they are in is gone or
  /// has changed since it was opened. Any thread may call it.
  void check_unchanged(const plan::Box& box) const;

 private:
  std::string name_;
  std::vector<Handle> open_;
  std::vector<HeldFile> files_;
  std::vector<UsedFiles> used_;
};

}  // namespace tessera::store
