// Leases of independent runs on parts of work, kept as files in a folder that all of them see: also
// on NFS, and without trusting clocks.
//
// An item is held by the file ITEM.GENERATION, which exactly one run can create (link(2) to a name
// that does not exist). Its holder changes the file now and then; others compare what they read
// with what they read before, by their own clocks. Whoever sees no change for a lease may create
// the next generation. The holder of an older one finds that, and stops. ITEM.done ends it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

#include "base/clock.hpp"

namespace tessera::pool {

/// An item as its files say.
struct ItemState {
  enum class Kind { free, held, done };
  Kind kind = Kind::free;
  int generation = 0;  ///< the last one; 0 = none yet. Of a done item, the one that did it
  std::string holder;  ///< who holds it or did it: "process 1234 on node7 since ..."
};

class Lease {
 public:
  /// Keeps the lease until the end, in a thread of its own, which calls lost() once if another run
  /// has taken it over.
  Lease(std::string folder, std::string item, int generation, double lease_s,
        std::function<void()> lost);
  /// Gives the item back, unless it is done.
  ~Lease();
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  int generation() const { return generation_; }
  /// Whether another run has taken it over: also while this one slept, since its last beat.
  bool is_lost();
  /// Ends the item for all runs. Nothing if another run has ended it before.
  void finish();

 private:
  void keep();
  void beat();

  std::string folder_, item_, path_;
  int generation_;
  double lease_s_;
  std::function<void()> on_lost_;
  std::atomic<bool> lost_ = false, told_ = false;
  bool done_ = false;
  std::int64_t beats_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ends_ = false;
  std::thread thread_;
};

/// The leases of a folder, as one run sees them.
class LeaseFolder {
 public:
  /// Makes the folder.
  LeaseFolder(std::string folder, double lease_s);

  /// Lists the files that look() knows.
  void list();
  /// What is known about an item, of the files that were listed last.
  ItemState look(const std::string& item);
  /// Of the files that were listed last; 0 if there is none.
  int last_generation(const std::string& item) const;
  /// True if look() has said that an item is held, and its holder has not moved for a lease.
  bool expired(const std::string& item, const ItemState& state);
  /// Tries to create the next generation; its number, or nothing if another run was faster.
  std::optional<int> take(const std::string& item, const ItemState& state);
  const std::string& path() const { return folder_; }
  double lease_s() const { return lease_s_; }

 private:
  struct Seen {
    std::string content;
    base::Clock::time_point since;
  };
  std::string folder_;
  double lease_s_;
  std::map<std::string, int> last_;        ///< generation of each item that has files
  std::map<std::string, ItemState> done_;  ///< for good
  std::set<std::string> ended_;            ///< items with a file that says so
  std::map<std::string, Seen> seen_;
};

/// Creates `path` with these contents if there is no such file, and returns whether it did. Exactly
/// one of several machines succeeds, on NFS too.
bool create_once(const std::string& path, const std::string& contents);

}  // namespace tessera::pool
