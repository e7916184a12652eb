// A file beside the output with what a reduction of groups cannot hold in memory: sorted runs, each
// in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/bytes.hpp"
#include "base/file/file_lock.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "statistics/group_partials.hpp"

namespace tessera::reduce {

/// Where a run is in the file.
struct StoredRun {
  std::uint64_t first_byte = 0;
  std::uint64_t end_byte = 0;
  std::uint64_t most_bytes = 0;  ///< of a block, in memory

  static auto members(auto& self) {
    return std::tie(self.first_byte, self.end_byte, self.most_bytes);
  }
};

/// Whether the file is there and begins as a RunFile does.
bool is_run_file(const std::string& path);

/// Members throw base::FileError, with the free space if the disk is full. Nothing removes the file
/// but remove().
class RunFile {
 public:
  /// The file is created by the first write.
  explicit RunFile(std::string path, unsigned mode = base::PosixFile::kUsualMode)
      : path_(std::move(path)), mode_(mode) {}
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  /// Resumes with the first `bytes` that an earlier run has written. Returns false if they are
  /// gone.
  bool go_on(std::uint64_t bytes);
  /// Appends a block of records with keys up to `last`. Throws a usage error if another run writes
  /// the file, or if it is of another program.
  void write(statistics::GroupKey last, std::span<const std::byte> records);
  void sync() const;
  /// Removes the file, also one that an earlier run has left, unless another run writes it.
  void remove() noexcept;

  const std::string& path() const { return path_; }
  /// Where the next block will be.
  std::uint64_t bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t kMarkBytes = 8;
  void open(base::PosixFile::Start start);

  std::string path_;
  unsigned mode_;  ///< of a new file
  std::unique_ptr<base::PosixFile> file_;
  std::unique_ptr<base::FileLock> lock_;
  std::uint64_t bytes_ = kMarkBytes;
};

/// Reads the blocks of a run, one after the other.
class RunReader {
 public:
  RunReader(const base::InputFile& file, const StoredRun& run) : file_(&file), run_(run) {}

  /// The next block that has keys from `first` on; nothing if there is none.
  std::optional<base::Bytes> next(statistics::GroupKey first);

 private:
  const base::InputFile* file_;
  StoredRun run_;  ///< what is left of it
};

}  // namespace tessera::reduce
