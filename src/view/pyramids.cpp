#include "view/pyramids.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"

namespace tessera::view {
namespace {

/// Pyramids that stay open.
constexpr std::size_t kMostPyramids = 16;
constexpr int kLowPriority = 10;
/// Buffers of a thread that builds: a chunk as stored and its values, those of the next level, and
/// what the encoder makes of them.
constexpr std::uint64_t kChunksOfLane = 6;
/// How soon a pause ends when others leave the cores idle.
constexpr std::chrono::milliseconds kCoresMayBeIdle{500};
constexpr std::string_view kPartSuffix = ".part";

std::string pyramid_name(const OpenImage& image, job::Field field) {
  std::string path = image.path();
  if (path.ends_with(kPartSuffix)) path.resize(path.size() - kPartSuffix.size());
  return base::beside(path, fmt::format(".{}.pyramid", job::field_name(field)));
}

store::PyramidSpec spec_of(const OpenImage& image, job::Field field) {
  return {.fingerprint = image.reader().attribute("fingerprint"),
          .field = field,
          .type = image.chunks(field).type(),
          .size_px = image.grid().size_px,
          .tile_px = static_cast<int>(image.grid().tile_px),
          .levels = pyramid_levels(image.grid().size_px)};
}

}  // namespace

Pyramids::Pyramids(int threads, std::uint64_t memory_bytes, std::string cache, Allowance& allowance)
    : threads_(threads),
      memory_bytes_(memory_bytes),
      cache_(std::move(cache)),
      allowance_(allowance),
      builder_(base::run_thread([this] { build(); })) {}

Pyramids::~Pyramids() {
  {
    const std::scoped_lock lock(mutex_);
    ended_ = true;
  }
  asked_.notify_all();
  builder_.join();
}

/// Another server may use the file, or the folder may not be writable.
std::unique_ptr<store::PyramidFile> Pyramids::open_file(const OpenImage& image,
                                                        job::Field field) const {
  const store::PyramidSpec spec = spec_of(image, field);
  const std::string beside = pyramid_name(image, field);
  std::vector<std::string> paths = {beside};
  if (!cache_.empty()) {
    paths.push_back(
        fmt::format("{}/{}.{}.pyramid", cache_, spec.fingerprint, job::field_name(field)));
  }
  for (const std::string& path : paths) {
    try {
      return std::make_unique<store::PyramidFile>(path, spec);
    } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): the next place
    }
  }
  return store::PyramidFile::unnamed(std::filesystem::temp_directory_path().string(), spec);
}

/// Threads whose buffers fit into memory.
int Pyramids::members_of(const OpenImage& image, job::Field field) const {
  const std::uint64_t chunk = static_cast<std::uint64_t>(image.grid().chunk_px().pixels()) *
                              base::element_bytes(image.chunks(field).type());
  const std::uint64_t fit = memory_bytes_ / (kChunksOfLane * chunk);
  return static_cast<int>(std::min<std::uint64_t>(fit, static_cast<std::uint64_t>(threads_)));
}

/// Called with mutex_ locked.
Pyramids::Entry& Pyramids::entry_of(const std::shared_ptr<const OpenImage>& image,
                                    job::Field field) {
  for (Entry& entry : entries_) {
    if (entry.generation == image->generation() && entry.field == field) return entry;
  }
  if (entries_.size() == kMostPyramids) {
    entries_.erase(std::ranges::min_element(entries_, {}, &Entry::last_use));
  }
  Entry& entry = entries_.emplace_back();
  entry = {.generation = image->generation(), .field = field, .image = image};
  try {
    if (members_of(*image, field) == 0) {
      throw base::usage_error("{}: its tiles need more --memory", image->path());
    }
    entry.pyramid = std::make_shared<Pyramid>(image, field, open_file(*image, field));
  } catch (const std::exception& error) {
    base::log("tessera: no smaller scales: {}", base::printable(error.what()));
  }
  return entry;
}

std::shared_ptr<Pyramid> Pyramids::of(const std::shared_ptr<const OpenImage>& image,
                                      job::Field field) {
  if (pyramid_levels(image->grid().size_px) == 0) return nullptr;
  const std::scoped_lock lock(mutex_);
  Entry& entry = entry_of(image, field);
  const bool is_new = entry.last_use == Clock::time_point{} || entry.image != image ||
                      (entry.pyramid && entry.pyramid->is_damaged());
  entry.last_use = Clock::now();
  if (!entry.pyramid || !is_new) return entry.pyramid;
  entry.image = image;
  entry.pyramid->follow(image);
  entry.idle = false;
  asked_.notify_all();
  return entry.pyramid;
}

void Pyramids::drop(const std::shared_ptr<Pyramid>& pyramid, const std::string& why) {
  base::log("tessera: no smaller scales: {}", base::printable(why));
  const std::scoped_lock lock(mutex_);
  for (Entry& entry : entries_) {
    if (entry.pyramid == pyramid) entry.pyramid = nullptr;
  }
}

/// For a run that needs the cores. A server that ends does not wait.
void Pyramids::build_politely(const std::function<void()>& build) {
  {
    const AllowedWork work(&allowance_);
    build();
  }
  std::unique_lock lock(mutex_);
  const auto ended = [&] { return ended_; };
  for (auto pause = allowance_.pause(); pause > Clock::duration{}; pause = allowance_.pause()) {
    if (asked_.wait_for(lock, std::min<Clock::duration>(pause, kCoresMayBeIdle), ended)) return;
  }
}

void Pyramids::build() {
  // Of this thread, and of those that it starts.
  [[maybe_unused]] const int priority = ::nice(kLowPriority);
  base::ThreadTeam team(threads_);
  std::unique_lock lock(mutex_);
  while (!ended_) {
    std::shared_ptr<Pyramid> next;
    int members = 0;
    bool grows = false;
    Clock::time_point last_use;
    for (Entry& entry : entries_) {
      if (entry.idle || !entry.pyramid || (next && entry.last_use < last_use)) continue;
      next = entry.pyramid;
      last_use = entry.last_use;
      members = members_of(*entry.image, entry.field);
      grows = !entry.image->complete();
    }
    if (!next) {
      asked_.wait(lock);
      continue;
    }
    // An image that grows meanwhile makes it busy again.
    for (Entry& entry : entries_) {
      if (entry.pyramid == next) entry.idle = true;
    }
    lock.unlock();
    bool more = false;
    try {
      more = next->step(team, members, [&](const std::function<void()>& part) {
        grows ? build_politely(part) : part();
      });
    } catch (const std::exception& error) {
      drop(next, error.what());
    }
    lock.lock();
    for (Entry& entry : entries_) {
      if (more && entry.pyramid == next) entry.idle = false;
    }
    next = nullptr;
  }
}

}  // namespace tessera::view
