// OUTPUT.part, from its first byte until it has its name: of two runs with one output, one has it,
// and only that one removes it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file/posix_file.hpp"

namespace tessera::base {

/// Whether a file is what a run of Tessera may have left under this name.
using IsOurs = std::function<bool(const std::string& path)>;

/// IsOurs of a run that may replace whatever is there.
inline bool anything(const std::string&) {
  return true;
}

/// Whether create_locked() has made the file; false on file systems without such attributes.
bool is_marked_unfinished(const std::string& path) noexcept;

/// True for nothing, an empty file, and one that is_marked_unfinished().
bool is_left_over(const std::string& path);

/// Throws a usage error if `path` is there and is no regular file, or neither is_left_over() nor
/// `is_ours`. An empty function knows none.
void check_left_over(const std::string& path, const IsOurs& is_ours);

/// Creates an empty file with the permissions that `mode` leaves, and locks it. What an earlier run
/// has left is replaced; throws as check_left_over() does for anything else, and a usage error if
/// another run holds the lock, for which `owner` may have a name.
std::unique_ptr<FileLock> create_locked(const std::string& path, unsigned mode,
                                        const IsOurs& is_ours, const FileLock::Owner& owner = {});

class UnfinishedFile {
 public:
  /// Creates beside(output, suffix), as create_locked() does.
  UnfinishedFile(const std::string& output, const IsOurs& is_ours,
                 std::string_view suffix = ".part");
  /// Locks the existing part_path(output), to resume with it.
  static UnfinishedFile resume(std::string output);
  /// Removes the file, unless it was kept, published, or is another one's by now.
  ~UnfinishedFile();
  UnfinishedFile(UnfinishedFile&&) noexcept = default;
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;

  const std::string& part() const { return part_; }
  const FileIdentity& identity() const { return identity_; }
  /// Leaves the file for a later run.
  void keep() { stays_ = true; }
  /// Throws if another run has this file by now.
  void check() const;
  /// As publish_file(). If that throws because the name is taken, the file stays.
  void publish(Replace replace, bool sync = true);

 private:
  UnfinishedFile(std::string output, std::string part, std::unique_ptr<FileLock> lock);

  std::string output_;
  std::string part_;
  std::unique_ptr<FileLock> lock_;
  FileIdentity identity_;
  bool stays_ = false;
};

}  // namespace tessera::base
