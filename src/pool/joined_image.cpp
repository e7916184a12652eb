#include "pool/joined_image.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "post/merge.hpp"
#include "render/render.hpp"
#include "store/image/formats.hpp"

namespace tessera::pool {
namespace {

/// Removes an image, its unfinished file and what lies beside that.
void remove_image(const std::string& path) {
  for (const std::string_view suffix : {".part", ".part.log", ".orbit"}) {
    base::remove_file(base::beside(path, suffix));
  }
  base::remove_file(path);
}

}  // namespace

void JoinedImage::make(run::Context& context, int generation) {
  if (!is_made()) join_shares(context, generation);
  make_picture(context);
}

void JoinedImage::make_picture(run::Context& context) {
  if (pool_.job.png.empty() || picture_made_) return;
  render::render(context, whole_into(pool_.job.output));
  picture_made_ = true;
}

std::string JoinedImage::joined_file(int generation) const {
  std::filesystem::path path(pool_.job.output);
  path.replace_extension(fmt::format("join{}{}", generation, path.extension().string()));
  return path.string();
}

job::RenderJob JoinedImage::whole_into(const std::string& output) const {
  job::RenderJob whole = pool_.single_job();
  whole.overwrite = false;  // the image is there
  whole.output = output;
  return whole;
}

/// Collective. Whether an earlier joiner has made the image.
bool JoinedImage::is_made() {
  bool made = false;
  comm::agree(world_, [&] {
    if (!world_.is_root() || !base::exists(pool_.job.output)) return;
    try {
      const auto image = store::open_image(pool_.job.output);
      made = image->attribute("fingerprint") == pool_.facts.fingerprint &&
             image->attribute("status") == "complete";
    } catch (const base::Error&) {
      made = false;  // something else, which --overwrite replaces
    }
  });
  return comm::broadcast_value(world_, made);
}

/// Collective. Joins the shares in a file of this run, which then gets the name of the image: a
/// joiner that was suspended may do the same. Tiles that are damaged are rendered again.
void JoinedImage::join_shares(run::Context& context, int generation) {
  const job::RenderJob& job = pool_.job;
  const std::string joined = joined_file(generation);
  bool whole = true;
  comm::agree(world_, [&] {
    if (world_.is_root()) whole = merge_shares(joined);
  });
  whole = comm::broadcast_value(world_, whole);
  if (!whole) {
    job::RenderJob rest = whole_into(joined);
    rest.png.clear();
    render::render(context, rest);
  }
  comm::agree(world_, [&] {
    if (!world_.is_root()) return;
    base::publish_file(joined, job.output, base::identity_of(joined),
                       job.overwrite ? base::Replace::what_is_there : base::Replace::nothing);
    if (job.overwrite && !job.png.empty())
      base::remove_file(job.png);  // the one of an earlier image
    if (!job.quiet) {
      base::log("render: {} shares are joined in {}", pool_.facts.shares, job.output);
    }
  });
}

/// Returns false if tiles are missing.
bool JoinedImage::merge_shares(const std::string& joined) {
  pool_.leases->list();
  job::MergeJob merge;
  for (int share = 1; share <= pool_.facts.shares; ++share) {
    const int generation = pool_.leases->look(item_of(share)).generation;
    merge.inputs.push_back(pool_.share_file(share, generation));
  }
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

void JoinedImage::remove_parts(int generation) {
  for (int earlier = 1; earlier <= generation; ++earlier) remove_image(joined_file(earlier));
  pool_.leases->list();
  for (int share = 1; share <= pool_.facts.shares; ++share) {
    const int last = pool_.leases->last_generation(item_of(share));
    for (int one = 1; one <= last; ++one) remove_image(pool_.share_file(share, one));
  }
}

}  // namespace tessera::pool
