#include "device/gpu/program_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "base/hash.hpp"

namespace tessera::device::gpu {
namespace {

constexpr std::array<std::string_view, 2> kKinds = {"opencl", "cuda"};
/// A file is written in less time.
constexpr std::chrono::hours kWriting{1};

std::string_view text_of(const std::vector<unsigned char>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

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

/// Start of a cache file: magic, checksum of the rest, identity. The binary follows.
std::string head_of(std::string_view kind, std::string_view identity,
                    const std::vector<unsigned char>& binary) {
  const std::uint64_t sum = base::fnv1a(identity) * 31 + base::fnv1a(text_of(binary));
  return fmt::format("tessera {} program 1\n{:016x} {}\n{}", kind, sum, identity.size(), identity);
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
  std::ifstream file(path_, std::ios::binary);
  if (path_.empty() || !file) return std::nullopt;
  const std::vector<char> all{std::istreambuf_iterator<char>(file), {}};
  // The length of the head does not depend on the binary.
  const std::size_t head_bytes = head_of(kind_, identity_, {}).size();
  if (all.size() <= head_bytes) return std::nullopt;
  std::vector<unsigned char> binary(all.begin() + static_cast<std::ptrdiff_t>(head_bytes),
                                    all.end());
  if (head_of(kind_, identity_, binary) != std::string_view(all.data(), head_bytes))
    return std::nullopt;
  std::error_code ignored;
  std::filesystem::last_write_time(path_, FileTime::clock::now(), ignored);
  return binary;
}

void ProgramCache::save(const std::vector<unsigned char>& binary) const {
  if (path_.empty() || binary.empty()) return;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
  if (error) return;
  const std::string part = fmt::format("{}.{}", path_, getpid());
  {
    std::ofstream file(part, std::ios::binary);
    file << head_of(kind_, identity_, binary) << text_of(binary);
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
