#include "store/image/hdf5/copy.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "codec/chunk.hpp"
#include "plan/tile_grid.hpp"
#include "store/image/counts.hpp"
#include "store/image/hdf5/leftover_files.hpp"

namespace tessera::store {

namespace {

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw base::file_error(from, "rename to " + to, errno);
  }
}

/// Writes the chunks and the row of a tile into the file of `state`; false if the bytes are
/// damaged.
bool store_again(ImageState& state, const LogRecord& record, StoredBytes& bytes) {
  base::throw_if_stopped(state.path);
  for (std::size_t i = 0; i < record.fields; ++i) {
    if (bytes.read_sound(record.chunks[i]).empty()) return false;
  }
  for (std::size_t i = 0; i < record.fields; ++i) {
    const ChunkRecord& chunk = record.chunks[i];
    state.write_chunk(state.header.fields[i].first, record.tile.row, record.tile.column,
                      bytes.read(chunk), chunk.filter_mask);
  }
  state.set_tile(record.tile);
  return true;
}

/// Renames the copy to the original's names. Until the log is renamed, the old files are valid;
/// from then on, the new ones are (settle_copy()).
void adopt_copy(ImageState& state, const std::string& part) {
  rename_file(log_path(copy_path(part)), log_path(part));
  state.log->renamed(log_path(part));
  rename_file(copy_path(part), part);
  state.raw->renamed(part);
  state.lock->renamed(part);  // NOLINT(clang-analyzer-cplusplus.Move): create() made a new one
  base::sync_folder(base::folder_of(part));
}

/// Calls `copy`, which fills new files and returns the tiles that it found.
template <class Copy>
Leftover copy_all(ImageState& state, Copy copy) {
  const std::string part = state.h5.file();
  // The old files stay locked until the new ones have their names.
  const auto old_log = std::move(state.log);
  const auto old_lock = std::move(state.lock);
  Leftover left;
  try {
    state.create(copy_path(part), base::Replace::nothing, part);
    left = copy();
    left.copied = true;
    state.flush();
    state.raw->sync();
    state.log->sync();
  } catch (const base::Error&) {
    remove_copy(part);
    throw;
  }
  adopt_copy(state, part);  // never removed from here on: the copy is all that is left
  return left;
}

/// Reads the chunks of one tile after another by HDF5's index.
class IndexedTiles {
 public:
  IndexedTiles(const ImageReader& reader, const ImageHeader& header)
      : reader_(reader),
        header_(header),
        grid_{header.size_px, header.tile_px},
        decoder_(header.fields[0].second),
        counts_(static_cast<std::size_t>(header.chunk_px().pixels()) *
                base::element_bytes(header.fields[0].second)) {}

  /// The tile's record; nothing if its bytes do not have the row's checksum. A row has no checksum
  /// of its own, so what can be computed from the bytes is computed.
  std::optional<TileRecord> read(const TileRow& row) {
    TileRecord record = to_record(row);
    try {
      std::uint32_t checksum = 0;
      record.bytes = 0;
      for (std::size_t i = 0; i < header_.fields.size(); ++i) {
        const job::Field field = header_.fields[i].first;
        if (!reader_.read_chunk(field, row.row, row.column, chunks_[i], masks_[i])) return {};
        checksum = codec::crc32c(chunks_[i], checksum);
        record.bytes += chunks_[i].size();
      }
      if (checksum != row.checksum) return {};
      decoder_.decode(chunks_[0], masks_[0], counts_);
    } catch (const base::Error&) {
      return {};
    }
    const base::PixelRect rect = grid_.rect(row.row * grid_.columns() + row.column);
    record.iterations = sum_of_counts(counts_, header_.fields[0].second, header_.chunk_px().width,
                                      {rect.width, rect.height});
    return record;
  }

  /// Writes the chunks that read() has read.
  void write_chunks(ImageState& state, const TileRow& row) const {
    for (std::size_t i = 0; i < header_.fields.size(); ++i) {
      state.write_chunk(header_.fields[i].first, row.row, row.column, chunks_[i], masks_[i]);
    }
  }

 private:
  const ImageReader& reader_;
  const ImageHeader& header_;
  plan::TileGrid grid_;
  codec::ChunkDecoder decoder_;  ///< decoder of the iteration counts, the first field
  std::vector<std::byte> counts_;
  std::array<std::vector<std::byte>, kMaxFields> chunks_;
  std::array<std::uint32_t, kMaxFields> masks_{};
};

}  // namespace

Leftover copy_logged(ImageState& state, Survey survey) {
  const std::string part = state.h5.file();
  return copy_all(state, [&] {
    StoredBytes bytes(part);
    std::vector<bool> copied(survey.found.stored.size());
    for_each_record(log_path(part), [&](const LogRecord& record) {
      const auto tile = static_cast<std::size_t>(state.number_of(record.tile));
      if (tile >= copied.size() || !survey.found.stored[tile] || copied[tile]) return;
      copied[tile] = store_again(state, record, bytes);
    });
    return std::move(survey.found);
  });
}

Leftover copy_indexed(ImageState& state, const ImageReader& reader) {
  return copy_all(state, [&] {
    Leftover left;
    left.stored.resize(static_cast<std::size_t>(state.header.grid().pixels()));
    IndexedTiles tiles(reader, state.header);
    reader.for_each_tile([&](const TileRow& row) {
      base::throw_if_stopped(state.path);
      if (row.rank < 0) return;
      const std::optional<TileRecord> record = tiles.read(row);
      if (!record) {
        ++left.damaged;
        return;
      }
      tiles.write_chunks(state, row);
      state.set_tile(*record);
      left.stored[static_cast<std::size_t>(state.number_of(*record))] = true;
      ++left.tiles;
    });
    return left;
  });
}

void settle_copy(const std::string& part) {
  if (!base::exists(copy_path(part))) return;
  const auto header = read_log_header(log_path(part));
  const base::FileIdentity copy = base::identity_of(copy_path(part));
  if (header && header->part_device == copy.device && header->part_inode == copy.inode) {
    rename_file(copy_path(part), part);
  }
  remove_copy(part);
}

}  // namespace tessera::store
