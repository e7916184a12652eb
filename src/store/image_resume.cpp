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
  StoredBytes bytes(state.h5.file());
  std::vector<bool> rows(survey.found.stored.size());
  for_each_tile(state.h5, state.file, [&](const TileRow& row) {
    rows[static_cast<std::size_t>(state.number_of(to_record(row)))] = row.rank >= 0;
  });
  for_each_record(log_path(state.h5.file()), [&](const LogRecord& record) {
    const auto tile = static_cast<std::size_t>(state.number_of(record.tile));
    if (tile < rows.size() && survey.found.stored[tile] && !rows[tile]) {
      state.tiles->set(record.tile);
    }
  });
  // The log need not know of these copies: the bytes that it knows of are still there.
  for (const LogRecord& record : survey.unindexed) {
    for (std::size_t i = 0; i < record.fields; ++i) {
      state.index_again(record, i, bytes.read(record.chunks[i]));
    }
  }
  state.flush();
  return true;
}

/// Gives the copy the names of what it was copied from. Until the log has its name the old files
/// count, from then on the new ones do (settle_copy()).
void adopt_copy(const std::string& part) {
  rename_file(log_path(copy_path(part)), log_path(part));
  rename_file(copy_path(part), part);
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
  adopt_copy(part);  // from its first step on the copy is all there is: never removed
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
  if (exists(part)) const base::FileLock nobody_else(part, owner_of(part));
  remove_copy(part);
  base::remove_file(log_path(part));
  base::remove_file(part);
}

}  // namespace tessera::store
