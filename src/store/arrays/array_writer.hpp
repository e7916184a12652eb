// Writes arrays box by box in any order, to a file or a folder of one of job::find_array_format().
// It is FILE.part until it is complete, a folder FILE.part.d; beside that, FILE.part is its lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/file/unfinished_file.hpp"
#include "plan/array_pieces.hpp"
#include "store/arrays/written_array.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// The facts that a later run needs in order to resume with FILE.part.
struct ArrayLayout {
  std::vector<std::uint64_t> offsets;  ///< byte offset of the first element of each array
  std::uint32_t head = 0;  ///< CRC-32C of all bytes that belong to no element; not of chunks

  static auto members(auto& self) { return std::tie(self.head, self.offsets); }
};

/// The name of the unfinished `path`.
std::string unfinished_path(const std::string& path);

/// The file with the elements of each array of the unfinished `path`, as ArrayWriter creates it; ""
/// for those of which it has none.
std::vector<std::string> element_files(const std::string& path,
                                       const std::vector<WrittenArray>& arrays);

/// Throws a usage error that starts with `what` if the output cannot be made, or if it is there and
/// must not be replaced. What is in a folder that is no Zarr is never replaced.
void check_array_output(const std::string& path, const std::string& what, bool may_replace);

/// Whether a folder has documents of Zarr and folders, and nothing else, so that it may be removed
/// if it is to be. An empty one counts.
bool is_folder_of_zarr(const std::string& folder);

/// Makes a finished output unfinished again, so that a run can resume with it.
void take_back_output(const std::string& path);

/// All arrays of a file are in chunks, or none is. Only one thread may use it at a time. Members
/// throw base::Error (failed) naming the file, and the free space if the disk is full.
class ArrayWriter {
 public:
  /// Creates `path`.part and replaces what an earlier run has left. The suffix of `path` determines
  /// the format. Throws a usage error if another run is writing it, or if it is not `is_ours`.
  ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays,
              const Attributes& attributes, const base::IsOurs& is_ours = {});
  /// Resumes with `path`.part, for which can_resume() returned true.
  ArrayWriter(const std::string& path, std::vector<WrittenArray> arrays, ArrayLayout layout);
  /// Without finish(): removes the .part file, unless keep() was called.
  ~ArrayWriter();
  ArrayWriter(const ArrayWriter&) = delete;
  ArrayWriter& operator=(const ArrayWriter&) = delete;

  /// True if `path`.part exists and all bytes outside the elements are unchanged.
  static bool can_resume(const std::string& path, const std::vector<WrittenArray>& arrays,
                         const ArrayLayout& layout);
  const ArrayLayout& layout() const;
  /// Identity of the .part file.
  const base::FileIdentity& identity() const;

  /// Writes the elements of `box`, which covers the first dimensions of the array; further
  /// dimensions are written whole, so `elements` holds box.elements() times their size. The
  /// elements of the box come in `order`. Returns the CRC-32C of the elements in file order,
  /// continued from `checksum`.
  std::uint32_t write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                      std::span<const std::byte> elements, std::uint32_t checksum = 0);
  /// Writes the stored bytes of the chunk at `origin`, of an array in chunks. Returns their
  /// CRC-32C, continued from `checksum`.
  std::uint32_t write_chunk(std::size_t array, const plan::Shape& origin,
                            std::span<const std::byte> bytes, std::uint32_t filter_mask,
                            std::uint32_t checksum = 0);
  /// The same checksum, of the bytes in the file. Of an array in chunks, `box` is that of a chunk.
  std::uint32_t read_checksum(std::size_t array, const plan::Box& box,
                              std::uint32_t checksum = 0) const;
  /// Syncs the written data to disk. Any thread may call it.
  void sync();
  /// Keeps the .part file for a later run.
  void keep();
  /// The file keeps what else is in an existing HDF5 file of its name, whether that may be replaced
  /// or not. Throws as joins_others() does.
  void join_others();
  /// Ends writing and syncs: the .part file has its last bytes. With join_others(), a copy of the
  /// existing file gets the arrays.
  void complete();
  /// Only after complete(): the file that finish() will rename.
  const std::string& made() const;
  /// As complete(), then renames to `path`. Throws a usage error if `path` exists and must not be
  /// replaced. No other member may be called afterwards.
  void finish(base::Replace replace = base::Replace::nothing);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::store
