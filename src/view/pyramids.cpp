#include "view/pyramids.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"

namespace tessera::view {
namespace {

constexpr int kLowPriority = 10;
/// Buffers of a thread that builds: a chunk as stored and its values, those of the next level, and
/// what the encoder makes of them.
constexpr std::uint64_t kChunksOfLane = 6;
/// How soon a pause ends when others leave the cores idle.
constexpr std::chrono::milliseconds kCoresMayBeIdle{500};
constexpr std::string_view kPartSuffix = ".part";

std::string pyramid_name(std::string path, job::Field field) {
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

void print_missing(const std::string& why) {
  base::log("tessera: no smaller scales: {}", base::printable(why));
}

}  // namespace

void remove_pyramids(const std::string& image) {
  for (const job::Field field : job::kFields) {
    const std::string path = pyramid_name(image, field);
    if (base::is_regular(path)) base::remove_file(path);
  }
}

Pyramids::Pyramids(int threads, std::uint64_t memory_bytes, std::string cache,
                   CpuThrottle& throttle)
    : threads_(threads),
      memory_bytes_(memory_bytes),
      cache_(std::move(cache)),
      throttle_(throttle),
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
  const std::string beside = pyramid_name(image.path(), field);
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

/// Null if that fails.
std::shared_ptr<Pyramid> Pyramids::make(const std::shared_ptr<const OpenImage>& image,
                                        job::Field field) const {
  try {
    if (members_of(*image, field) == 0) {
      throw base::usage_error("{}: its tiles need more --memory", image->path());
    }
    return std::make_shared<Pyramid>(image, field, open_file(*image, field));
  } catch (const std::exception& error) {
    print_missing(error.what());
    return nullptr;
  }
}

std::shared_ptr<Pyramid> Pyramids::of(const std::shared_ptr<const OpenImage>& image,
                                      job::Field field) {
  if (pyramid_levels(image->grid().size_px) == 0) return nullptr;
  const std::scoped_lock lock(mutex_);
  const auto entry = entries_.get({image->generation(), field}, [&] {
    return std::make_shared<Entry>(Entry{.field = field, .pyramid = make(image, field)});
  });
  if (!entry->pyramid || (entry->image == image && !entry->pyramid->is_damaged())) {
    return entry->pyramid;
  }
  entry->image = image;
  entry->pyramid->follow(image);
  entry->idle = false;
  asked_.notify_all();
  return entry->pyramid;
}

/// For a run that needs the cores. A server that ends does not wait.
void Pyramids::build_throttled(const std::function<void()>& build) {
  {
    const ThrottledWork work(&throttle_);
    build();
  }
  std::unique_lock lock(mutex_);
  const auto ended = [&] { return ended_; };
  for (auto pause = throttle_.pause(); pause > Clock::duration{}; pause = throttle_.pause()) {
    if (asked_.wait_for(lock, std::min<Clock::duration>(pause, kCoresMayBeIdle), ended)) return;
  }
}

/// Called with mutex_ unlocked. False if nothing is left to do.
bool Pyramids::step(Entry& entry, base::ThreadTeam& team) {
  std::unique_lock lock(mutex_);
  const auto pyramid = entry.pyramid;
  const auto image = entry.image;
  entry.idle = true;  // an image that grows meanwhile makes it busy again
  lock.unlock();
  try {
    return pyramid->step(team, members_of(*image, entry.field),
                         [&](const std::function<void()>& part) {
                           image->complete() ? part() : build_throttled(part);
                         });
  } catch (const std::exception& error) {
    print_missing(error.what());
    lock.lock();
    entry.pyramid = nullptr;
    return false;
  }
}

void Pyramids::build() {
  // The priority of this thread, and of those that it starts.
  [[maybe_unused]] const int priority = ::nice(kLowPriority);
  base::ThreadTeam team(threads_);
  std::unique_lock lock(mutex_);
  while (!ended_) {
    const auto next =
        entries_.find_if([](const Entry& entry) { return !entry.idle && entry.pyramid; });
    if (!next) {
      asked_.wait(lock);
      continue;
    }
    lock.unlock();
    const bool more = step(*next, team);
    lock.lock();
    if (more) next->idle = false;
  }
}

}  // namespace tessera::view
