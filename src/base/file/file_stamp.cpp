#include "base/file/file_stamp.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/bytes.hpp"
#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file/input_file.hpp"
#include "base/hash.hpp"

namespace tessera::base {
namespace {

// crossed by: TellsALargeFileFromOneThatReplacedItOrWasChangedWhereNoSampleIs, AreFewerOfManyFiles
constexpr std::size_t kPieces = 16;
constexpr std::size_t kMinSampleBytes = std::size_t{4} << 10;
constexpr std::size_t kMaxSampleBytes = std::size_t{64} << 10;
/// Limit of all files together.
// crossed by: TellsALargeFileFromOneThatReplacedItOrWasChangedWhereNoSampleIs, AreFewerOfManyFiles
constexpr std::size_t kAllSamplesBytes = std::size_t{64} << 20;

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kPerSecond = 1000000000;
  return time.tv_sec * kPerSecond + time.tv_nsec;
}

/// Checksum of the whole file, or of pieces with equal distances; the first and the last byte are
/// in them.
std::uint32_t sampled_checksum(const InputFile& file, std::uint64_t bytes,
                               std::size_t sample_bytes) {
  const std::size_t pieces = bytes <= sample_bytes ? 1 : kPieces;
  const std::uint64_t each = std::min<std::uint64_t>(bytes, sample_bytes) / pieces;
  Bytes piece(each);
  std::uint32_t checksum = 0;
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::uint64_t offset = i == 0 ? 0 : (bytes - each) / (pieces - 1) * i;
    file.read_at(i + 1 == pieces ? bytes - each : offset, piece);
    checksum = crc32c(piece, checksum);
  }
  return checksum;
}

/// Nothing if the file cannot be read, or ends sooner than it should.
std::optional<std::uint32_t> checksum_of(const std::string& path, std::uint64_t bytes,
                                         std::size_t sample_bytes) {
  try {
    return sampled_checksum(InputFile(path), bytes, sample_bytes);
  } catch (const Error&) {
    return std::nullopt;
  }
}

struct Description {
  std::string text;
  bool completely = false;  ///< the checksum covers all
};

/// The inode and the change time. They differ after a replacement that kept the modification time.
std::string identity_text(const struct stat& status) {
  return fmt::format("\t{}\t{}", status.st_ino, nanoseconds(status.st_ctim));
}

/// Of a folder: how many files are below it, their bytes, and a checksum of their names, sizes and
/// modification times; with `identities` of inodes and change times too.
Description describe_folder(const std::string& path, bool identities = false) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::uint64_t files = 0, bytes = 0, marks = 0;
  for (auto at = fs::recursive_directory_iterator(path, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    struct stat status {};
    if (::stat(at->path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) continue;
    ++files;
    bytes += static_cast<std::uint64_t>(status.st_size);
    // In any order of the names.
    marks += fnv1a(fmt::format("{}\t{}\t{}{}", at->path().lexically_relative(path).string(),
                               status.st_size, nanoseconds(status.st_mtim),
                               identities ? identity_text(status) : ""));
  }
  return {fmt::format("{}\t{}\t{:016x}", bytes, files, marks), true};
}

Description describe(const std::string& path, const struct stat& status, std::size_t sample_bytes) {
  if (S_ISDIR(status.st_mode)) return describe_folder(path);
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const auto checksum =
      S_ISREG(status.st_mode) ? checksum_of(path, bytes, sample_bytes) : std::nullopt;
  return {fmt::format("{}\t{}\t{}", bytes, nanoseconds(status.st_mtim),
                      checksum ? fmt::format("{:08x}", *checksum) : "-"),
          checksum && bytes <= sample_bytes};
}

}  // namespace

FileStamp stamp_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return {};
  return {static_cast<std::uint64_t>(status.st_size), nanoseconds(status.st_mtim)};
}

std::string describe_status(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  return fmt::format("{}\t{}\t{}{}", status.st_dev, status.st_size, nanoseconds(status.st_mtim),
                     identity_text(status));
}

std::string describe_contents(const std::string& path, std::size_t sample_bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  return describe(path, status, sample_bytes).text;
}

std::string describe_data(const std::string& path, std::size_t sample_bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  if (S_ISDIR(status.st_mode)) return describe_folder(path).text;
  const auto bytes = static_cast<std::uint64_t>(status.st_size);
  const auto checksum = checksum_of(path, bytes, sample_bytes);
  return fmt::format("{}\t{}", bytes, checksum ? fmt::format("{:08x}", *checksum) : "-");
}

std::string describe_file(const std::string& path, std::size_t sample_bytes) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return "none";
  if (S_ISDIR(status.st_mode)) return describe_folder(path, true).text;
  const Description known = describe(path, status, sample_bytes);
  return known.completely ? known.text : known.text + identity_text(status);
}

std::size_t sample_bytes_of(std::size_t files) {
  return std::clamp(kAllSamplesBytes / std::max<std::size_t>(1, files), kMinSampleBytes,
                    kMaxSampleBytes);
}

}  // namespace tessera::base
