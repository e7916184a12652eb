// An image in the making: the HDF5 file and the log of what is stored in it. Private to this room.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file/posix_file.hpp"
#include "store/image/field_dataset.hpp"
#include "store/hdf5/handle.hpp"
#include "store/image/image_file.hpp"
#include "store/image/tables.hpp"
#include "store/image/tile_log.hpp"

namespace tessera::store {

/// How HDF5 opens what it writes. `ignore_open_marks`: also what a killed writer left.
Handle writing_access(const CheckedCall& h5, bool ignore_open_marks);

struct ImageState {
  /// Nothing is open yet.
  ImageState(const std::string& path, const ImageHeader& header);

  /// A new, empty file called `part_name`, and its log.
  void create(const std::string& part_name);
  /// The file that is there, whose log goes on. Throws base::Error if HDF5 cannot go on with it.
  void go_on();

  FieldDataset& dataset(job::Field field);
  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t filter_mask);
  /// Gives a chunk of the log back to HDF5's index.
  void index_again(const LogRecord& record, std::size_t field, std::span<const std::byte> bytes);
  /// Stores the tile, all of whose chunks were written.
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
  std::unique_ptr<base::PosixFile> raw;  ///< the .part file past HDF5, to be synced
  std::unique_ptr<base::FileLock> lock;  ///< tells other runs to keep off, until the end
  Handle file;                           // before what lives in it, so that it is closed last
  std::vector<FieldDataset> fields;
  std::optional<TileTable> tiles;
  /// Chunks of tiles that are not complete, by tile number.
  std::vector<std::pair<std::int64_t, LogRecord>> open;
  std::int64_t unflushed = 0;  ///< tiles since the last flush()

 private:
  void update_attributes();
  void open_contents(const std::string& name);
  LogRecord& open_record(std::int64_t tile);
};

/// Goes on with what is in the files of `state`, in place or in new ones.
Leftover resume(ImageState& state);

}  // namespace tessera::store
