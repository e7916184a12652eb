// What of an unfinished image is stored, and where: a file of fixed records beside it, each with
// its own checksum, that is only ever appended to. It is true whatever became of HDF5's own index.
// Private to this room; docs/file-format.md, "The log".
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/file/posix_file.hpp"
#include "store/image/tables.hpp"

namespace tessera::store {

inline constexpr std::size_t kMostFields = 2;

/// Where the stored bytes of a chunk lie in the file.
struct ChunkRecord {
  std::uint64_t address;
  std::uint64_t bytes;
  std::uint32_t checksum;  ///< CRC-32C of them
  std::uint32_t filter_mask;
};

/// A tile all of whose chunks are in the file.
struct LogRecord {
  std::uint32_t checksum;  ///< CRC-32C of the rest
  std::uint32_t fields;    ///< how many of `chunks` count
  TileRecord tile;
  std::array<ChunkRecord, kMostFields> chunks;  ///< in the order of the fields
};
static_assert(sizeof(LogRecord) == 120);

struct LogHeader {
  std::array<char, 8> magic;
  std::uint32_t checksum;  ///< CRC-32C of what follows, up to the owner
  std::uint32_t fields;
  std::array<char, 32> fingerprint;  ///< of the job
  std::uint64_t part_device;         ///< the file whose chunks these are, whatever its name
  std::uint64_t part_inode;
  /// Who writes, for people. Each run puts itself there, and one that is cut off within that write
  /// must not take the log with it.
  std::array<char, 192> owner;
};
static_assert(sizeof(LogHeader) == 256);
static_assert(std::is_trivially_copyable_v<LogHeader>);

/// "FILE.h5.part.log"
std::string log_path(const std::string& part);

/// For a log of a new file. A fingerprint of more than 31 characters is cut.
LogHeader make_log_header(std::string_view fingerprint, std::size_t fields,
                          const base::FileIdentity& part);

/// Nothing if there is no such file or its header is not sound.
std::optional<LogHeader> read_log_header(const std::string& path);

/// Calls visit(record) for every sound record, in the order in which they were written. Returns how
/// many were not sound.
std::uint64_t for_each_record(const std::string& path,
                              const std::function<void(const LogRecord&)>& visit);

/// The log while its image is written. Throws base::Error (failed) naming the file.
class TileLog {
 public:
  /// A new one, in the place of any old one, or with `header.owner` replaced behind the whole
  /// records of the one that is there. Usage error naming the owner if another process writes it.
  enum class Start { anew, after_the_last };
  TileLog(const std::string& path, LogHeader header, Start start);

  const std::string& path() const { return file_.path(); }
  /// Reaches the file before it returns, with a checksum; the disk at the next sync().
  void append(LogRecord record);
  /// Any thread may call it.
  void sync() { file_.sync(); }
  /// To be told when the file has got another name.
  void renamed(const std::string& path);

 private:
  base::PosixFile file_;
  base::FileLock lock_;
};

}  // namespace tessera::store
