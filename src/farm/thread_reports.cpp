#include "farm/thread_reports.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "comm/gather_values.hpp"

namespace tessera::farm {

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

std::uint64_t resident_bytes() {
  std::ifstream pages("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  pages >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void merge_threads(std::vector<report::ThreadReport>& into,
                   std::vector<report::ThreadReport> from) {
  for (report::ThreadReport& thread : from) {
    const auto same = std::find_if(into.begin(), into.end(),
                                   [&](const auto& other) { return other.name == thread.name; });
    if (same == into.end()) {
      into.push_back(std::move(thread));
      continue;
    }
    for (std::size_t stage = 0; stage < report::kStages; ++stage) {
      same->seconds[stage] += thread.seconds[stage];
    }
    same->spans_dropped += thread.spans_dropped;
    for (const report::Span& span : thread.spans) report::add_span(*same, span);
  }
}

std::vector<report::RankReport> gather_reports(comm::World& world, report::RankReport mine) {
  mine.rank = world.rank();
  mine.host = world.host();
  mine.peak_memory_bytes = peak_memory_bytes();
  return comm::gather_values(world, mine);
}

}  // namespace tessera::farm
