// The checkpoint of a reduction: a small file with the merged partial result, from which the same
// command resumes. docs/file-format.md, "The checkpoint of a reduction".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::store {

struct ReduceCheckpoint {
  std::string version;       ///< version of the program; the format of `partial` depends on it
  std::string job;           ///< job::identity()
  std::string inputs;        ///< paths of the input files, and what distinguishes them
  bool may_replace = false;  ///< whether a finished output that exists already may be replaced
  // How the work is cut into items. It does not depend on the number of ranks.
  std::uint64_t slice_bytes = 0;
  std::int64_t tiles_each = 1;  ///< with --axis, as in plan::AxisItems::Cut
  std::int64_t shares = 1;
  std::int64_t pass = 0;       ///< which pass over the array, from 0 on
  std::vector<bool> finished;  ///< by item, in this pass
  base::Bytes partial;         ///< the merged result of the finished items

  std::int64_t count_finished() const;

  static auto members(auto& self) {
    return std::tie(self.version, self.job, self.inputs, self.may_replace, self.slice_bytes,
                    self.tiles_each, self.shares, self.pass, self.finished, self.partial);
  }
};

/// Serialises a checkpoint with a checksum. decode_reduce_checkpoint() returns nothing if the bytes
/// are damaged.
base::Bytes encode(const ReduceCheckpoint& checkpoint);
std::optional<ReduceCheckpoint> decode_reduce_checkpoint(std::span<const std::byte> bytes);

/// Whether the file begins as a checkpoint does, at least as far as a kill or a power cut let it.
bool begins_as_checkpoint(const std::string& path);

/// The checkpoint's file. It is locked as soon as it is found or saved. Members throw base::Error.
class ReduceCheckpointFile {
 public:
  /// A new file gets the permissions `mode`. With `may_replace`, whatever has one of its names may
  /// be replaced.
  explicit ReduceCheckpointFile(std::string path, unsigned mode = base::PosixFile::kDefaultMode,
                                bool may_replace = false);

  enum class What {
    nothing,     ///< no file, or an empty one
    checkpoint,  ///< a valid checkpoint
    damaged,     ///< a checkpoint whose checksum does not match, or of another version
    other        ///< some other file
  };
  struct Found {
    What what = What::nothing;
    ReduceCheckpoint checkpoint;
  };
  /// Throws a usage error that names the other process if one is writing the file.
  Found find();

  /// Replaces the file atomically: after a kill or a power cut, either the old or the new one is
  /// there. Throws a usage error if another process has begun to write it.
  void save(const ReduceCheckpoint& checkpoint);
  /// Like save(), but without a sync, for a checkpoint without results: a power cut may damage it.
  void save_blank(const ReduceCheckpoint& checkpoint);
  /// Removes the file if this object still holds its lock.
  void remove() noexcept;

  const std::string& path() const { return path_; }
  bool there() const { return lock_ != nullptr; }  ///< was found or saved, and not removed

 private:
  void replace(const ReduceCheckpoint& checkpoint, bool sync);

  std::string path_;
  unsigned mode_;
  bool may_replace_;
  std::string new_path_;
  std::unique_ptr<base::FileLock> lock_;
};

}  // namespace tessera::store
