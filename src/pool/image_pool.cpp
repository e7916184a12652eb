// A pool that makes one image: its shares are some of the tiles.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/hash.hpp"
#include "base/run.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/fingerprint.hpp"
#include "job/values.hpp"
#include "plan/tile_grid.hpp"
#include "pool/joined_image.hpp"
#include "pool/member.hpp"
#include "pool/pool.hpp"
#include "render/film.hpp"
#include "render/render.hpp"
#include "store/outputs.hpp"

namespace tessera::pool {
namespace {

// If the job does not say how many shares there are: each costs the start of a run, and in deep
// images the reference orbit.
constexpr std::int64_t kTilesOfShare = 8;
constexpr std::int64_t kMaxShares = 64;
constexpr std::int64_t kMaxDeepShares = 16;

constexpr const char* kSuffix = ".h5";
constexpr const char* kPartSuffix = ".h5.part";  // of a share that is done, if there are several
constexpr const char* kOrbitSuffix = ".zoom.h5";

int shares_of(const job::RenderJob& job) {
  if (job.pool_shares > 0) return job.pool_shares;
  const std::int64_t tiles = plan::TileGrid{job.image.size_px, job.tile_px}.count();
  const std::int64_t most = job.image.deep() ? kMaxDeepShares : kMaxShares;
  return static_cast<int>(std::clamp<std::int64_t>(tiles / kTilesOfShare, 1, most));
}

std::string absolute(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal().string();
}

// --- one image

/// The job without smooth values, if only its picture asks for them: counts do for that too.
std::optional<job::RenderJob> of_counts(job::RenderJob job) {
  if (!job.smooth_by_default || !job::shading_fields(job).empty()) return std::nullopt;
  job.fields = {job::Field::iterations};
  return job;
}

/// Nothing if it is not there.
std::optional<job::RenderJob> made_image(const job::RenderJob& job) {
  if (is_made(job)) return job;
  std::optional<job::RenderJob> counts = of_counts(job);
  if (counts && !is_made(*counts)) counts.reset();
  return counts;
}

/// At once, not after a week of work.
PoolFacts facts_of_image(const job::RenderJob& job) {
  // While the shares are joined, the file there may be this image.
  const bool may_replace = job.overwrite || is_joined(job.pool) || made_image(job);
  store::check_output(job.output, "--output", may_replace);
  if (!job.png.empty()) store::check_output(job.png, "--png", may_replace);
  const std::optional<job::RenderJob> counts = of_counts(job);
  return {.fingerprint = job::fingerprint(job),
          .or_fingerprint = counts ? job::fingerprint(*counts) : "",
          .shares = shares_of(job),
          .output = absolute(job.output),
          .kind = "image"};
}

/// What the pool has made may have been replaced since.
void check_made(const job::RenderJob& image, const OpenPool& pool) {
  if (is_made(image)) return;
  throw base::usage_error(
      "--pool {}: has made {}, which is now another file; remove the folder to start again",
      pool.folder, image.output);
}

class ImageProduct final : public Product {
 public:
  ImageProduct(comm::World& world, const job::RenderJob& job, OpenPool& pool)
      : world_(world), job_(job), pool_(pool), image_(world, job, pool.folder) {}

  void make_share(run::Context& context, const Turn& turn) override {
    job::RenderJob share = job_;
    share.png.clear();
    share.overwrite = false;  // tiles that were taken over stay
    share.share = {turn.share, pool_.facts.shares};
    share.output = pool_.part_file(turn.share, turn.generation, kSuffix);
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      take_over(pool_.parts_before(turn.share, turn.generation - 1, kSuffix), share.output);
    });
    render::render(context, share);
  }

  void join(run::Context& context, int generation) override {
    if (!image_.is_made()) {
      std::vector<std::string> parts;
      comm::agree(world_, [&] {
        if (world_.is_root())
          parts = pool_.done_parts(pool_.facts.shares > 1 ? kPartSuffix : kSuffix);
      });
      image_.join(context, parts, generation);
      if (world_.is_root() && !job_.quiet) {
        base::log("render: {} shares are joined in {}", pool_.facts.shares, job_.output);
      }
    }
    image_.make_picture(context);
  }

  void clean(int generation) override {
    image_.remove_joined(generation);
    pool_.leases->list();
    for (int share = 1; share <= pool_.facts.shares; ++share) {
      for (const std::string& part : pool_.all_parts(share, kSuffix)) remove_image(part);
    }
  }

  std::vector<std::string> results() const override { return {job_.output}; }
  void check_results() const override { check_made(job_, pool_); }

  /// Collective. The picture that only this run may want.
  void make_picture(run::Context& context) { image_.make_picture(context); }

 private:
  comm::World& world_;
  const job::RenderJob& job_;
  OpenPool& pool_;
  JoinedImage image_;
};

// --- a zoom: a share is an image

PoolFacts facts_of_zoom(const job::RenderJob& zoom) {
  std::string prints;
  for (int i = 0; i < zoom.frames; ++i) {
    const job::RenderJob frame = render::frame_of(zoom, i);
    store::check_output(frame.output, "--output", frame.overwrite || is_made(frame));
    prints += job::fingerprint(frame);
  }
  return {.fingerprint = fmt::format("{:016x}", base::fnv1a(prints)),
          .shares = zoom.frames,
          .output = absolute(zoom.output),
          .kind = "zoom"};
}

