// The log of an unfinished image: which tiles are stored, and where. A file of fixed-size records
// beside the image, each with its own checksum, that is only appended to. It is right even if
// HDF5's own index is damaged. Private to this folder; docs/file-format.md, "The log".
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/file/posix_file.hpp"
#include "job/image/render_job.hpp"
#include "store/image/hdf5/tables.hpp"

namespace tessera::store {

inline constexpr std::size_t kMaxFields = std::size(job::kFields);

/// Position, size and checksum of a chunk's stored bytes.
struct ChunkRecord {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint32_t checksum;  ///< CRC-32C of the bytes
  std::uint32_t filter_mask;
};

/// A tile whose chunks are all in the file. The log holds its first record_bytes() bytes.
struct LogRecord {
  std::uint32_t checksum;  ///< CRC-32C of the members that follow
  std::uint32_t fields;    ///< number of `chunks` in use
  TileRecord tile;
  std::array<ChunkRecord, kMaxFields> chunks;  ///< in the order of the fields
};
static_assert(sizeof(LogRecord) == 72 + 24 * kMaxFields);

/// Bytes of a record in the log of a file with so many fields. A file of one field has room for two
/// chunks, as in all versions.
constexpr std::size_t record_bytes(std::size_t fields) {
  return offsetof(LogRecord, chunks) + std::max<std::size_t>(fields, 2) * sizeof(ChunkRecord);
}

struct LogHeader {
  std::array<char, 8> magic;
  std::uint32_t checksum;  ///< CRC-32C of the members that follow, up to the owner
  std::uint32_t fields;
  std::array<char, 32> fingerprint;  ///< fingerprint of the job
  std::uint64_t part_device;         ///< identifies the file of these chunks, whatever its name
  std::uint64_t part_inode;
  /// The writing process, for messages. Each run overwrites it, and a write that is cut off must
  /// not invalidate the log; so the checksum leaves it out.
  std::array<char, 192> owner;
};
static_assert(sizeof(LogHeader) == 256);
static_assert(std::is_trivially_copyable_v<LogHeader>);

/// "FILE.h5.part.log"
std::string log_path(const std::string& part);
/// Whether the file is a log of any image, also one that a kill or a power cut has left at its
/// beginning. True if it is not there.
bool is_log(const std::string& path);

/// A header for the log of a new file. A fingerprint of more than 31 characters is cut.
LogHeader make_log_header(std::string_view fingerprint, std::size_t fields,
                          const base::FileIdentity& part);

/// Nothing if there is no such file or its header is invalid.
std::optional<LogHeader> read_log_header(const std::string& path);

/// Calls visit(record) for every valid record, in the order in which they were written. Returns the
/// number of invalid ones.
std::uint64_t for_each_record(const std::string& path,
                              const std::function<void(const LogRecord&)>& visit);

/// The log while its image is written. Members throw base::Error (failed) naming the file.
class TileLog {
 public:
  /// `from_scratch` replaces an old log. `resume` continues the existing one after its last whole
  /// record and replaces the owner. Throws a usage error naming the owner if another process writes
  /// it.
  enum class Start { from_scratch, resume };
  TileLog(const std::string& path, LogHeader header, Start start);

  const std::string& path() const { return file_.path(); }
  /// Writes the record, with a checksum, to the file before it returns; to disk at the next sync().
  void append(LogRecord record);
  /// Any thread may call it.
  void sync() { file_.sync(); }
  /// Call this when the file was renamed.
  void renamed(const std::string& path);

 private:
  base::PosixFile file_;
  base::FileLock lock_;
  std::size_t record_bytes_;
};

}  // namespace tessera::store
