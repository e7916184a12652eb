// Keeps other runs of this program from writing the same file.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace tessera::base {

class LockFile;

/// An open file description lock. It ends with the process in every case and does not affect
/// readers. If the file system has no such locks, a LockFile beside the file replaces it.
class FileLock {
 public:
  /// The holder of the lock, or "" if it is not known yet: a run takes the lock before it records
  /// its name.
  using Owner = std::function<std::string()>;

  /// Locks an existing file. Throws a usage error if another process holds the lock; the message
  /// contains the first non-empty answer of `owner` within a second. Waits two seconds for the
  /// lock of a process that is no more.
  explicit FileLock(const std::string& path, const Owner& owner = {});
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Call this when the file was renamed, within its folder.
  void renamed(const std::string& path);
  /// Throws base::Error (failed) if another run has taken the lock because it believed this one
  /// dead.
  void check() const;
  /// True if that has not happened, as far as is known, and the name still means the locked file.
  bool holds() const noexcept;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::unique_ptr<LockFile> instead_;
};

/// True if some process holds the lock, or if that is unknown.
bool may_be_locked(const std::string& path);

/// "process 1234 on node7 since 2024-05-01T12:00:00Z"
std::string this_process();

}  // namespace tessera::base
