#include "store/image/parts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file/file_lock.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "job/image/render_job.hpp"
#include "store/image/formats.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/stored_tile.hpp"

namespace tessera::store {
namespace {

constexpr std::string_view kFactsFile = "parts.txt";
constexpr std::string_view kMark = "tessera parts 1";

std::string facts_file(const std::string& folder) {
  return fmt::format("{}/{}", folder, kFactsFile);
}

}  // namespace

std::string joined_file(const std::string& folder) {
  return fmt::format("{}/joined.h5.part", folder);
}

std::string part_file(const std::string& folder, int number) {
  return fmt::format("{}/{:03}.h5", folder, number);
}

std::optional<PartsFacts> read_parts_facts(const std::string& folder) {
  const std::string text = base::contents_of(facts_file(folder));
  const std::size_t first = text.find('\n');
  if (first == text.npos || text.substr(0, first) != kMark) return std::nullopt;
  const std::size_t second = text.find('\n', first + 1);
  const std::size_t third = second == text.npos ? second : text.find('\n', second + 1);
  if (third == text.npos) return std::nullopt;
  const std::string number = text.substr(second + 1, third - second - 1);
  try {
    return PartsFacts{
        .fingerprint = text.substr(first + 1, second - first - 1),
        .parts = static_cast<int>(base::parse_integer(number, "", 1, job::kMaxWriters))};
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

void begin_parts(const std::string& path, const PartsFacts& facts) {
  const std::string folder = parts_folder(path);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw base::file_error(folder, "be created", error.value());
  const std::string file = facts_file(folder);
  if (base::exists(file) && !read_parts_facts(folder)) {
    throw base::usage_error("{}: is in the way, and is not what a run of tessera has left", file);
  }
  const std::string text = fmt::format("{}\n{}\n{}\n", kMark, facts.fingerprint, facts.parts);
  const std::string part = base::part_path(file);
  {
    base::PosixFile to(part);
    to.write(std::as_bytes(std::span(text)));
    to.sync();
  }
  base::publish_file(part, file, base::identity_of(part), base::Replace::what_is_there);
}

std::string joined_parts_folder(const std::string& path) {
  try {
    const std::string folder = open_image(path)->attribute("parts_folder");
    if (folder.empty()) return "";
    return (std::filesystem::path(base::target_of(path)).parent_path() / folder).string();
  } catch (const base::Error&) {
    return "";
  }
}

Leftover tiles_of_part(const std::string& file, const std::string& fingerprint) {
  const auto part = open_image(file);
  if (part->attribute("fingerprint") != fingerprint) {
    throw base::usage_error("{}: is a part of another image; --overwrite replaces it", file);
  }
  const std::int64_t columns = part->header().grid().width;
  Leftover found;
  found.stored.resize(static_cast<std::size_t>(part->header().grid().pixels()));
  StoredTile tile;
  part->for_each_tile([&](const TileRow& row) {
    if (row.rank < 0) return;
    if (!read_tile(*part, row, tile).empty()) return;
    found.stored[static_cast<std::size_t>(row.row * columns + row.column)] = true;
    ++found.tiles;
  });
  return found;
}

std::uint64_t bytes_of_parts(const std::string& folder) {
  std::uint64_t sum = 0;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const auto bytes = entry.file_size(error);
    if (!error) sum += bytes;
  }
  return sum;
}

bool parts_may_be_locked(const std::string& folder) {
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  for (int number = 0; facts && number < facts->parts; ++number) {
    const std::string part = base::part_path(part_file(folder, number));
    if (base::exists(part) && base::may_be_locked(part)) return true;
  }
  return false;
}

std::vector<std::int64_t> missing_tiles(const std::string& folder) {
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  std::vector<std::int64_t> missing(static_cast<std::size_t>(facts ? facts->parts : 0));
  if (!facts) return missing;
  open_image(folder)->for_each_tile([&](const TileRow& row) {
    const int part = part_of_row(row.row, facts->parts);
    if (row.rank < 0) ++missing[static_cast<std::size_t>(part)];
  });
  return missing;
}

void reopen_part(const std::string& file) {
  base::publish_file(file, base::part_path(file), base::identity_of(file), base::Replace::nothing);
}

void reopen_parts(const std::string& path) {
  const std::string joined = joined_parts_folder(path);
  const std::string folder = parts_folder(path);
  base::remove_file(base::target_of(path));
  if (joined != folder) std::filesystem::rename(joined, folder);
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  for (int number = 0; facts && number < facts->parts; ++number) {
    const std::string file = part_file(folder, number);
    if (base::exists(file)) reopen_part(file);
  }
}

std::string unfinished_image(const std::string& path) {
  std::string part = base::part_path(path);
  std::string folder = parts_folder(path);
  // Of an image in parts, the empty .part file is only a lock.
  if (base::exists(part) && !base::front_of(part, 1).empty()) return part;
  if (!base::exists(path) && read_parts_facts(folder)) return folder;
  return base::exists(part) ? part : "";
}

void remove_parts(const std::string& folder) {
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  if (!facts) return;
  for (int number = 0; number < facts->parts; ++number) {
    const std::string file = part_file(folder, number);
    if (base::exists(base::part_path(file))) remove_unfinished(file);
    base::remove_file(file);
  }
  for (const std::string& file :
       {joined_file(folder), base::part_path(facts_file(folder)), facts_file(folder)}) {
    base::remove_file(file);
  }
  std::error_code not_empty;
  std::filesystem::remove(folder, not_empty);
}

}  // namespace tessera::store
