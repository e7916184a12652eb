// tessera info: describes a file, also while it is being written.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "report/printers.hpp"
#include "store/image/formats.hpp"
#include "store/png/png_text.hpp"

namespace tessera::command {
namespace {

/// More workers than any machine has: a bound for damaged files, since /timing has no checksum and
/// memory is allocated for each worker.
constexpr int kMostWorkers = 1 << 16;

/// The report of the run, as far as the tables of the file hold it.
report::RunReport run_of(const store::ImageReader& reader) {
  report::RunReport run{.command = "render",
                        .version = fmt::format("{} ({})", reader.attribute("tessera_version"),
                                               reader.attribute("tessera_commit"))};
  const std::string wall = reader.attribute("wall_s");
  if (!wall.empty()) run.wall_s = base::parse_real(wall, "attribute wall_s");
  std::map<int, report::RankReport> ranks;
  for (const store::TimingRow& row : reader.timing()) {
    if (row.workers < 0 || row.workers > kMostWorkers) {
      throw base::run_error("{}: /timing is damaged: rank {} with {} workers", reader.path(),
                            row.rank, row.workers);
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
    rank.iterations += tile.iterations;
    rank.bytes += tile.bytes;
  });
  for (auto& [number, rank] : ranks) {
    rank.rank = number;
    run.ranks.push_back(std::move(rank));
  }
  return run;
}

/// Throws the errors of ImageReader. For a damaged file that can be resumed the message says so.
std::unique_ptr<store::ImageReader> open_file(const std::string& path) {
  try {
    return store::open_image(path);
  } catch (const base::Error& error) {
    const auto tiles = store::logged_tiles(path);
    if (!tiles) throw;
    throw base::Error(error.code(),
                      fmt::format("{}; by its log {} tiles are stored, and the command that wrote "
                                  "it goes on with those that are sound",
                                  error.what(), *tiles));
  }
}

void print_png(const std::string& path,
               const std::vector<std::pair<std::string, std::string>>& texts) {
  const auto bytes = static_cast<double>(std::filesystem::file_size(path));
  fmt::print("{}: PNG, {}\n", base::printable(path), base::format_bytes(bytes));
  for (const auto& [name, value] : texts) {
    fmt::print("  {:<19} {}\n", base::printable(name), base::printable(value));
  }
}

void print_info(const std::string& path) {
  if (const auto texts = store::read_png_text(path)) return print_png(path, *texts);
  const auto opened = open_file(path);
  const store::ImageReader& reader = *opened;
  const store::ImageHeader& header = reader.header();
  std::error_code gone;  // a .part may get its final name at any moment
  const auto bytes = std::filesystem::file_size(path, gone);
  fmt::print("{}: {} x {} pixels, {}\n", base::printable(path), header.size_px.width,
             header.size_px.height,
             gone ? "renamed just now" : base::format_bytes(static_cast<double>(bytes)));
  for (const auto& [field, type] : header.fields) {
    fmt::print("  /{:<18} {}, chunks of {} x {}\n", job::field_name(field),
               base::element_name(type), header.chunk_px().width, header.chunk_px().height);
  }
  for (const auto& [name, value] : header.attributes) {
    fmt::print("  {:<19} {}\n", base::printable(name), base::printable(value));
  }
  const report::RunReport run = run_of(reader);
  std::uint64_t stored = 0;
  for (const auto& rank : run.ranks) stored += rank.tiles;
  const auto all = static_cast<std::uint64_t>(header.grid().pixels());
  fmt::print("  {:<19} {} of {} ({:.1f} %)\n", "tiles stored", stored, all,
             100 * static_cast<double>(stored) / static_cast<double>(all));
  if (reader.attribute("status") != "complete") {
    fmt::print("  {:<19} h5py.File(name, libver=\"latest\", swmr=True)\n", "read it with");
  }
  if (!run.ranks.empty()) fmt::print("\n{}", report::to_table(run));
}

}  // namespace

void add_info(Syntax& syntax, Action& action) {
  auto path = std::make_shared<std::string>();
  syntax.add_argument("FILE.h5", *path,
                      "a rendered file, the .part file of an unfinished render, or a picture");
  syntax.when_chosen([path, &action] {
    action = [path](comm::World& world) {
      comm::agree(world, [&] {
        if (world.is_root()) print_info(*path);
      });
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
