#include "render/file_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/fault.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/fingerprint.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/overview.hpp"
#include "post/color/picture.hpp"
#include "render/orbit_cache.hpp"
#include "render/picture.hpp"
#include "render/remarks.hpp"
#include "store/image/formats.hpp"
#include "store/image/header.hpp"
#include "store/image/parts.hpp"

namespace tessera::render {
namespace {

plan::TileGrid tiles_of(const job::RenderJob& job) {
  return {job.image.size_px, job.tile_px};
}

/// The file of an image in parts, and its parts: a new image may have others.
void remove_joined(const std::string& path) {
  const std::string joined = store::joined_parts_folder(path);
  if (!joined.empty()) base::remove_file(base::target_of(path));
  if (!joined.empty()) store::remove_parts(joined);
  store::remove_parts(store::parts_folder(path));
}

std::int64_t tiles_in_part(const job::RenderJob& job, int number, int parts) {
  const plan::TileGrid tiles = tiles_of(job);
  return (tiles.rows() - number + parts - 1) / parts * tiles.columns();
}

void say_counts_only(const job::RenderJob& job) {
  base::log("render: {} has no smooth values; the picture is made of its counts", job.output);
}

void say_iterations_kept(const job::RenderJob& job, std::uint64_t kept) {
  base::log(
      "render: {} has {} and keeps them; --iterations {} --overwrite renders it again with as many "
      "as its depth takes",
      job.output, base::count_of(kept, "iteration"), job.image.iterations);
}

}  // namespace

post::TakenOver look_at_files(comm::World& world, const job::RenderJob& job,
                              post::OutputsOnDisk& disk) {
  post::TakenOver from;
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    post::palette_of(job);
    disk = post::look_at_outputs(job);
    from = post::taken_over(job, disk);
  });
  return comm::broadcast_value(world, from);
}

void FileSink::check(const job::RenderJob& job) {
  found_ = post::check_render_outputs(job, tiles_of(job), disk_);
}

bool FileSink::prepare(comm::World& world, job::RenderJob& job) {
  const post::TakenOver from = look_at_files(world, job, disk_);
  if (world.is_root() && from.counts_only && !job.quiet) say_counts_only(job);
  if (world.is_root() && from.iterations > 0 && !job.quiet) {
    say_iterations_kept(job, from.iterations);
  }
  job = post::adapted(std::move(job), from);
  bool complete = false;
  comm::agree(world, [&] {
    if (world.is_root()) check(job);
    if (world.is_root()) job.writers = writers_of(job);
    if (!job.png.empty()) check_picture(job, tiles_of(job));
    if (world.is_root()) complete = post::is_complete(job, found_, disk_);
    if (world.is_root()) base::pause_if_ordered("output.checked");
  });
  job.writers = comm::broadcast_value(world, job.writers);
  return comm::broadcast_value(world, complete);
}

/// An unfinished image continues as it was begun.
int FileSink::writers_of(const job::RenderJob& job) const {
  if (!is_unfinished()) return job.writers;
  const auto parts = store::read_parts_facts(found_.at);
  return parts ? parts->parts : 1;
}

int FileSink::begin_parts(const job::RenderJob& job, int ranks) {
  const auto rows = static_cast<int>(std::min<std::int64_t>(tiles_of(job).rows(), ranks));
  const int parts = is_unfinished() ? job.writers : std::min(job.writers, rows);
  if (parts == 1) return 1;
  // The empty .part file is the lock of the whole run.
  lock_.emplace(job.output, job.overwrite ? base::IsOurs(base::anything) : base::IsOurs());
  if (job.overwrite) {
    base::remove_file(base::beside(job.output, ".part.log"));
    remove_joined(job.output);
  } else if (base::exists(job.output)) {
    lock_.reset();
    look_again(job);
    return 0;
  }
  const std::string folder = store::parts_folder(job.output);
  const std::string fingerprint = job::fingerprint(job);
  const auto found = store::read_parts_facts(folder);
  if (!found) store::begin_parts(job.output, {fingerprint, parts});
  if (!found || found->fingerprint == fingerprint) return found ? found->parts : parts;
  throw base::usage_error(
      "--output {}: {} is what a run for another image left; --overwrite "
      "replaces it",
      job.output, folder);
}

/// Another run has finished the image. Throws unless it is that of the job.
void FileSink::look_again(const job::RenderJob& job) {
  disk_ = post::look_at_outputs(job);
  check(job);
  if (found_.what != store::FoundImage::What::complete) throw base::NameTaken(job.output);
}

