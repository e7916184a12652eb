#include "render/file_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "base/fault.hpp"
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
  const std::string folder = store::parts_folder(path);
  if (!store::read_parts_facts(folder)) return;
  if (store::joins_parts(path)) base::remove_file(path);
  store::remove_parts(folder);
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
  if (is_unfinished()) return job.writers;
  if (job.overwrite) remove_joined(job.output);
  const auto rows = static_cast<int>(std::min<std::int64_t>(tiles_of(job).rows(), ranks));
  const int parts = std::min(job.writers, rows);
  if (parts > 1) store::begin_parts(job.output, {job::fingerprint(job), parts});
  return parts;
}

std::vector<store::TileRow> FileSink::rows_of_part(const job::RenderJob& job, int number) {
  const std::string file = store::part_file(store::parts_folder(job.output), number);
  std::vector<store::TileRow> rows;
  store::open_image(base::exists(file) ? file : base::part_path(file))
      ->for_each_tile([&](const store::TileRow& row) {
        if (row.rank >= 0) rows.push_back(row);
      });
  return rows;
}

void FileSink::join_parts(const job::RenderJob& job, int parts,
                          std::span<const store::TimingRow> timing,
                          const store::Attributes& closing) {
  for (int number = 0; number < parts; ++number) {
    const std::string file = store::part_file(store::parts_folder(job.output), number);
    if (base::exists(file)) continue;
    throw base::run_error("{}: is missing, as its rank was lost; run the same command to resume",
                          file);
  }
  const auto replace = job.overwrite ? base::Replace::what_is_there : base::Replace::nothing;
  store::join_parts(job.output, store::make_header(job), parts, timing, closing, replace);
}

std::unique_ptr<store::ImageWriter> FileSink::begin_part(const job::RenderJob& job, int number,
                                                         store::Leftover& found) {
  const std::string file = store::part_file(store::parts_folder(job.output), number);
  if (!base::exists(file)) return store::resume_image(file, store::make_header(job), found);
  found = store::tiles_of_part(file);
  return nullptr;
}

std::unique_ptr<store::ImageWriter> FileSink::begin(const job::RenderJob& job,
                                                    store::Leftover& found) {
  const auto replace = job.overwrite ? base::Replace::what_is_there : base::Replace::nothing;
  const store::ImageHeader header = store::make_header(job);
  try {
    if (!is_unfinished()) return store::create_image(job.output, header, replace);
    auto writer = store::resume_image(job.output, header, found, replace);
    if (!job.quiet) say_what_is_resumed(found_.at, found);
    return writer;
  } catch (const base::NameTaken&) {
    disk_ = post::look_at_outputs(job);
    check(job);
    if (found_.what != store::FoundImage::What::complete) throw;
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
  run.output_bytes = nothing_yet ? 0 : bytes;
  if (!job.picture_only && in_parts) run.output_bytes = store::bytes_of_parts(folder);
}

}  // namespace tessera::render
