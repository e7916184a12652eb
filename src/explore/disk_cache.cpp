#include "explore/disk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file/record_file.hpp"
#include "base/hash.hpp"
#include "base/version.hpp"

namespace tessera::explore {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".square";

struct Stored {
  base::ElementType type = base::ElementType::u16;
  base::Bytes counts, smooth, distance;

  static auto members(auto& self) {
    return std::tie(self.type, self.counts, self.smooth, self.distance);
  }
};

struct CachedFile {
  fs::path path;
  std::uint64_t bytes = 0;
  fs::file_time_type used;
};

std::vector<CachedFile> files_in(const std::string& folder) {
  std::vector<CachedFile> files;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() != kSuffix) continue;
    files.push_back({entry.path(), entry.file_size(error), entry.last_write_time(error)});
  }
  return files;
}

/// Whether the values have the size of a square.
bool is_whole(const Stored& stored) {
  const std::size_t pixels = stored.counts.size() / base::element_bytes(stored.type);
  const auto fits = [&](const base::Bytes& field) {
    return field.empty() || field.size() == pixels * sizeof(float);
  };
  return !stored.counts.empty() && fits(stored.smooth) && fits(stored.distance);
}

}  // namespace

std::string identity_of(const SquareImage& square, const Place& place, const SquareKey& key) {
  const job::ImageSpec& image = square.image;
  // Another version may count otherwise where this one was wrong.
  return fmt::format(
      "{} {} {} {} {} {} {} {} {} {} {:a} {} {}{}", base::version_and_commit(), place.center_re,
      place.center_im, place.span, key.level, key.x, key.y, key.coarse, key.iterations, key.formula,
      image.bailout, image.deep() ? "perturbation" : "plain",
      square.fields.smooth ? "smooth" : "counts", square.fields.distance ? " distance" : "");
}

DiskCache::DiskCache(std::string folder, std::uint64_t most_bytes)
    : folder_(std::move(folder)), most_bytes_(most_bytes) {
  if (folder_.empty()) return;
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!fs::is_directory(folder_)) {
    throw base::usage_error("--cache {}: is not a folder: {}", folder_, error.message());
  }
  for (const CachedFile& file : files_in(folder_)) bytes_ += file.bytes;
}

std::string DiskCache::path_of(const std::string& identity) const {
  return fmt::format("{}/{:016x}{}", folder_, base::fnv1a(identity), kSuffix);
}

std::shared_ptr<const SquareValues> DiskCache::find(const std::string& identity) {
  if (folder_.empty()) return nullptr;
  const std::string path = path_of(identity);
  const base::Bytes bytes = base::read_marked_file(path, base::kSquareMark);
  const auto sound = base::read_sole_record(bytes, base::kSquareMark);
  if (!sound || base::text_of(sound->identity) != identity) return nullptr;
  try {
    auto stored = base::from_bytes<Stored>(sound->payload);
    if (!is_whole(stored)) return nullptr;
    std::error_code ignored;
    fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
    auto values = std::make_shared<SquareValues>();
    values->counts = std::move(stored.counts);
    values->type = stored.type;
    values->smooth = std::move(stored.smooth);
    values->distance = std::move(stored.distance);
    return values;
  } catch (const base::Error&) {
    return nullptr;
  }
}

void DiskCache::keep(const std::string& identity, const SquareValues& values) {
  if (folder_.empty()) return;
  const base::Bytes file_bytes = base::sole_record(
      base::kSquareMark, std::as_bytes(std::span(identity)),
      base::to_bytes(Stored{values.type, values.counts, values.smooth, values.distance}));
  const std::uint64_t bytes = file_bytes.size();
  if (bytes > most_bytes_) return;
  const std::scoped_lock lock(mutex_);
  make_room(bytes);
  const std::string path = path_of(identity);
  const std::string part = path + ".part";
  bool part_is_whole = true;
  {
    std::ofstream file(part, std::ios::binary);
    file << base::text_of(file_bytes);
    file.flush();
    if (!file) part_is_whole = false;
  }
  std::error_code error;
  if (!part_is_whole) return static_cast<void>(fs::remove(part, error));
  fs::rename(part, path, error);
  if (!error) bytes_ += bytes;
}

/// Removes the files that were not used for longest, a quarter of the room at once.
void DiskCache::make_room(std::uint64_t bytes) {
  if (bytes_ + bytes <= most_bytes_) return;
  std::vector<CachedFile> files = files_in(folder_);
  std::sort(files.begin(), files.end(),
            [](const CachedFile& a, const CachedFile& b) { return a.used < b.used; });
  bytes_ = 0;
  for (const CachedFile& file : files) bytes_ += file.bytes;
  const std::uint64_t goal = most_bytes_ - most_bytes_ / 4;
  for (const CachedFile& file : files) {
    if (bytes_ + bytes <= goal) return;
    std::error_code error;
    if (fs::remove(file.path, error)) bytes_ -= file.bytes;
  }
}

}  // namespace tessera::explore