class ZoomProduct final : public Product {
 public:
  ZoomProduct(comm::World& world, const job::RenderJob& zoom, OpenPool& pool)
      : world_(world), zoom_(zoom), pool_(pool) {
    sequence_.deepest = render::frame_of(zoom, zoom.frames - 1);
    sequence_.deepest.output.clear();
  }

  void make_share(run::Context& context, const Turn& turn) override {
    const job::RenderJob frame = render::frame_of(zoom_, turn.share - 1);
    JoinedImage image(world_, frame, pool_.folder);
    if (!image.is_made()) make_frame(context, frame, image, turn);
    if (!world_.is_root()) return;
    image.remove_joined(turn.generation);
    for (const std::string& part : pool_.parts_before(turn.share, turn.generation, kSuffix)) {
      remove_image(part);
    }
  }

  void join(run::Context&, int) override {}

  void clean(int) override {
    pool_.leases->list();
    for (int share = 1; share <= pool_.facts.shares; ++share) {
      JoinedImage(world_, render::frame_of(zoom_, share - 1), pool_.folder)
          .remove_joined(pool_.leases->last_generation(item_of(share)));
      for (const char* const suffix : {kSuffix, kOrbitSuffix}) {
        for (const std::string& part : pool_.all_parts(share, suffix)) remove_image(part);
      }
    }
  }

  std::vector<std::string> results() const override {
    std::vector<std::string> files;
    for (int i = 0; i < zoom_.frames; ++i) files.push_back(render::frame_of(zoom_, i).output);
    return files;
  }

  void check_results() const override {
    for (int i = 0; i < zoom_.frames; ++i) check_made(render::frame_of(zoom_, i), pool_);
  }

 private:
  void make_frame(run::Context& context, const job::RenderJob& frame, JoinedImage& image,
                  const Turn& turn) {
    job::RenderJob share = frame;
    share.overwrite = false;
    share.output = pool_.part_file(turn.share, turn.generation, kSuffix);
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      take_over(pool_.parts_before(turn.share, turn.generation - 1, kSuffix), share.output);
    });
    sequence_.label = fmt::format("render {} of {}", turn.share, zoom_.frames);
    // The reference orbit is that of the deepest image; each run keeps its own file of it.
    if (sequence_.deepest.output.empty()) {
      sequence_.deepest.output = pool_.part_file(turn.share, turn.generation, kOrbitSuffix);
    }
    render::render(world_, share, sequence_);
    sequence_.lanes.reset();  // they work for the run of this share
    image.join(context, {share.output}, turn.generation);
  }

  comm::World& world_;
  const job::RenderJob& zoom_;
  OpenPool& pool_;
  render::Sequence sequence_;
};

constexpr const char* kOtherImages = "another image or zoom, or of other fields or tiles";

void render_zoom(run::Context& context, const job::RenderJob& asked) {
  const job::RenderJob zoom = without_pool(asked);
  OpenPool pool = open_pool(
      context.world, asked, "render", [&] { return facts_of_zoom(asked); }, kOtherImages);
  ZoomProduct product(context.world, zoom, pool);
  work_in(context, asked, pool, product);
}

/// On the gather rank: what the folder is of, if it is not of this image.
std::string others_than(const job::RenderJob& image) {
  using enum job::Field;
  const std::optional<PoolFacts> facts = read_facts(image.pool);
  job::RenderJob other = image;
  for (const auto& fields : {std::vector{iterations}, std::vector{iterations, smooth}}) {
    other.fields = fields;
    if (!facts || job::fingerprint(other) != facts->fingerprint) continue;
    return fmt::format("this image with other fields, for which give --fields {}",
                       job::format_fields(fields));
  }
  return kOtherImages;
}

/// Collective. The job whose image is there where the pool is not: it was removed when all was
/// made.
std::optional<job::RenderJob> made_before(comm::World& world, const job::RenderJob& job) {
  std::optional<job::RenderJob> made;
  comm::agree(world, [&] {
    if (world.is_root() && !job.overwrite && !read_facts(job.pool)) made = made_image(job);
  });
  if (!comm::broadcast_value(world, made.has_value())) return std::nullopt;
  const bool counts = comm::broadcast_value(world, made && made->fields != job.fields);
  return counts ? of_counts(job) : job;
}

void render_image(run::Context& context, const job::RenderJob& asked) {
  comm::World& world = context.world;
  if (const std::optional<job::RenderJob> made = made_before(world, asked)) {
    if (world.is_root() && !asked.quiet) base::log("render: {} is complete already", asked.output);
    return JoinedImage(world, without_pool(*made), asked.pool).make_picture(context);
  }
  std::string others;
  comm::agree(world, [&] {
    if (world.is_root()) others = others_than(asked);
  });
  OpenPool pool = open_pool(
      world, asked, "render", [&] { return facts_of_image(asked); }, others);
  const bool counts = comm::broadcast_value(
      world, world.is_root() && pool.facts.fingerprint != job::fingerprint(asked));
  const job::RenderJob image = without_pool(counts ? *of_counts(asked) : asked);
  ImageProduct product(world, image, pool);
  work_in(context, asked, pool, product);
  product.make_picture(context);
}

}  // namespace

void render(run::Context& context, const job::RenderJob& asked) {
  const job::RenderJob fixed = with_fixed_tile(asked);
  if (fixed.frames > 0) return render_zoom(context, fixed);
  render_image(context, fixed);
}

}  // namespace tessera::pool
