// A lock for file systems without locks: a file beside the locked one that names the holder. The
// holder updates it regularly as a heartbeat.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace tessera::base {

class Descriptor;

/// Times of the heartbeats.
struct LockPace {
  std::chrono::milliseconds beat{10'000};  ///< between two heartbeats
  /// Without heartbeats for this long, a holder on another machine counts as dead.
  std::chrono::milliseconds silence{60'000};
};

/// "FILE.lock"
std::string lock_path(const std::string& path);

/// The holder that a lock file names.
struct LockHolder {
  std::string name;
  bool may_run = false;  ///< on another machine: if the file has changed within an hour
};
/// The holder named in the file `lock`; nothing if it is no lock of Tessera.
std::optional<LockHolder> lock_holder(const std::string& lock);
/// Removes the lock file of a holder that does not run. False if it stays.
bool remove_dead_lock(const std::string& lock);

/// The lock is held until it is destroyed. A killed holder leaves the file behind. On the same
/// machine, that is detected at once, since its process is gone; for a holder elsewhere, the
/// constructor waits for heartbeats and says so. If a run was stopped (SIGSTOP) for
/// longer than `silence`, another one may take the lock meanwhile; lost() then returns true.
class LockFile {
 public:
  /// Throws a usage error naming the holder, and what to do, if another process holds the lock.
  explicit LockFile(const std::string& path, const LockPace& pace = {});
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// Call this when the locked file was renamed: renames the lock file too, replacing an old one.
  void renamed(const std::string& path);
  /// True if another run has taken the lock.
  bool lost() const { return lost_; }

 private:
  bool create();
  void beat();
  void write_beat(const Descriptor& file);
  void run();

  LockPace pace_;
  std::string claim_;  ///< the beginning of the file while this object holds the lock
  std::mutex mutex_;   ///< guards `path_` and `beats_`
  std::string path_;
  std::uint64_t beats_ = 0;
  std::atomic<bool> lost_ = false;
  bool end_ = false;
  std::condition_variable ended_;
  std::thread thread_;
};

}  // namespace tessera::base
