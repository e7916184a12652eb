// OUTPUT.part.d, the folder that becomes OUTPUT. It belongs to the run that has the UnfinishedFile
// of the same output: that one is locked, a folder cannot be.
#pragma once

#include <string>
#include <vector>

#include "base/file/unfinished_file.hpp"

namespace tessera::base {

/// The name of the unfinished folder `output`.
std::string part_folder(const std::string& output);

class UnfinishedFolder {
 public:
  /// Creates an empty folder. One that an earlier run has left is removed; throws a usage error for
  /// anything else that is no folder, or that `is_ours` does not know. `output` must be locked, as
  /// for all members.
  UnfinishedFolder(std::string output, const IsOurs& is_ours);
  /// The existing folder, to resume with it.
  static UnfinishedFolder resume(std::string output);
  /// Removes the folder, unless it was kept or published.
  ~UnfinishedFolder();
  UnfinishedFolder(UnfinishedFolder&& other) noexcept;
  UnfinishedFolder& operator=(UnfinishedFolder&&) = delete;

  const std::string& path() const { return path_; }
  void keep() { stays_ = true; }
  /// Removes the mark of an unfinished folder, and syncs the names in it and below. No file in it
  /// changes afterwards.
  void complete();
  /// As complete(), then renames the folder to the output and syncs the names. A folder that is
  /// there is exchanged for it and removed. Where the file system cannot exchange names, there is a
  /// moment without either; a kill in it leaves OUTPUT.part.d.old. Throws as publish_file() does.
  void publish(Replace replace);

 private:
  explicit UnfinishedFolder(std::string output);
  void replace(const std::string& target);

  std::string output_;
  std::string path_;
  bool stays_ = false;
  bool is_complete_ = false;
};

/// Syncs files and folders to disk, several at a time.
void sync_all(const std::vector<std::string>& paths);

/// True if a run of this program has left the folder: it is empty, or marked.
bool is_left_over_folder(const std::string& path);

/// Makes the finished folder `output` unfinished again, so that a run can resume with it.
void take_back_folder(const std::string& output);

}  // namespace tessera::base
