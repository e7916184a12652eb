#include "pool/joined_image.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "base/file/file_lock.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "base/hash.hpp"
#include "base/run.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/fingerprint.hpp"
#include "plan/tile_choice.hpp"
#include "pool/pool_folder.hpp"
#include "post/color/picture.hpp"
#include "post/merge.hpp"
#include "render/render.hpp"
#include "store/image/formats.hpp"

namespace tessera::pool {
namespace {

/// Whether what is there, finished or not, is of this image. Others may lock or write it.
bool is_of(const job::RenderJob& job, const std::string& path) {
  const std::string fingerprint = job::fingerprint(job);
  for (const std::string& file : {path, base::part_path(path)}) {
    if (!base::exists(file)) continue;
    try {
      if (store::open_image(file)->attribute("fingerprint") != fingerprint) return false;
    } catch (const base::Error&) {
      return false;
    }
  }
  return true;
}

/// Returns false if tiles are missing.
bool merge_into(const std::string& joined, const std::vector<std::string>& parts) {
  if (parts.empty()) return false;
  job::MergeJob merge;
  merge.inputs = parts;
  merge.output = joined;
  merge.quiet = true;
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
    if (!world_.is_root()) return;
    remove_own(joined);
    whole = merge_into(joined, parts);
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
  while (!job_.png.empty() && !picture_made_) {
    try {
      render::render(context, whole_into(job_.output));
      picture_made_ = true;
    } catch (const base::Error& error) {
      if (error.code() != base::ExitCode::usage || !others_make_picture()) throw;
    }
  }
}

/// Collective. Waits while another run writes the picture. False if none does or has done.
bool JoinedImage::others_make_picture() {
  bool others = false;
  comm::agree(world_, [&] {
    if (!world_.is_root()) return;
    const std::string part = base::part_path(job_.png);
    while (base::exists(part) && base::may_be_locked(part)) {
      if (!std::exchange(others, true) && !job_.quiet) {
        base::log("render: waits for the run that makes {}", job_.png);
      }
      base::throw_if_stopped("render");
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    picture_made_ =
        post::compare(store::look_at_picture(job_.png), job_) == post::FoundPicture::right;
  });
  picture_made_ = comm::broadcast_value(world_, picture_made_);
  return comm::broadcast_value(world_, others) || picture_made_;
}

void JoinedImage::remove_joined(int generation) {
  for (; generation > 0; --generation) remove_own(joined_file(generation));
}

void JoinedImage::remove_own(const std::string& joined) const {
  if (is_of(job_, joined)) remove_image(joined);
}

std::string JoinedImage::joined_file(int generation) const {
  const std::string folder = std::filesystem::absolute(pool_).lexically_normal().string();
  const std::uint64_t hash = base::fnv1a(folder + "\n" + job::fingerprint(job_));
  return base::beside(job_.output, fmt::format(".join{}-{:016x}.h5", generation, hash));
}

job::RenderJob JoinedImage::whole_into(const std::string& output) const {
  job::RenderJob whole = job_;
  whole.overwrite = false;  // the image is there
  whole.output = output;
  return whole;
}

}  // namespace tessera::pool
