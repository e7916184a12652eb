#include "store/image/hdf5/leftover_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.hpp"
#include "base/file/unfinished_file.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/hdf5/tile_log.hpp"
#include "store/image/parts.hpp"

namespace tessera::store {

namespace {

using State = ImageOnDisk::State;

/// After a power cut, the log of a renamed file can reappear; a kill can leave the file with both
/// names (base::publish_file).
void remove_second_names(const std::string& path) {
  const std::string part = base::part_path(path);
  if (base::exists(part) && base::identity_of(part) == base::identity_of(path)) {
    base::remove_file(part);
  }
  if (!base::exists(part) && is_log(log_path(part))) base::remove_file(log_path(part));
}

ImageOnDisk look_at_finished(const std::string& path) {
  const auto reader = base::is_regular(path) ? try_to_read(path) : nullptr;
  if (!reader) return {State::foreign, path, "", "is there already, and no image of Tessera"};
  if (const std::string part = reader->missing_part(); !part.empty()) {
    return {State::foreign, path, "", fmt::format("joins parts, of which {} is missing", part)};
  }
  const bool complete = reader->attribute(kStatusKey) == kComplete;
  if (complete) remove_second_names(path);
  return {complete ? State::complete : State::stray, path, reader->attribute("fingerprint"), ""};
}

ImageOnDisk look_at_part(const std::string& part) {
  std::error_code unknown;
  if (!base::exists(part) || std::filesystem::file_size(part, unknown) == 0) return {};
  if (!base::is_regular(part)) return {State::foreign, part, "", "is in the way: it is not a file"};
  {
    const base::FileLock nobody_else(part, [&] { return owner_of(part); });
  }
  if (const auto header = read_log_header(log_path(part))) {
    return {State::unfinished, part, header->fingerprint.data(), ""};
  }
  if (const auto reader = try_to_read(part); reader && is_unfinished_image(part)) {
    return {State::unfinished, part, reader->attribute("fingerprint"), ""};
  }
  if (base::is_left_over(part) || is_unfinished_image(part)) return {};
  return {State::foreign, part, "", "is in the way, and is not what a run of tessera has left"};
}

/// Any of them may be locked; the gather rank of a run always has one.
ImageOnDisk look_at_parts(const std::string& folder) {
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  if (!facts) return {};
  for (int number = 0; number < facts->parts; ++number) {
    const std::string part = base::part_path(part_file(folder, number));
    if (base::exists(part)) const base::FileLock nobody_else(part, [&] { return owner_of(part); });
  }
  return {State::unfinished, folder, facts->fingerprint, ""};
}

}  // namespace

std::string copy_path(const std::string& part) {
  return part + ".new";
}

void remove_copy(const std::string& part) {
  const std::string copy = copy_path(part);
  const bool ours = base::is_left_over(copy) || is_unfinished_image(copy);
  if (ours) base::remove_file(copy);
  if (is_log(log_path(copy))) base::remove_file(log_path(copy));
}

bool is_unfinished_image(const std::string& part) {
  if (base::is_regular(log_path(part)) && is_log(log_path(part))) return true;
  const auto reader = base::is_regular(part) ? try_to_read(part) : nullptr;
  return reader && reader->attribute(kFormatKey) == kFormatName;
}

std::string owner_of(const std::string& part) {
  const auto header = read_log_header(log_path(part));
  return header ? header->owner.data() : "";
}

std::int64_t stored_tiles(const std::string& part) {
  if (const auto logged = hdf5::logged_tiles(part)) return *logged;
  std::int64_t tiles = 0;
  if (const auto reader = try_to_read(part)) {
    reader->for_each_tile([&](const TileRow& row) { tiles += row.rank >= 0 ? 1 : 0; });
  }
  return tiles;
}

std::unique_ptr<Hdf5ImageReader> try_to_read(const std::string& path) {
  try {
    return std::make_unique<Hdf5ImageReader>(path);
  } catch (const base::Error&) {
    return nullptr;
  }
}

ImageOnDisk hdf5::look(const std::string& path) {
  if (base::exists(path)) return look_at_finished(path);
  const ImageOnDisk part = look_at_part(base::part_path(path));
  return part.state == State::nothing ? look_at_parts(parts_folder(path)) : part;
}

std::optional<std::int64_t> hdf5::logged_tiles(const std::string& part) {
  if (!read_log_header(log_path(part))) return std::nullopt;
  std::int64_t tiles = 0;
  for_each_record(log_path(part), [&](const LogRecord&) { ++tiles; });
  return tiles;
}

void remove_unfinished(const std::string& path) {
  const std::string part = base::part_path(path);
  // Held until everything is removed: without it, this could remove files that another run has just
  // begun. A lock needs a file, even if there was none a moment ago.
  if (!base::exists(part)) const base::PosixFile to_lock(part, base::PosixFile::Start::as_it_is);
  const base::FileLock nobody_else(part, [&] { return owner_of(part); });
  if (!base::is_left_over(part) && !is_unfinished_image(part)) return;
  remove_copy(part);
  // The log says whose the file is, so it goes last.
  base::remove_file(part);
  base::remove_file(log_path(part));
}

}  // namespace tessera::store
