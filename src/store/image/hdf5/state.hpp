// An image while it is written: the HDF5 file, and the log of its stored tiles. Private to this
// folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/posix_file.hpp"
#include "store/hdf5/handle.hpp"
#include "store/image/hdf5/field_dataset.hpp"
#include "store/image/hdf5/tables.hpp"
#include "store/image/hdf5/tile_log.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// Creates a file with the attributes of an unfinished image.
Handle create_image_file(const CheckedCall& h5, const std::string& name, const ImageHeader& header);

struct ImageState {
  /// Opens nothing.
  ImageState(const std::string& path, const ImageHeader& header);

  /// Creates an empty file called `part_name`, and its log, with what others have added to the
  /// image `additions_of`. Throws as base::create_locked() does.
  void create(const std::string& part_name, base::Replace replace = base::Replace::nothing,
              const std::string& additions_of = "");
  /// Opens the existing file and continues its log. Throws base::Error if HDF5 cannot write to it.
  void resume();

  FieldDataset& dataset(job::Field field);
  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t filter_mask);
  /// Writes a chunk of the log again, so that HDF5's index has it.
  void index_again(const LogRecord& record, std::size_t field, std::span<const std::byte> bytes);
  /// Stores the tile after all its chunks were written.
  void set_tile(const TileRecord& row);
  std::int64_t number_of(const TileRecord& row) const {
    return static_cast<std::int64_t>(row.row) * header.grid().width + row.column;
  }
  void flush();
  void close();

  std::string fingerprint() const;

  std::string path;
  ImageHeader header;
  CheckedCall h5;  ///< names the .part file
  base::FileIdentity identity;
  std::unique_ptr<TileLog> log;
  std::unique_ptr<base::PosixFile> raw;  ///< the .part file without HDF5, for sync()
  std::unique_ptr<base::FileLock> lock;  ///< keeps other runs from writing, until the end
  Handle file;  // declared before the objects in it, so that it is closed last
  std::vector<FieldDataset> fields;
  std::optional<TileTable> tiles;
  /// Records of the tiles whose chunks are not all written, by tile number.
  std::vector<std::pair<std::int64_t, LogRecord>> open;
  std::int64_t unflushed = 0;  ///< tiles since the last flush()

 private:
  void create_log(const std::string& part_name);
  void update_attributes();
  void open_contents(const std::string& name);
  LogRecord& open_record(std::int64_t tile);
};

/// Resumes from the existing files of `state`, in place or in new files.
Leftover resume(ImageState& state);

}  // namespace tessera::store
