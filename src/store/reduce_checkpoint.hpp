// What a reduction has so far, in a small file, for the same command to go on with.
// docs/file-format.md, "The checkpoint of a reduction".
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::store {

struct ReduceCheckpoint {
  std::string version;       ///< of the program; `partial` is its own
  std::string job;           ///< job::identity()
  std::string inputs;        ///< which files there were, how large, and when they were changed
  bool may_replace = false;  ///< a finished output that is there already
  // How the work is cut into items, whatever the number of ranks.
  std::uint64_t slice_bytes = 0;
  std::int64_t tiles_each = 1;  ///< of a reduction along axes, as plan::AxisItems::Cut has it
  std::int64_t shares = 1;
  std::int64_t pass = 0;       ///< over the array, the first or the second
  std::vector<bool> finished;  ///< by item, in this journey
  base::Bytes partial;         ///< what those come to

  std::int64_t count_finished() const;
};

/// Serialised, with a checksum; the reverse gives nothing for what is damaged.
base::Bytes encode(const ReduceCheckpoint& checkpoint);
std::optional<ReduceCheckpoint> decode_reduce_checkpoint(std::span<const std::byte> bytes);

/// The file of that, with a lock from the moment it is found or saved. Members throw base::Error.
class ReduceCheckpointFile {
 public:
  explicit ReduceCheckpointFile(std::string path);

  enum class What {
    nothing,     ///< no file, or an empty one
    checkpoint,  ///< a sound one
    damaged,     ///< once was one
    other        ///< something else
  };
  struct Found {
    What what = What::nothing;
    ReduceCheckpoint checkpoint;
  };
  /// Usage error naming the other process if one is writing it.
  Found find();

  /// In the place of what is there, so that a kill or a power cut leaves the one or the other.
  /// Usage error if another process has begun to write it.
  void save(const ReduceCheckpoint& checkpoint);
  /// The same of one that holds nothing, at once: a power cut may damage it.
  void save_blank(const ReduceCheckpoint& checkpoint);
  /// Done with: the file, if there is one that is this one's, is gone.
  void remove() noexcept;

  const std::string& path() const { return path_; }
  bool there() const { return lock_ != nullptr; }  ///< found or saved, and not removed

 private:
  void replace(const ReduceCheckpoint& checkpoint, bool sync);

  std::string path_;
  std::string new_path_;
  std::unique_ptr<base::FileLock> lock_;
};

}  // namespace tessera::store
