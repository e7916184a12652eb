#include "run/thread_reports.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "report/printers.hpp"

namespace tessera::run {
namespace {

std::uint64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace

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
    same->spans.insert(same->spans.end(), thread.spans.begin(), thread.spans.end());
  }
}

std::vector<report::RankReport> gather_reports(comm::World& world, report::RankReport mine) {
  mine.rank = world.rank();
  mine.host = world.host();
  mine.peak_memory_bytes = peak_memory_bytes();
  base::ByteWriter bytes;
  bytes.put_text(report::serialize(mine));
  std::vector<report::RankReport> all;
  for (const base::Bytes& part : world.gather(bytes.take())) {
    all.push_back(report::deserialize(base::ByteReader(part).get_text()));
  }
  return all;
}

}  // namespace tessera::run
