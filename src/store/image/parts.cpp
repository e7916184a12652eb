#include "store/image/parts.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/file/file_lock.hpp"
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
  return PartsFacts{.fingerprint = text.substr(first + 1, second - first - 1),
                    .parts = static_cast<int>(
                        base::parse_integer(number, facts_file(folder), 1, job::kMaxWriters))};
}

void begin_parts(const std::string& path, const PartsFacts& facts) {
  const std::string folder = parts_folder(path);
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw base::file_error(folder, "be created", error.value());
  const std::string file = facts_file(folder);
  const std::string text = fmt::format("{}\n{}\n{}\n", kMark, facts.fingerprint, facts.parts);
  const std::string part = base::part_path(file);
  {
    base::PosixFile to(part);
    to.write(std::as_bytes(std::span(text)));
    to.sync();
  }
  base::publish_file(part, file, base::identity_of(part), base::Replace::what_is_there);
}

bool joins_parts(const std::string& path) {
  try {
    return !open_image(path)->attribute("parts").empty();
  } catch (const base::Error&) {
    return false;
  }
}

Leftover tiles_of_part(const std::string& file) {
  const auto part = open_image(file);
  const std::int64_t columns = part->header().grid().width;
  Leftover found;
  found.stored.resize(static_cast<std::size_t>(part->header().grid().pixels()));
  StoredTile tile;
  part->for_each_tile([&](const TileRow& row) {
    if (row.rank < 0) return;
    if (const std::string problem = read_tile(*part, row, tile); !problem.empty()) {
      throw base::run_error(
          "{}: tile row {}, column {}: {}; remove this file, and its tiles are rendered again",
          file, row.row, row.column, problem);
    }
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
    if (base::may_be_locked(base::part_path(part_file(folder, number)))) return true;
  }
  return false;
}

void reopen_parts(const std::string& path) {
  const std::string folder = parts_folder(path);
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  base::remove_file(path);
  for (int number = 0; facts && number < facts->parts; ++number) {
    const std::string file = part_file(folder, number);
    if (!base::exists(file)) continue;
    base::publish_file(file, base::part_path(file), base::identity_of(file),
                       base::Replace::nothing);
  }
}

std::string unfinished_image(const std::string& path) {
  if (const std::string part = base::part_path(path); base::exists(part)) return part;
  const std::string folder = parts_folder(path);
  return !base::exists(path) && read_parts_facts(folder) ? folder : "";
}

void remove_parts(const std::string& folder) {
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  if (!facts) return;
  for (int number = 0; number < facts->parts; ++number) {
    const std::string file = part_file(folder, number);
    if (base::exists(base::part_path(file))) remove_unfinished(file);
    base::remove_file(file);
  }
  base::remove_file(facts_file(folder));
  std::error_code not_empty;
  std::filesystem::remove(folder, not_empty);
}

}  // namespace tessera::store
