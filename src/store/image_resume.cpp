// How an image goes on after whatever ended the run that wrote it. What is stored is what the log
// says and whose bytes have the checksums that it gives; HDF5's own index is believed only where it
// agrees. Otherwise the sound chunks are copied into a new file.
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "codec/chunk.hpp"
#include "store/attributes.hpp"
#include "store/image_state.hpp"
#include "store/image_survey.hpp"

namespace tessera::store {

namespace {

bool exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

std::string copy_path(const std::string& part) {
  return part + ".new";
}

std::string owner_of(const std::string& part) {
  const auto header = read_log_header(log_path(part));
  return header ? header->owner.data() : "";
}

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) {
    throw base::file_error(from, "rename to " + to, errno);
  }
}

void remove_copy(const std::string& part) {
  base::remove_file(copy_path(part));
  base::remove_file(log_path(copy_path(part)));
}

/// Chunks and row of a tile into the file of `state`; false if the bytes are not sound.
bool store_again(ImageState& state, const LogRecord& record, StoredBytes& bytes) {
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

TileRecord not_stored(std::int64_t tile, const base::ImageSize& grid) {
  TileRecord row{};
  row.row = static_cast<std::uint32_t>(tile / grid.width);
  row.column = static_cast<std::uint32_t>(tile % grid.width);
  row.rank = -1;
  return row;
}

std::uint32_t checksum_of(const TileRecord& row) {
  return codec::crc32c(std::as_bytes(std::span(&row, 1)));
}

/// /tiles says what the log says. HDF5 keeps no checksums of it: a row may be torn, or of a tile
/// whose record in the log did not reach the disk.
void correct_rows(ImageState& state, const std::vector<bool>& stored) {
  const std::string log = log_path(state.h5.file());
  std::vector<std::uint32_t> right(stored.size());
  for_each_record(log, [&](const LogRecord& record) {
    const auto tile = static_cast<std::size_t>(state.number_of(record.tile));
    if (tile < right.size()) right[tile] = checksum_of(record.tile);
  });
  std::vector<bool> wrong(stored.size());
  std::size_t tile = 0;
  for_each_tile(state.h5, state.file, [&](const TileRow& row) {
    if (tile >= wrong.size()) return;
    wrong[tile] = stored[tile] ? checksum_of(to_record(row)) != right[tile] : row.rank >= 0;
    ++tile;
  });
  for (tile = 0; tile < wrong.size(); ++tile) {
    if (!wrong[tile] || stored[tile]) continue;
    state.tiles->set(not_stored(static_cast<std::int64_t>(tile), state.header.grid()));
  }
  for_each_record(log, [&](const LogRecord& record) {
    const auto number = static_cast<std::size_t>(state.number_of(record.tile));
    if (number < wrong.size() && wrong[number] && stored[number]) state.tiles->set(record.tile);
  });
}

/// False if HDF5 cannot; nothing has changed then.
bool go_on_in_place(ImageState& state, const Survey& survey) {
  try {
    state.go_on();
  } catch (const base::Error&) {
    state.fields.clear();
    state.tiles.reset();
    state.file.reset();
    return false;
  }
  correct_rows(state, survey.found.stored);
  // The log need not know of these copies: the bytes that it knows of are still there. But it can
  // then not tell either whether the copies are, so that they come to the disk before the index
  // that means them.
  StoredBytes bytes(state.h5.file());
  for (const LogRecord& record : survey.unindexed) {
    for (std::size_t i = 0; i < record.fields; ++i) {
      state.index_again(record, i, bytes.read(record.chunks[i]));
    }
  }
  if (!survey.unindexed.empty()) state.raw->sync();
  state.flush();
  return true;
}

/// Gives the copy the names of what it was copied from. Until the log has its name the old files
/// count, from then on the new ones do (settle_copy()).
void adopt_copy(ImageState& state, const std::string& part) {
  rename_file(log_path(copy_path(part)), log_path(part));
  state.log->renamed(log_path(part));
  rename_file(copy_path(part), part);
  state.raw->renamed(part);
  state.lock->renamed(part);  // NOLINT(clang-analyzer-cplusplus.Move): create() has made it anew
  base::sync_folder(base::folder_of(part));
}

/// An adoption that was interrupted goes on; a copy that was not complete is dropped.
void settle_copy(const std::string& part) {
  if (!exists(copy_path(part))) return;
  const auto header = read_log_header(log_path(part));
  const base::FileIdentity copy = base::identity_of(copy_path(part));
  if (header && header->part_device == copy.device && header->part_inode == copy.inode) {
    rename_file(copy_path(part), part);
  }
  remove_copy(part);
}

/// Into new files, by `copy(state)`, which returns how much it found.
template <class Copy>
Leftover copy_all(ImageState& state, Copy copy) {
  const std::string part = state.h5.file();
  // The old ones stay locked until the new ones have their names.
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
  adopt_copy(state, part);  // from its first step on the copy is all there is: never removed
  return left;
}

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

/// Without a log: what HDF5's index and /tiles say, where the checksums are right.
Leftover copy_indexed(ImageState& state, const ImageReader& reader) {
  return copy_all(state, [&] {
    Leftover left;
    left.stored.resize(static_cast<std::size_t>(state.header.grid().pixels()));
    reader.for_each_tile([&](const TileRow& row) {
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

std::unique_ptr<ImageReader> try_to_read(const std::string& path) {
  try {
    return std::make_unique<ImageReader>(path);
  } catch (const base::Error&) {
    return nullptr;
  }
}

FoundImage::What judge(const std::string& found, const std::string& wanted, FoundImage::What same) {
  return found == wanted ? same : FoundImage::What::other;
}

/// Nothing if there is no log of this job, or no sound tile in it.
std::optional<Leftover> go_on_by_log(ImageState& state) {
  const std::string part = state.h5.file();
  const auto header = read_log_header(log_path(part));
  if (!header || state.fingerprint() != header->fingerprint.data()) return std::nullopt;
  state.lock = std::make_unique<base::FileLock>(part, owner_of(part));
  state.identity = base::identity_of(part);
  state.log = std::make_unique<TileLog>(
      log_path(part),
      make_log_header(state.fingerprint(), state.header.fields.size(), state.identity),
      TileLog::Start::after_the_last);
  state.raw = std::make_unique<base::PosixFile>(part, base::PosixFile::Start::as_it_is);
  Survey survey = survey_image(state);
  if (survey.found.tiles == 0) {
    state.log.reset();
    state.lock.reset();
    return std::nullopt;
  }
  if (survey.index_agrees && go_on_in_place(state, survey)) return std::move(survey.found);
  return copy_logged(state, std::move(survey));
}

/// Nothing if HDF5 cannot read the file, or it is of another job.
std::optional<Leftover> go_on_by_index(ImageState& state) {
  const auto reader = try_to_read(state.h5.file());
  if (!reader || reader->attribute("fingerprint") != state.fingerprint()) return std::nullopt;
  return copy_indexed(state, *reader);
}

}  // namespace

Leftover resume(ImageState& state) {
  const std::string part = state.h5.file();
  if (exists(part)) {
    {
      const base::FileLock nobody_else(part, owner_of(part));
      settle_copy(part);
    }
    if (auto left = go_on_by_log(state)) return std::move(*left);
    if (!read_log_header(log_path(part))) {
      if (auto left = go_on_by_index(state)) return std::move(*left);
    }
  }
  remove_unfinished(state.path);
  state.create(part);
  return {};
}

FoundImage find_image(const std::string& path, const std::string& fingerprint) {
  using What = FoundImage::What;
  if (exists(path)) {
    const auto reader = try_to_read(path);
    if (!reader) return {What::other, path, "is there already, and no image of Tessera"};
    const bool complete = reader->attribute(kStatusKey) == kComplete;
    const What what = judge(reader->attribute("fingerprint"), fingerprint, What::complete);
    if (what == What::other) return {What::other, path, "holds another image"};
    // A power cut can bring back the log of a file that had got its name already.
    if (complete && !exists(base::part_path(path))) {
      base::remove_file(log_path(base::part_path(path)));
    }
    if (!complete) return {What::other, path, "holds this image unfinished, without .part"};
    return {what, path, ""};
  }
  const std::string part = base::part_path(path);
  if (!exists(part)) return {};
  { const base::FileLock nobody_else(part, owner_of(part)); }
  if (const auto header = read_log_header(log_path(part))) {
    return {judge(header->fingerprint.data(), fingerprint, What::unfinished), part,
            "is what a run for another image left"};
  }
  const auto reader = try_to_read(part);
  if (!reader) return {};
  return {judge(reader->attribute("fingerprint"), fingerprint, What::unfinished), part,
          "is what a run for another image left"};
}

std::optional<std::int64_t> logged_tiles(const std::string& part) {
  if (!read_log_header(log_path(part))) return std::nullopt;
  std::int64_t tiles = 0;
  for_each_record(log_path(part), [&](const LogRecord&) { ++tiles; });
  return tiles;
}

void remove_unfinished(const std::string& path) {
  const std::string part = base::part_path(path);
  // Held until all is gone, or this would remove what another run has begun meanwhile.
  std::optional<base::FileLock> nobody_else;
  if (exists(part)) nobody_else.emplace(part, owner_of(part));
  remove_copy(part);
  base::remove_file(log_path(part));
  base::remove_file(part);
}

}  // namespace tessera::store
