// Keeps other runs of this program away from a file that is being written.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace tessera::base {

class LockFile;

/// An open file description lock, which ends with the process whatever ends it, and which no reader
/// meets; where the file system has none, a LockFile beside the file.
class FileLock {
 public:
  /// Who holds the lock, or "" if that is not known yet: a run has the lock before it has written
  /// down its name.
  using Owner = std::function<std::string()>;

  /// Of a file that is there. Usage error if another process holds the lock, which says so with
  /// what `owner` answers within a second.
  explicit FileLock(const std::string& path, const Owner& owner = {});
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// To be told when the file has got another name, in the same folder.
  void renamed(const std::string& path);
  /// Throws base::Error (failed) if another run has the lock now, having taken this one for dead.
  void check() const;
  /// That has not happened, as far as can be told, and the name still means the locked file.
  bool holds() const noexcept;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::unique_ptr<LockFile> instead_;
};

/// Whether some process may be holding the lock: also true where that cannot be found out.
bool may_be_locked(const std::string& path);

/// "process 1234 on node7 since 2024-05-01T12:00:00Z"
std::string this_process();

}  // namespace tessera::base
