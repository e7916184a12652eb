// Failures to order, so that tests see what happens when a device, a disk or a rank fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace tessera::base {

/// Which calls of which fault points are to fail: "POINT@N" the Nth call in this process,
/// "POINT@N+" that and all later ones, "rankR:POINT@N" on one rank only; several between commas.
class FaultPlan {
 public:
  /// Keeps what holds for `rank`. Usage error that names TESSERA_FAULT for anything else.
  FaultPlan(std::string_view text, int rank);

  /// Counts a call of `point`; true if it is one that is to fail. Any thread may call it.
  bool reached(std::string_view point);

 private:
  struct Entry {
    std::string point;
    std::uint64_t first = 1;
    bool all_later = false;
    std::atomic<std::uint64_t> calls = 0;
  };
  static void parse(std::string_view text, Entry& entry, int& rank);

  std::deque<Entry> entries_;  ///< whose elements stay where they are
};

#ifdef TESSERA_FAULT_POINTS
/// True when the environment variable TESSERA_FAULT, written as above, says that this call fails.
/// The caller then does what a real failure would: throw, or end the process.
bool fault(std::string_view point);
/// Throws as FaultPlan does, before a fault point in some thread would.
void check_faults();
/// Where the call is ordered to fail, the process stops itself (SIGSTOP), so that a test does
/// something before it continues it (SIGCONT).
void pause_if_ordered(std::string_view point);
#else
constexpr bool fault(std::string_view) {
  return false;
}
constexpr void check_faults() {}
constexpr void pause_if_ordered(std::string_view) {}
#endif

}  // namespace tessera::base
