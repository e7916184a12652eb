// Injected failures: tests use them to make a device, a disk or a rank fail.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>

namespace tessera::base {

/// The calls of fault points that fail: "POINT@N" is the Nth call in this process, "POINT@N+"
/// that and all later ones, "rankR:POINT@N" one rank only. Commas separate entries.
class FaultPlan {
 public:
  /// Keeps the entries for `rank`. Throws a usage error that names TESSERA_FAULT for any other
  /// text.
  FaultPlan(std::string_view text, int rank);

  /// Counts a call of `point`; true if this call fails. Any thread may call it.
  bool reached(std::string_view point);

 private:
  struct Entry {
    std::string point;
    std::uint64_t first = 1;
    bool all_later = false;
    std::atomic<std::uint64_t> calls = 0;
  };
  static void parse(std::string_view text, Entry& entry, int& rank);

  std::deque<Entry> entries_;  ///< a deque, because its elements must not move
};

#ifdef TESSERA_FAULT_POINTS
/// True if the environment variable TESSERA_FAULT, in the form above, says that this call fails.
/// The caller then does what a real failure would do: it throws, or ends the process.
bool fault(std::string_view point);
/// Parses TESSERA_FAULT and throws as FaultPlan does, before any thread reaches a fault point.
void check_faults();
/// If this call fails, stops the process (SIGSTOP), so that a test can act before it continues the
/// process (SIGCONT).
void pause_if_ordered(std::string_view point);
/// If this call fails, makes the file $TESSERA_HOLD.PID and waits until the file $TESSERA_HOLD is
/// removed or a stop is requested, so that a test finds a run in the middle of its work.
void hold_if_ordered(std::string_view point);
/// The same without an end.
void hang_if_ordered(std::string_view point);
#else
constexpr bool fault(std::string_view) {
  return false;
}
constexpr void check_faults() {}
constexpr void pause_if_ordered(std::string_view) {}
constexpr void hold_if_ordered(std::string_view) {}
constexpr void hang_if_ordered(std::string_view) {}
#endif

}  // namespace tessera::base
