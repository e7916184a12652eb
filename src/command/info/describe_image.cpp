#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/saturated_sum.hpp"
#include "base/text.hpp"
#include "command/attribute_text.hpp"
#include "command/info/description.hpp"
#include "report/printers.hpp"
#include "store/image/formats.hpp"
#include "store/image/parts.hpp"

namespace tessera::command {
namespace {

/// More workers than any machine has: a bound for damaged files, since /timing has no checksum and
/// memory is allocated for each worker.
constexpr int kMaxWorkers = 1 << 16;

void describe_attributes(const store::Attributes& attributes, Description& to) {
  to.json["attributes"] = report::Json::object();
  for (const auto& [name, text, type] : attributes) {
    to.text += row_of(name, text);
    to.json["attributes"][name] =
        type == store::Attribute::Type::text ? report::Json(text) : number_json(text);
  }
}

void describe_run(const store::ImageReader& reader, Description& to) {
  const report::RunReport run = run_of(reader);
  std::uint64_t stored = 0;
  for (const auto& rank : run.ranks) stored += rank.tiles;
  const auto all = static_cast<std::uint64_t>(reader.header().grid().pixels());
  to.json["tiles"] = all;
  to.json["stored_tiles"] = stored;
  to.json["run"] = report::to_document(run);
  to.text += row_of("tiles stored",
                    fmt::format("{} of {} ({:.1f} %)", stored, all,
                                100 * static_cast<double>(stored) / static_cast<double>(all)));
  if (reader.attribute("status") != "complete") {
    to.text += row_of("read it with", "h5py.File(name, libver=\"latest\", swmr=True)");
  }
  if (!run.ranks.empty()) to.text += "\n" + report::to_table(run);
}

}  // namespace

report::RunReport run_of(const store::ImageReader& reader) {
  report::RunReport run{.command = "render",
                        .version = fmt::format("{} ({})", reader.attribute("tessera_version"),
                                               reader.attribute("tessera_commit"))};
  const std::string wall = reader.attribute("wall_s");
  const std::string found = reader.attribute("found_tiles");
  if (!found.empty()) {
    // /tiles has the tiles of all starts, wall_s and /timing the time of the last one: no rate.
    run.found_tiles = base::parse_integer(found, "attribute found_tiles", 0, store::kMaxTiles);
  } else if (!wall.empty()) {
    run.wall_s = base::parse_real(wall, "attribute wall_s");
  }
  std::map<int, report::RankReport> ranks;
  for (const store::TimingRow& row : reader.timing()) {
    if (row.workers < 0 || row.workers > kMaxWorkers) {
      throw base::run_error("{}: /timing is damaged: rank {} with {}", reader.path(), row.rank,
                            base::count_of(row.workers, "worker"));
    }
    report::RankReport& rank = ranks[row.rank];
    rank.host = row.host;
    // The file has sums over the threads of a rank; they are assigned to the first thread.
    rank.threads.resize(static_cast<std::size_t>(std::max(1, row.workers)));
    for (auto& thread : rank.threads) thread.worker = true;
    const auto name = std::ranges::find(report::kStageNames, row.stage);
    if (name == report::kStageNames.end()) continue;
    rank.threads.front().seconds[static_cast<std::size_t>(name - report::kStageNames.begin())] +=
        row.seconds;
  }
  const store::ImageHeader& header = reader.header();
  reader.for_each_tile([&](const store::TileRow& tile) {
    if (tile.rank < 0) return;
    report::RankReport& rank = ranks[tile.rank];
    rank.device = tile.device;
    ++rank.tiles;
    const auto side = [&](std::uint32_t i, std::int64_t all) {
      return static_cast<std::uint64_t>(
          std::min<std::int64_t>(header.tile_px, all - std::int64_t{i} * header.tile_px));
    };
    rank.pixels += side(tile.column, header.size_px.width) * side(tile.row, header.size_px.height);
    rank.iterations = base::saturated_sum(rank.iterations, tile.iterations);
    rank.bytes += tile.bytes;
  });
  for (auto& [number, rank] : ranks) {
    rank.rank = number;
    run.ranks.push_back(std::move(rank));
  }
  return run;
}

std::unique_ptr<store::ImageReader> open_described_image(const std::string& path) {
  try {
    return store::open_image(path);
  } catch (const base::Error& error) {
    const auto tiles = store::logged_tiles(path);
    if (!tiles) throw;
    throw base::Error(
        error.code(),
        fmt::format("{}; its log has {}; run the command that wrote it again to resume",
                    error.what(), base::count_of(*tiles, "tile")));
  }
}

/// The parts of an image in several files, which are in one folder.
std::uint64_t bytes_of_parts(const std::string& path) {
  const std::string folder =
      store::read_parts_facts(path) ? path : store::joined_parts_folder(path);
  return folder.empty() ? 0 : store::bytes_of_parts(folder);
}

Description describe_image(const std::string& path) {
  const auto reader = open_described_image(path);
  const store::ImageHeader& header = reader->header();
  const auto [width, height] = header.size_px;
  Description image{.json = {{"file", path}, {"kind", "image"}}};
  image.text =
      head_of(path, fmt::format("{} x {} pixels", width, height), image.json, bytes_of_parts(path));
  image.json["complete"] = reader->attribute("status") == "complete";
  const base::ImageSize chunk = header.chunk_px();
  for (const auto& [field, type] : header.fields) {
    const std::string name = "/" + std::string(job::field_name(field));
    report::Json json = dataset_json(name, {.type = type, .shape = {height, width}});
    json["chunk"] = {chunk.height, chunk.width};
    image.json["datasets"].push_back(std::move(json));
    image.text += row_of(name, fmt::format("{}, chunks of {} x {}", base::element_name(type),
                                           chunk.width, chunk.height));
  }
  describe_attributes(header.attributes, image);
  describe_run(*reader, image);
  return image;
}

}  // namespace tessera::command