std::vector<store::TileRow> FileSink::rows_of_part(const job::RenderJob& job, int number) {
  const std::string file = store::part_file(store::parts_folder(job.output), number);
  std::vector<store::TileRow> rows;
  const std::string there = base::exists(file) ? file : base::part_path(file);
  if (!base::exists(there)) return rows;
  store::open_image(there)->for_each_tile([&](const store::TileRow& row) {
    if (row.rank >= 0) rows.push_back(row);
  });
  return rows;
}

/// A rank that was lost at the end has stored its tiles, but has not ended its part.
void FileSink::end_part(const job::RenderJob& job, int number, int parts) {
  if (base::exists(store::part_file(store::parts_folder(job.output), number))) return;
  store::Leftover found;
  if (const auto writer = begin_part(job, number, found)) {
    writer->end_part(fmt::format("{}/{}", number + 1, parts));
  }
}

void FileSink::join_parts(const job::RenderJob& job, int parts,
                          std::span<const store::TimingRow> timing,
                          const store::Attributes& closing) {
  const std::string folder = store::parts_folder(job.output);
  for (int number = 0; number < parts; ++number) end_part(job, number, parts);
  const std::vector<std::int64_t> missing = store::missing_tiles(folder);
  for (int number = 0; number < parts; ++number) {
    if (missing[static_cast<std::size_t>(number)] == 0) continue;
    const std::string file = store::part_file(folder, number);
    store::reopen_part(file);
    throw base::run_error("{}: {} missing; run the same command to render the rest", file,
                          base::count_are(missing[static_cast<std::size_t>(number)], "tile"));
  }
  const auto replace = job.overwrite ? base::Replace::what_is_there : base::Replace::nothing;
  store::join_parts(job.output, store::make_header(job), parts, timing, closing, replace);
  lock_.reset();
}

std::unique_ptr<store::ImageWriter> FileSink::begin_part(const job::RenderJob& job, int number,
                                                         store::Leftover& found) {
  const std::string folder = store::parts_folder(job.output);
  const std::string file = store::part_file(folder, number);
  if (base::exists(file)) {
    found = store::tiles_of_part(file, job::fingerprint(job));
    if (found.tiles == tiles_in_part(job, number, store::read_parts_facts(folder)->parts)) {
      return nullptr;
    }
    store::reopen_part(file);
    found = {};
  }
  return store::resume_image(file, store::make_header(job), found);
}

std::unique_ptr<store::ImageWriter> FileSink::begin(const job::RenderJob& job,
                                                    store::Leftover& found) {
  const auto replace = job.overwrite ? base::Replace::what_is_there : base::Replace::nothing;
  const store::ImageHeader header = store::make_header(job);
  try {
    if (!is_unfinished()) {
      auto writer = store::create_image(job.output, header, replace);
      if (job.overwrite) remove_joined(job.output);
      return writer;
    }
    auto writer = store::resume_image(job.output, header, found, replace);
    if (!job.quiet) say_what_is_resumed(found_.at, found);
    return writer;
  } catch (const base::NameTaken&) {
    look_again(job);
    return nullptr;
  }
}

std::vector<report::ThreadReport> FileSink::finish(comm::World& world, const job::RenderJob& job,
                                                   bool found_complete) {
  if (world.is_root() && !found_complete) {
    disk_.picture = job.picture_only ? store::look_at_picture(job.png) : store::PictureOnDisk{};
  }
  auto threads = make_picture(world, job, disk_.picture);
  if (job.picture_only && !job.report_html.empty() && !found_complete) {
    overview_ = post::overview_of(world, job, job.output);
  }
  if (world.is_root() && job.picture_only) base::remove_file(job.output);
  return threads;
}

std::string FileSink::name(const job::RenderJob& job) const {
  return job.picture_only ? job.png : job.output;
}

std::string FileSink::orbit_file(const job::RenderJob& job) const {
  return orbit_path(job.output);
}

void FileSink::describe(const job::RenderJob& job, report::RunReport& run) const {
  const bool finished = std::filesystem::exists(job.output);
  const std::string folder = store::parts_folder(job.output);
  const bool in_parts = store::read_parts_facts(folder).has_value();
  const std::string unfinished = store::unfinished_image(job.output);
  const std::string file = finished || unfinished.empty() ? job.output : unfinished;
  const bool has_picture = !job.png.empty() && (base::is_special(job.png) || base::exists(job.png));
  if (!job.picture_only) run.outputs.emplace_back("h5", file);
  if (has_picture) run.outputs.emplace_back("png", job.png);
  const std::string& shown = job.picture_only && has_picture ? job.png : file;
  std::error_code nothing_yet;
  const auto bytes = std::filesystem::file_size(shown, nothing_yet);
  run.output_bytes = nothing_yet || std::filesystem::is_directory(shown) ? 0 : bytes;
  if (!job.picture_only && in_parts) run.output_bytes += store::bytes_of_parts(folder);
}

}  // namespace tessera::render
