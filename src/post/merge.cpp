#include "post/merge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "job/image/fingerprint.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/image_outputs.hpp"
#include "post/job_of_file.hpp"
#include "store/image/formats.hpp"
#include "store/image/header.hpp"
#include "store/image/parts.hpp"
#include "store/image/stored_tile.hpp"
#include "store/outputs.hpp"

namespace tessera::post {
namespace {

constexpr std::size_t kMaxDamaged = 20;

/// A --share run leaves a .part file, and one of several writers a folder, but users often omit
/// that suffix.
std::string path_of(const std::string& input) {
  const std::string unfinished = store::unfinished_image(input);
  return base::exists(input) || unfinished.empty() ? input : unfinished;
}

job::RenderJob job_of_parts(const job::MergeJob& merge) {
  const std::string first = path_of(merge.inputs.front());
  job::RenderJob job = job_of(*store::open_image(first), first);
  const std::string fingerprint = job::fingerprint(job);
  for (const std::string& input : merge.inputs) {
    if (store::open_image(path_of(input))->attribute("fingerprint") == fingerprint) continue;
    if (input == merge.inputs.front()) {
      throw base::usage_error(
          "{}: its fingerprint is not that of its attributes; an older version wrote it", input);
    }
    throw base::usage_error("{}: is of another image than {}, or of other fields or tiles", input,
                            merge.inputs.front());
  }
  job.output = merge.output;
  job.overwrite = merge.overwrite;
  return job;
}

void check_names(const job::MergeJob& merge) {
  for (const std::string& input : merge.inputs) {
    store::check_distinct({{"PART.h5", path_of(input)}, {"OUT.h5", merge.output}});
  }
}

class Merger {
 public:
  Merger(const job::RenderJob& job, bool from_scratch)
      : tiles_{job.image.size_px, job.tile_px}, fields_(job.fields) {
    const store::ImageHeader header = store::make_header(job);
    store::Leftover found;
    const auto replace = job.overwrite ? base::Replace::what_is_there : base::Replace::nothing;
    writer_ = from_scratch ? store::create_image(job.output, header, replace)
                           : store::resume_image(job.output, header, found, replace);
    stored_ = std::move(found.stored);
    stored_.resize(static_cast<std::size_t>(tiles_.count()));
    before_ = stored_;
    result_.found = found.tiles;
    result_.tiles = found.tiles;
  }

  void take(const std::string& path) {
    const auto part = store::open_image(path);
    part->for_each_tile([&](const store::TileRow& row) {
      if (row.rank >= 0) take(*part, path, row);
    });
  }

  /// Completes the file; throws if tiles are missing.
  void finish(const std::string& output) {
    const auto first = std::ranges::find(stored_, false);
    if (first == stored_.end()) return writer_->finish({}, {});
    const std::int64_t tile = first - stored_.begin();
    writer_->sync();
    writer_.reset();
    throw base::run_error(
        "{} in none of the parts, the first one is in tile row {}, column {}; "
        "{} has the others: merge the parts that are missing, or render the rest into {}",
        base::some_are(tiles_.count() - result_.tiles, tiles_.count(), "tile"), tiles_.row_of(tile),
        tiles_.column_of(tile), base::part_path(output), output);
  }

  const MergeResult& result() const { return result_; }

 private:
  void take(const store::ImageReader& part, const std::string& path, const store::TileRow& row) {
    base::throw_if_stopped("merge");
    const std::int64_t tile = row.row * tiles_.columns() + row.column;
    const auto index = static_cast<std::size_t>(tile);
    if (row.column >= tiles_.columns() || index >= stored_.size()) return;
    if (stored_[index]) {
      if (!before_[index]) ++result_.again;
      return;
    }
    if (const std::string problem = store::read_tile(part, row, chunks_); !problem.empty()) {
      if (result_.damaged.size() < kMaxDamaged) {
        result_.damaged.push_back(
            fmt::format("{}: tile row {}, column {}: {}", path, row.row, row.column, problem));
      }
      return;
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const auto& [bytes, filter_mask] = chunks_.chunks[i];
      writer_->write_chunk(fields_[i], row.row, row.column, bytes, filter_mask);
    }
    writer_->set_tile(row);
    stored_[index] = true;
    ++result_.tiles;
  }

  plan::TileGrid tiles_;
  std::vector<job::Field> fields_;
  std::unique_ptr<store::ImageWriter> writer_;
  std::vector<bool> stored_;
  std::vector<bool> before_;  ///< tiles that an earlier merge has stored
  store::StoredTile chunks_;
  MergeResult result_;
};

void tell(const MergeResult& result) {
  for (const std::string& line : result.damaged) base::log("{}", base::printable(line));
  if (result.again > 0) {
    base::log("tessera: {} in more than one part; the first was taken",
              base::count_are(result.again, "tile"));
  }
}

MergeResult merge_parts(const job::MergeJob& merge, const job::RenderJob& job) {
  const plan::TileGrid tiles{job.image.size_px, job.tile_px};
  const store::FoundImage found = check_render_outputs(job, tiles, look_at_outputs(job), "OUT.h5");
  if (found.what == store::FoundImage::What::complete) {
    if (!merge.quiet) base::log("merge: {} is complete already", job.output);
    return {.found_complete = true, .tiles = tiles.count(), .found = tiles.count()};
  }
  base::pause_if_ordered("output.checked");
  Merger merger(job, found.what != store::FoundImage::What::unfinished);
  for (const std::string& input : merge.inputs) merger.take(path_of(input));
  tell(merger.result());
  merger.finish(merge.output);
  return merger.result();
}

}  // namespace

MergeResult merge(const job::MergeJob& merge) {
  check_names(merge);
  const job::RenderJob job = job_of_parts(merge);
  try {
    return merge_parts(merge, job);
  } catch (const base::NameTaken&) {
    return merge_parts(merge, job);  // again, with the file that another run has finished
  }
}

}  // namespace tessera::post
