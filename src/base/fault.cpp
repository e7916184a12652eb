#include "base/fault.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "base/error.hpp"
#include "base/run.hpp"
#include "base/text.hpp"

namespace tessera::base {
namespace {

constexpr std::string_view kVariable = "TESSERA_FAULT";
constexpr std::string_view kRankPrefix = "rank";
constexpr int kEveryRank = -1;

}  // namespace

void FaultPlan::parse(std::string_view text, Entry& entry, int& rank) {
  const std::string what = fmt::format("{}: {}", kVariable, text);
  rank = kEveryRank;
  if (const auto colon = text.find(':'); colon != std::string_view::npos) {
    if (!text.starts_with(kRankPrefix)) {
      throw usage_error("{}: only rankN may stand before a colon", what);
    }
    rank = static_cast<int>(parse_integer(text.substr(0, colon).substr(kRankPrefix.size()), what, 0,
                                          std::numeric_limits<int>::max()));
    text.remove_prefix(colon + 1);
  }
  const auto at = text.find('@');
  if (at == std::string_view::npos || trim(text.substr(0, at)).empty()) {
    throw usage_error("{}: is not POINT@N or POINT@N+", what);
  }
  entry.point = trim(text.substr(0, at));
  std::string_view number = text.substr(at + 1);
  entry.all_later = number.ends_with('+');
  if (entry.all_later) number.remove_suffix(1);
  entry.first = static_cast<std::uint64_t>(
      parse_integer(number, what, 1, std::numeric_limits<std::int64_t>::max()));
}

FaultPlan::FaultPlan(std::string_view text, int rank) {
  for (const std::string& part : split(text, ',')) {
    int meant = kEveryRank;
    parse(part, entries_.emplace_back(), meant);
    if (meant != kEveryRank && meant != rank) entries_.pop_back();
  }
}

bool FaultPlan::reached(std::string_view point) {
  bool fails = false;
  for (Entry& entry : entries_) {
    if (entry.point != point) continue;
    const std::uint64_t call = ++entry.calls;
    fails |= call == entry.first || (entry.all_later && call > entry.first);
  }
  return fails;
}

#ifdef TESSERA_FAULT_POINTS
namespace {

/// The rank by the launcher's environment, because a fault point may come before MPI_Init.
int rank_of_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}) {
    if (const char* const text = std::getenv(name)) {
      return static_cast<int>(parse_integer(text, name, 0, std::numeric_limits<int>::max()));
    }
  }
  return 0;
}

FaultPlan& plan_of_process() {
  static FaultPlan plan = [] {
    const char* const text = std::getenv(kVariable.data());
    return FaultPlan(text ? text : "", rank_of_process());
  }();
  return plan;
}

/// The file that holds this process, and tells a test that waits for it that it is held.
std::string tell_hold() {
  const char* const file = std::getenv("TESSERA_HOLD");
  if (file == nullptr) return "";
  const std::ofstream here(fmt::format("{}.{}", file, ::getpid()));
  return file;
}

}  // namespace

bool fault(std::string_view point) {
  return plan_of_process().reached(point);
}

void check_faults() {
  plan_of_process();
}

void pause_if_ordered(std::string_view point) {
  if (fault(point)) ::raise(SIGSTOP);
}

void hold_if_ordered(std::string_view point) {
  if (!fault(point)) return;
  const std::string file = tell_hold();
  while (std::filesystem::exists(file) && !stop_requested()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

void hang_if_ordered(std::string_view point) {
  if (!fault(point)) return;
  tell_hold();
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}
#endif

}  // namespace tessera::base
