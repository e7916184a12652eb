#include "store/image/hdf5/copy.hpp"

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/stop_request.hpp"
#include "codec/chunk.hpp"
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
    state.create(copy_path(part));
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
    reader.for_each_tile([&](const TileRow& row) {
      base::throw_if_stopped(state.path);
      if (row.rank < 0) return;
      std::array<std::vector<std::byte>, kMostFields> chunks;
      std::array<std::uint32_t, kMostFields> masks{};
      std::uint32_t checksum = 0;
      std::size_t found = 0;
      try {
        for (const auto& [field, type] : state.header.fields) {
          if (!reader.read_chunk(field, row.row, row.column, chunks[found], masks[found])) break;
          checksum = codec::crc32c(chunks[found++], checksum);
        }
      } catch (const base::Error&) {
        found = 0;
      }
      if (found != state.header.fields.size() || checksum != row.checksum) {
        ++left.damaged;
        return;
      }
      for (std::size_t i = 0; i < found; ++i) {
        state.write_chunk(state.header.fields[i].first, row.row, row.column, chunks[i], masks[i]);
      }
      state.set_tile(to_record(row));
      left.stored[static_cast<std::size_t>(state.number_of(to_record(row)))] = true;
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
