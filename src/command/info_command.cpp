// tessera info: describes a file, also while it is being written.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/bools.hpp"
#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/printable.hpp"
#include "base/saturated_sum.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "command/attribute_text.hpp"
#include "command/command_line.hpp"
#include "command/page/run_page.hpp"
#include "job/arrays/array_input.hpp"
#include "job/values.hpp"
#include "pool/pool.hpp"
#include "reduce/kept_answers.hpp"
#include "report/json_parts.hpp"
#include "report/printers.hpp"
#include "store/arrays/array_formats.hpp"
#include "store/arrays/array_source.hpp"
#include "store/hdf5/contents.hpp"
#include "store/image/formats.hpp"
#include "store/outputs.hpp"
#include "store/png/png_text.hpp"

namespace tessera::command {
namespace {

/// More workers than any machine has: a bound for damaged files, since /timing has no checksum and
/// memory is allocated for each worker.
constexpr int kMaxWorkers = 1 << 16;

constexpr std::int64_t kPieceBytes = 1 << 20;  ///< nothing is read

/// The report of the run, as far as the tables of the file hold it.
report::RunReport run_of(const store::ImageReader& reader) {
  report::RunReport run{.command = "render",
                        .version = fmt::format("{} ({})", reader.attribute("tessera_version"),
                                               reader.attribute("tessera_commit"))};
  const std::string wall = reader.attribute("wall_s");
  if (!wall.empty()) run.wall_s = base::parse_real(wall, "attribute wall_s");
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

/// Throws the errors of ImageReader. For a damaged file that can be resumed the message says so.
std::unique_ptr<store::ImageReader> open_file(const std::string& path) {
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

/// Describes a file, for people and as JSON.
struct Description {
  std::string text;
  report::Json json;
};

std::string head_of(const std::string& path, const std::string& what, report::Json& json) {
  std::error_code gone;  // a .part may get its final name at any moment
  const auto bytes = std::filesystem::file_size(path, gone);
  json["bytes"] = gone ? report::Json(nullptr) : report::Json(bytes);
  return fmt::format("{}: {}, {}\n", base::printable(path), what,
                     gone ? "renamed just now" : base::format_bytes(static_cast<double>(bytes)));
}

std::string line_of(std::string_view key, std::string_view value) {
  return fmt::format("  {:<19} {}\n", base::printable(key), base::printable(value));
}

void describe_attributes(const store::Attributes& attributes, Description& to) {
  to.json["attributes"] = report::Json::object();
  for (const auto& [name, text, type] : attributes) {
    to.text += line_of(name, text);
    to.json["attributes"][name] =
        type == store::Attribute::Type::text ? report::Json(text) : number_json(text);
  }
}

report::Json dataset_json(std::string_view name, const store::ArrayInfo& info,
                          const std::vector<std::string>& dimensions = {}) {
  report::Json json = {{"name", name},
                       {"dtype", base::element_code(info.type, info.is_boolean)},
                       {"shape", info.shape}};
  if (!dimensions.empty()) json["dimensions"] = dimensions;
  return json;
}

/// ", time x lat"; a dimension without a name is a question mark.
std::string describe_names(std::vector<std::string> names) {
  if (names.empty()) return "";
  std::ranges::replace(names, std::string(), std::string("?"));
  return fmt::format(", {}", fmt::join(names, " x "));
}

std::string describe_elements(const store::ArraySource& array) {
  const store::ArrayInfo& info = array.info();
  return fmt::format("{}, {}{}", info.is_boolean ? "bool" : base::element_name(info.type),
                     job::format_shape(info.shape), describe_names(array.dimension_names()));
}

/// How the numbers of the array are meant, below its line.
void describe_packing(const store::PackedAttributes* attributes, Description& to) {
  if (attributes == nullptr) return;
  report::Json& packed = to.json["datasets"].back()["packed"];
  for (const store::PackedAttribute& attribute : attributes->list) {
    to.text += line_of("", fmt::format("{} = {}", attribute.name, text_of(attribute)));
    packed[attribute.name] = text_of(attribute);
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
  to.text += line_of("tiles stored",
                     fmt::format("{} of {} ({:.1f} %)", stored, all,
                                 100 * static_cast<double>(stored) / static_cast<double>(all)));
  if (reader.attribute("status") != "complete") {
    to.text += line_of("read it with", "h5py.File(name, libver=\"latest\", swmr=True)");
  }
  if (!run.ranks.empty()) to.text += "\n" + report::to_table(run);
}

Description describe_rendered(const std::string& path) {
  const auto reader = open_file(path);
  const store::ImageHeader& header = reader->header();
  const auto [width, height] = header.size_px;
  Description image{.json = {{"file", path}, {"kind", "image"}}};
  image.text = head_of(path, fmt::format("{} x {} pixels", width, height), image.json);
  image.json["complete"] = reader->attribute("status") == "complete";
  const base::ImageSize chunk = header.chunk_px();
  for (const auto& [field, type] : header.fields) {
    const std::string name = "/" + std::string(job::field_name(field));
    report::Json json = dataset_json(name, {.type = type, .shape = {height, width}});
    json["chunk"] = {chunk.height, chunk.width};
    image.json["datasets"].push_back(std::move(json));
    image.text += line_of(name, fmt::format("{}, chunks of {} x {}", base::element_name(type),
                                            chunk.width, chunk.height));
  }
  describe_attributes(header.attributes, image);
  describe_run(*reader, image);
  return image;
}

void describe_dataset(const store::Hdf5DatasetSummary& dataset, Description& to) {
  const std::string& name = dataset.input.dataset;
  report::Json json = {{"name", name}, {"shape", dataset.shape}};
  if (dataset.type) {
    json = dataset_json(
        name, {.type = *dataset.type, .shape = dataset.shape, .is_boolean = dataset.is_boolean},
        dataset.dimensions);
  } else {
    json["holds"] = dataset.holds;
  }
  std::string text = fmt::format("{}, {}{}", dataset.holds, job::format_shape(dataset.shape),
                                 describe_names(dataset.dimensions));
  if (!dataset.problem.empty()) {
    json["problem"] = dataset.problem;
    text += "; cannot be read: " + dataset.problem;
  }
  to.json["datasets"].push_back(std::move(json));
  to.text += line_of(name, text);
  describe_packing(dataset.packed.get(), to);
}

/// Describes an HDF5 file that is no image.
Description describe_datasets(const std::string& path, const store::Hdf5Contents& contents) {
  Description file{.json = {{"file", path}, {"kind", "HDF5"}}};
  file.text = head_of(path, "HDF5", file.json);
  file.json["datasets"] = report::Json::array();
  for (const store::Hdf5DatasetSummary& dataset : contents.datasets) {
    describe_dataset(dataset, file);
  }
  if (contents.more) file.text += "  ...\n";
  file.json["attributes"] = report::Json::object();
  for (const store::ShownAttribute& attribute : contents.attributes) {
    file.text += line_of(attribute.name, attribute_text(attribute));
    file.json["attributes"][attribute.name] = attribute_json(attribute);
  }
  return file;
}

Description describe_array(const std::string& text) {
  const job::ArrayInput input = job::parse_array_input(text);
  const auto array = store::open_array(input, kPieceBytes);
  const store::ArrayInfo& info = array->info();
  Description file{.json = {{"file", input.path}, {"kind", info.kind}}};
  file.text = head_of(input.path, info.kind, file.json);
  file.json["datasets"].push_back(dataset_json(info.dataset, info, array->dimension_names()));
  file.text += line_of(info.dataset.empty() ? "array" : info.dataset, describe_elements(*array));
  describe_packing(info.packed.get(), file);
  return file;
}

/// Describes a file or folder of several arrays.
Description describe_arrays(const std::string& path, const store::ArrayDriver& driver) {
  Description file{.json = {{"file", path}, {"kind", driver.name}}};
  file.text = head_of(path, std::string(driver.name), file.json);
  file.json["datasets"] = report::Json::array();
  for (const std::string& name : driver.list(path)) {
    try {
      const job::ArrayInput input{
          .text = fmt::format("{}:{}", path, name), .path = path, .dataset = name};
      const auto array = driver.open(input, kPieceBytes);
      file.json["datasets"].push_back(dataset_json(name, array->info(), array->dimension_names()));
      file.text += line_of(name, describe_elements(*array));
      describe_packing(array->info().packed.get(), file);
    } catch (const base::Error& error) {
      file.json["datasets"].push_back({{"name", name}, {"problem", error.what()}});
      file.text += line_of(name, fmt::format("cannot be read: {}", error.what()));
    }
  }
  return file;
}

/// Describes the folder of render --pool: what is done, and by whom the rest is.
Description describe_pool(const std::string& path) {
  const pool::PoolState state = pool::look_at(path);
  Description folder{.json = {{"file", path}, {"kind", "pool"}, {"output", state.output}}};
  std::int64_t done = 0;
  std::map<std::string, std::vector<int>> held;
  for (const pool::ShareState& share : state.shares) {
    done += share.state.kind == pool::ItemState::Kind::done ? 1 : 0;
    if (share.state.kind == pool::ItemState::Kind::held) {
      held[share.state.holder].push_back(share.number);
    }
  }
  const bool complete = state.join.kind == pool::ItemState::Kind::done;
  const auto all = std::ssize(state.shares);
  folder.text =
      fmt::format("{}: a pool of {}\n", base::printable(path), base::count_of(all, "share"));
  folder.text += line_of("output", state.output + (complete ? ", complete" : ""));
  folder.text += line_of("shares done", fmt::format("{} of {}", done, all));
  folder.json["complete"] = complete;
  folder.json["shares"] = all;
  folder.json["shares_done"] = done;
  folder.json["held"] = report::Json::array();
  for (const auto& [holder, shares] : held) {
    folder.text += line_of("held", fmt::format("{} by {}", fmt::join(shares, ", "), holder));
    folder.json["held"].push_back({{"by", holder}, {"shares", shares}});
  }
  if (state.join.kind == pool::ItemState::Kind::held) {
    folder.text += line_of("joined", fmt::format("by {}", state.join.holder));
  }
  return folder;
}

/// What a driver of arrays but HDF5 knows about the path; nothing if it knows none.
std::optional<Description> describe_by_driver(const std::string& path) {
  const store::PathHead head(path);
  const store::ArrayDriver* const driver = store::driver_of(head);
  if (driver == nullptr || driver->name == "HDF5") return std::nullopt;
  if (driver->list == nullptr || driver->list(path) == std::vector<std::string>{"/"}) {
    return describe_array(path);
  }
  return describe_arrays(path, *driver);
}

/// The contents of an HDF5 file that is no image; nothing for an image.
std::optional<store::Hdf5Contents> other_contents(const std::string& path) {
  try {
    store::Hdf5Contents contents = store::list_hdf5(path);
    if (!contents.is_image) return contents;
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): open_image() says what is wrong
  }
  return std::nullopt;
}

Description describe_png(const std::string& path,
                         const std::vector<std::pair<std::string, std::string>>& texts) {
  Description file{.json = {{"file", path}, {"kind", "PNG"}}};
  file.text = head_of(path, "PNG", file.json);
  file.json["texts"] = report::Json::object();
  for (const auto& [name, value] : texts) {
    file.text += line_of(name, value);
    file.json["texts"][name] = value;
  }
  return file;
}

Description describe_state(const std::string& path) {
  const reduce::KeptAnswers answers = reduce::read_state(path);
  Description file{.json = {{"file", path}, {"kind", "state"}}};
  file.text = head_of(path, "state of a reduction", file.json);
  const auto put = [&](std::string_view key, const std::string& value) {
    file.text += line_of(key, value);
    file.json[key] = value;
  };
  put("dtype", answers.type);
  put("shape", job::format_shape(answers.shape));
  for (const auto& [name, value] : answers.options) put(name, value);
  put("version", answers.version);
  file.json["arrays"] = report::Json::array();
  for (const std::string& array : answers.arrays) {
    const std::string name = array.substr(0, array.find('\t'));
    file.text += line_of("array", name);
    file.json["arrays"].push_back(name);
  }
  return file;
}

Description describe(const std::string& path) {
  if (reduce::is_state(path)) return describe_state(path);
  if (const auto texts = store::read_png_text(path)) return describe_png(path, *texts);
  const bool names_more =
      path.find(":/") != path.npos || path.find('?') != path.npos || path.ends_with(']');
  if (pool::is_pool(path)) return describe_pool(path);
  if (auto known = describe_by_driver(path)) return std::move(*known);
  if (path.ends_with(".npy") || (names_more && !base::is_named(path))) return describe_array(path);
  if (const auto texts = store::read_png_text(path)) return describe_png(path, *texts);
  if (const auto contents = other_contents(path)) return describe_datasets(path, *contents);
  return describe_rendered(path);
}

void print_info(const std::vector<std::string>& paths, bool as_json) {
  report::Json json = report::document("info");
  for (const std::string& path : paths) {
    Description file = describe(path);
    if (!as_json) fmt::print("{}{}", &path == &paths.front() ? "" : "\n", file.text);
    json["files"].push_back(std::move(file.json));
  }
  if (as_json) fmt::print("{}", report::dump(json));
}

void write_page(comm::World& world, const std::vector<std::string>& paths,
                const std::string& output) {
  report::RunReport run;
  comm::agree(world, [&] {
    if (paths.size() > 1) throw base::usage_error("--html {}: is a page about one file", output);
    if (!world.is_root()) return;
    store::check_text_output(output, "--html", base::kPage);
    run = run_of(*open_file(paths.front()));
  });
  write_file_page(world, paths.front(), output, run);
}

}  // namespace

void add_info(Syntax& syntax, Action& action) {
  struct Arguments {
    std::vector<std::string> paths;
    job::RunSpec job;
    std::string html;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_arguments("FILE", arguments->paths,
                       "a rendered file, the .part file of an unfinished render, a picture, the "
                       "folder of a --pool, or an "
                       "array: FILE.npy, FILE.h5, FILE.h5:/dataset");
  add_json(syntax, arguments->job);
  syntax.add_option({"html", "OUT.html", "write a page about a rendered file and its run",
                     scope_title(job::Scope::output),
                     [arguments](const std::string& path) { arguments->html = path; }});
  syntax.when_chosen([arguments, &action] {
    action = [arguments](run::Context& context) {
      comm::World& world = context.world;
      if (!arguments->html.empty()) {
        write_page(world, arguments->paths, arguments->html);
        return base::ExitCode::done;
      }
      comm::agree(world, [&] {
        if (world.is_root()) print_info(arguments->paths, arguments->job.json);
      });
      return base::ExitCode::done;
    };
  });
}

}  // namespace tessera::command
