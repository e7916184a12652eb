#include "pool/joined_image.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/fingerprint.hpp"
#include "plan/tile_choice.hpp"
#include "pool/pool_folder.hpp"
#include "post/merge.hpp"
#include "render/render.hpp"
#include "store/image/formats.hpp"

namespace tessera::pool {
namespace {

/// Returns false if tiles are missing.
bool merge_into(const std::string& joined, const std::vector<std::string>& parts) {
  if (parts.empty()) return false;
  job::MergeJob merge;
  merge.inputs = parts;
  merge.output = joined;
  merge.quiet = true;
  merge.overwrite = true;
  try {
    post::merge(merge);
    return true;
  } catch (const base::Error& error) {
    if (error.code() != base::ExitCode::failed || !base::exists(base::part_path(joined))) throw;
    base::log("tessera: {}; they are rendered again", error.what());
    return false;
  }
}

}  // namespace

void remove_image(const std::string& path) {
  for (const std::string_view suffix : {".part", ".part.log", ".orbit"}) {
    base::remove_file(base::beside(path, suffix));
  }
  base::remove_file(path);
}

void take_over(const std::vector<std::string>& earlier, const std::string& output) {
  job::MergeJob merge;
  for (const std::string& file : earlier) {
    if (base::exists(file) || base::exists(base::part_path(file))) merge.inputs.push_back(file);
  }
  if (merge.inputs.empty()) return;
  merge.output = output;
  merge.quiet = true;
  try {
    post::merge(merge);
  } catch (const base::Error& error) {
    // Tiles are missing, which this run renders, or there are none to copy.
    if (error.code() != base::ExitCode::failed && error.code() != base::ExitCode::usage) throw;
  }
}

job::RenderJob with_fixed_tile(job::RenderJob job) {
  if (job.tile_auto) job.tile_px = plan::kDefaultTilePx;
  job.tile_auto = false;
  return job;
}

bool is_made(const job::RenderJob& job) {
  if (!appears(job.output, 0, "render")) return false;
  try {
    const auto image = store::open_image(job.output);
    return image->attribute("fingerprint") == job::fingerprint(job) &&
           image->attribute("status") == "complete";
  } catch (const base::Error&) {
    return false;  // something else, which --overwrite replaces
  }
}

bool JoinedImage::is_made() {
  bool made = false;
  comm::agree(world_, [&] { made = world_.is_root() && pool::is_made(job_); });
  return comm::broadcast_value(world_, made);
}

void JoinedImage::join(run::Context& context, const std::vector<std::string>& parts,
                       int generation) {
  const std::string joined = joined_file(generation);
  bool whole = true;
  comm::agree(world_, [&] {
    if (world_.is_root()) whole = merge_into(joined, parts);
  });
  whole = comm::broadcast_value(world_, whole);
  if (!whole) {
    job::RenderJob rest = whole_into(joined);
    rest.png.clear();
    render::render(context, rest);
  }
  comm::agree(world_, [&] {
    if (!world_.is_root()) return;
    base::publish_file(joined, job_.output, base::identity_of(joined),
                       job_.overwrite ? base::Replace::what_is_there : base::Replace::nothing);
    if (job_.overwrite && !job_.png.empty())
      base::remove_file(job_.png);  // the one of an earlier image
  });
}

void JoinedImage::make_picture(run::Context& context) {
  if (job_.png.empty() || picture_made_) return;
  render::render(context, whole_into(job_.output));
  picture_made_ = true;
}

void JoinedImage::remove_joined(int generation) {
  for (; generation > 0; --generation) remove_image(joined_file(generation));
}

std::string JoinedImage::joined_file(int generation) const {
  std::filesystem::path path(job_.output);
  path.replace_extension(fmt::format("join{}{}", generation, path.extension().string()));
  return path.string();
}

job::RenderJob JoinedImage::whole_into(const std::string& output) const {
  job::RenderJob whole = job_;
  whole.overwrite = false;  // the image is there
  whole.output = output;
  return whole;
}

}  // namespace tessera::pool
