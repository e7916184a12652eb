// Follows a dataset to all files that hold elements of it. Private to this folder.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "store/hdf5/other_files.hpp"
#include "store/hdf5/virtual_mapping.hpp"

namespace tessera::store {

class SourceSurvey {
 public:
  explicit SourceSurvey(const Hdf5Dataset& data) : data_(data) {}

  /// Throws as OtherFiles() does.
  std::vector<UsedFiles> run();
  std::vector<Handle> take_open() { return std::move(open_); }
  std::vector<HeldFile> take_files() { return std::move(files_); }

 private:
  using Files = std::vector<std::size_t>;

  /// A virtual dataset that is followed.
  struct Place {
    const Handle& dataset;
    const Handle& file;
    std::string path;  ///< path of the file
    std::string name;  ///< name of the dataset, for messages
  };

  std::vector<UsedFiles> follow(const Handle& dataset, const std::string& name);
  void follow_mapping(const Place& at, const VirtualMapping& mapping, const plan::Shape& shape,
                      std::vector<UsedFiles>& used);
  void follow_blocks(const Place& at, const VirtualMapping& mapping, const plan::Shape& shape,
                     std::vector<UsedFiles>& used);
  void check_end(const Place& at, const VirtualMapping& mapping, std::uint64_t end,
                 std::uint64_t elements);
  /// The files of a source, of which the mapping takes that many elements.
  Files files_of_source(const Place& at, const VirtualMapping& mapping, std::uint64_t block,
                        std::uint64_t elements);
  /// The path of a source file that is there.
  std::string path_of_source(const Place& at, const std::string& file) const;
  const Handle& open_file(const Place& at, const std::string& path);
  Handle open_source(const Place& at, const std::string& path, const std::string& dataset);
  bool has_block(const Place& at, const VirtualMapping& mapping, std::uint64_t block);
  std::size_t add_file(const std::string& path);

  const Hdf5Dataset& data_;
  std::vector<Handle> open_;
  std::vector<HeldFile> files_;
  std::map<std::string, std::size_t> places_;  ///< in files_, by path
  std::map<std::string, std::size_t> opened_;  ///< in open_, by path
  /// By path and dataset: a source may serve many mappings. Empty while it is followed.
  std::map<std::pair<std::string, std::string>, Files> followed_;
};

}  // namespace tessera::store
