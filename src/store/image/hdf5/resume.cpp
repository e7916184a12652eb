// Resumes an image after the run that wrote it has ended in any way. A tile counts as stored if the
// log lists it and its bytes have the logged checksums. HDF5's own index is used only if it agrees
// with the log. Otherwise the valid chunks are copied into a new file.
#include <optional>
#include <string>

#include "base/error.hpp"
#include "codec/chunk.hpp"
#include "store/image/hdf5/copy.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/hdf5/leftover_files.hpp"
#include "store/image/hdf5/state.hpp"
#include "store/image/hdf5/survey.hpp"

namespace tessera::store {

namespace {

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

/// Makes /tiles agree with the log. HDF5 keeps no checksums of it: a row may be torn, or belong to
/// a tile whose log record did not reach the disk.
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

void take_up(ImageState& state, const Survey& survey) {
  state.resume();
  correct_rows(state, survey.found.stored);
  // The log does not list these copies, because the bytes that it lists are still there. So it
  // cannot tell whether the copies reached the disk either: they are synced before the index that
  // refers to them.
  StoredBytes bytes(state.h5.file());
  for (const LogRecord& record : survey.unindexed) {
    for (std::size_t i = 0; i < record.fields; ++i) {
      state.index_again(record, i, bytes.read(record.chunks[i]));
    }
  }
  if (!survey.unindexed.empty()) state.raw->sync();
  state.flush();
}

/// False if HDF5 cannot; the logged chunks are then still at their addresses.
bool resume_in_place(ImageState& state, const Survey& survey) {
  try {
    take_up(state, survey);
    return true;
  } catch (const base::Error&) {
    state.tiles.reset();
    state.fields.clear();
    state.file.reset();
    return false;
  }
}

/// Resumes by the log; nothing if there is no log of this job, or no valid tile in it.
std::optional<Leftover> resume_by_log(ImageState& state) {
  const std::string part = state.h5.file();
  const auto header = read_log_header(log_path(part));
  if (!header || state.fingerprint() != header->fingerprint.data()) return std::nullopt;
  state.lock = std::make_unique<base::FileLock>(part, [&] { return owner_of(part); });
  state.identity = base::identity_of(part);
  state.log = std::make_unique<TileLog>(
      log_path(part),
      make_log_header(state.fingerprint(), state.header.fields.size(), state.identity),
      TileLog::Start::resume);
  state.raw = std::make_unique<base::PosixFile>(part, base::PosixFile::Start::as_it_is);
  Survey survey = survey_image(state);
  if (survey.found.tiles == 0) {
    state.log.reset();
    state.lock.reset();
    return std::nullopt;
  }
  if (survey.index_agrees && resume_in_place(state, survey)) return std::move(survey.found);
  return copy_logged(state, std::move(survey));
}

/// Resumes by HDF5's index; nothing if HDF5 cannot read the file, or it belongs to another job.
std::optional<Leftover> resume_by_index(ImageState& state) {
  const auto reader = try_to_read(state.h5.file());
  if (!reader || reader->attribute("fingerprint") != state.fingerprint()) return std::nullopt;
  return copy_indexed(state, *reader);
}

}  // namespace

Leftover resume(ImageState& state) {
  const std::string part = state.h5.file();
  if (base::exists(part)) {
    {
      const base::FileLock nobody_else(part, [&] { return owner_of(part); });
      settle_copy(part);
    }
    if (auto left = resume_by_log(state)) return std::move(*left);
    if (!read_log_header(log_path(part))) {
      if (auto left = resume_by_index(state)) return std::move(*left);
    }
  }
  state.create(part);
  remove_copy(part);
  return {};
}

}  // namespace tessera::store
