// A lock where the file system has none: a file beside the locked one that says who holds it, and
// to which its holder gives a sign of life now and then.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>

namespace tessera::base {

class Descriptor;

/// What happens when.
struct LockPace {
  std::chrono::milliseconds beat{10'000};     ///< between two signs of life
  std::chrono::milliseconds silence{60'000};  ///< without any, a holder elsewhere is taken for dead
};

/// "FILE.lock"
std::string lock_path(const std::string& path);

/// Held until it is destroyed. A holder that was killed leaves the file: on the same machine that
/// is known at once, since its process is gone; of a holder elsewhere signs of life are waited for,
/// which is told on stderr. It does not keep apart what a run does that was stopped (SIGSTOP) for
/// longer than `silence`; lost() then tells it.
class LockFile {
 public:
  /// Usage error naming the holder and what to do if another process holds it.
  explicit LockFile(const std::string& path, const LockPace& pace = {});
  ~LockFile();
  LockFile(const LockFile&) = delete;
  LockFile& operator=(const LockFile&) = delete;

  /// The locked file has another name now: the lock goes with it, in the place of one that is
  /// there.
  void renamed(const std::string& path);
  /// Another run has taken it.
  bool lost() const { return lost_; }

 private:
  bool create();
  void beat();
  void write_beat(const Descriptor& file);
  void run();

  LockPace pace_;
  std::string claim_;  ///< how the file begins while it is this one's
  std::mutex mutex_;   ///< of `path_` and `beats_`
  std::string path_;
  std::uint64_t beats_ = 0;
  std::atomic<bool> lost_ = false;
  bool end_ = false;
  std::condition_variable ended_;
  std::thread thread_;
};

}  // namespace tessera::base
