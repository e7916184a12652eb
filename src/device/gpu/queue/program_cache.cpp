#include "device/gpu/queue/program_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <span>

#include "base/file/record_file.hpp"
#include "base/hash.hpp"

namespace tessera::device::gpu {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"opencl", "cuda"};
/// A file is written in less time.
constexpr std::chrono::hours kWriting{1};

using FileTime = std::filesystem::file_time_type;

struct CacheFile {
  std::filesystem::path path;
  FileTime used;
  std::uintmax_t bytes = 0;
};

bool is_of_cache(std::string_view name) {
  return std::ranges::any_of(kKinds, [&](std::string_view kind) {
    return name.starts_with(kind) && name.substr(kind.size()).starts_with('-');
  });
}

/// The files of the cache, those that were used last first.
std::vector<CacheFile> files_in(const std::string& folder) {
  std::vector<CacheFile> files;
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    if (!is_of_cache(entry->path().filename().string())) continue;
    std::error_code gone;
    const CacheFile file{entry->path(), entry->last_write_time(gone), entry->file_size(gone)};
    if (!gone) files.push_back(file);
  }
  std::ranges::sort(files, std::greater<>(), &CacheFile::used);
  return files;
}

/// The program that a file belongs to.
std::string identity_of(std::string_view kind, std::string_view identity) {
  return fmt::format("{}\n{}", kind, identity);
}

}  // namespace

std::string cache_folder() {
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && cache[0] == '/') return std::string(cache) + "/tessera";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && home[0] == '/') return std::string(home) + "/.cache/tessera";
  return "";
}

void trim_cache(const std::string& folder, const CacheLimits& limits) {
  std::size_t count = 0;
  std::uintmax_t bytes = 0;
  for (const CacheFile& file : files_in(folder)) {
    const auto age = FileTime::clock::now() - file.used;
    const bool finished = file.path.extension() == ".bin";
    if (!finished && age < kWriting) continue;
    ++count;
    bytes += file.bytes;
    const bool keeps = count == 1 || (count <= limits.files && bytes <= limits.bytes);
    std::error_code ignored;
    if (!finished || !keeps || age > limits.unused) std::filesystem::remove(file.path, ignored);
  }
}

ProgramCache::ProgramCache(const std::string& folder, std::string_view kind,
                           std::string_view identity)
    : kind_(kind), identity_(identity) {
  if (!folder.empty()) {
    path_ = fmt::format("{}/{}-{:016x}.bin", folder, kind, base::fnv1a(identity));
  }
}

std::optional<std::vector<unsigned char>> ProgramCache::load() const {
  const base::Bytes file = base::read_marked_file(path_, base::kProgramMark);
  const auto sound = base::read_sole_record(file, base::kProgramMark);
  if (!sound || base::text_of(sound->identity) != identity_of(kind_, identity_)) {
    return std::nullopt;
  }
  std::error_code ignored;
  std::filesystem::last_write_time(path_, FileTime::clock::now(), ignored);
  const std::string_view binary = base::text_of(sound->payload);
  return std::vector<unsigned char>(binary.begin(), binary.end());
}

void ProgramCache::save(const std::vector<unsigned char>& binary) const {
  if (path_.empty() || binary.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  if (error) return;
  const std::string part = fmt::format("{}.{}", path_, getpid());
  {
    std::ofstream file(part, std::ios::binary);
    const std::string identity = identity_of(kind_, identity_);
    file << base::text_of(base::sole_record(base::kProgramMark, std::as_bytes(std::span(identity)),
                                            std::as_bytes(std::span(binary))));
    file.close();
    if (!file) {
      std::filesystem::remove(part, error);
      return;
    }
  }
  std::filesystem::rename(part, path_, error);
  if (error) std::filesystem::remove(part, error);
  trim_cache(std::filesystem::path(path_).parent_path().string());
}

}  // namespace tessera::device::gpu
