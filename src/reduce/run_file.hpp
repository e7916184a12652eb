// A file beside the output with what a reduction of groups cannot hold in memory: sorted runs, each
// in blocks, or rows of the table. Each block is a record, so that what is read is what was
// written.
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
#include "base/file/record_file.hpp"
#include "base/file/unfinished_file.hpp"
#include "statistics/group_partials.hpp"

namespace tessera::reduce {

/// Where a run is in the file.
struct StoredRun {
  std::uint64_t first_byte = 0;
  std::uint64_t end_byte = 0;
  std::uint64_t max_bytes = 0;  ///< bytes of a block, in memory

  static auto members(auto& self) {
    return std::tie(self.first_byte, self.end_byte, self.max_bytes);
  }
};

/// How far the file belongs to a state that a checkpoint stores.
struct RunFilePlace {
  std::uint64_t bytes = 0;   ///< 0 = there is no file
  std::uint64_t number = 0;  ///< number of the file, so that another one is not taken for it

  static auto members(auto& self) { return std::tie(self.bytes, self.number); }
};

/// Members throw base::FileError, with the free space if the disk is full. Nothing removes the file
/// but remove().
class RunFile {
 public:
  /// The file is created by the first write. `mark`: base::kGroupsMark or base::kRowsMark. A new
  /// file gets the permissions `mode`.
  RunFile(std::string path, std::string_view mark, unsigned mode = base::PosixFile::kDefaultMode)
      : path_(std::move(path)), mark_(mark), mode_(mode) {}
  RunFile(const RunFile&) = delete;
  RunFile& operator=(const RunFile&) = delete;

  /// Throws a usage error if a file of this name is neither such a file nor `is_ours`.
  void check(const base::IsOurs& is_ours = {});
  /// Resumes at a place that an earlier run has written. Returns false if what is before it is gone
  /// or has changed.
  bool resume(const RunFilePlace& place);
  /// Appends a block of records with keys up to `last`. Throws a usage error if another run writes
  /// the file, or if it is of another program.
  void write(statistics::GroupKey last, std::span<const std::byte> records);
  void sync() const;
  /// Removes the file, also one that an earlier run has left, unless another run writes it.
  void remove() noexcept;

  const std::string& path() const { return path_; }
  std::string_view mark() const { return mark_; }
  /// Where the next block will be.
  std::uint64_t bytes() const { return records_ ? records_->end_byte() : kFirstByte; }
  /// For a checkpoint of what was written so far.
  RunFilePlace place() const;
  /// All blocks, as one run.
  StoredRun all() const { return {.first_byte = kFirstByte, .end_byte = bytes()}; }

 private:
  static constexpr std::uint64_t kFirstByte = 24;  ///< the head; there is no identity
  void open();

  std::string path_;
  std::string_view mark_;
  unsigned mode_;
  bool checked_ = false;
  std::unique_ptr<base::PosixFile> file_;
  std::unique_ptr<base::FileLock> lock_;
  std::optional<base::RecordWriter> records_;
};

/// The contents of a file of runs. Throws base::Error (failed) if it is not such a file.
class RunFileView {
 public:
  RunFileView(const std::string& path, std::string_view mark);
  const base::RecordReader& records() const { return records_; }
  /// The error of a damaged file.
  base::Error damaged(std::uint64_t at_byte) const;

 private:
  base::InputFile file_;
  base::RecordReader records_;
};

/// Reads the blocks of a run, one after the other.
class RunReader {
 public:
  RunReader(const RunFileView& file, const StoredRun& run) : file_(&file), run_(run) {}

  /// The next block that has keys from `first` on; nothing if there is none. Throws base::Error
  /// (failed) if the block has changed.
  std::optional<base::Bytes> next(statistics::GroupKey first);

 private:
  const RunFileView* file_;
  StoredRun run_;  ///< the remaining part of it
};

}  // namespace tessera::reduce
