#include "pool/pool_folder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/fingerprint.hpp"
#include "plan/tile_choice.hpp"
#include "plan/tile_grid.hpp"
#include "store/outputs.hpp"

namespace tessera::pool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPoolFile = "pool.txt";
constexpr std::string_view kMark = "tessera pool 1";
// If the job does not say how many shares there are: each costs the start of a run, and in deep
// images the reference orbit.
constexpr std::int64_t kTilesOfShare = 8;
constexpr std::int64_t kMaxShares = 64;
constexpr std::int64_t kMaxDeepShares = 16;

std::string text_of(const PoolFacts& facts) {
  return fmt::format("{}\n{}\n{}\n{}\n", kMark, facts.fingerprint, facts.shares, facts.output);
}

int shares_of(const job::RenderJob& job) {
  if (job.pool_shares > 0) return job.pool_shares;
  const std::int64_t tiles = plan::TileGrid{job.image.size_px, job.tile_px}.count();
  const std::int64_t most = job.image.deep() ? kMaxDeepShares : kMaxShares;
  return static_cast<int>(std::clamp<std::int64_t>(tiles / kTilesOfShare, 1, most));
}

/// All runs of a pool have the same tiles, as all shares have.
job::RenderJob with_tile(job::RenderJob job) {
  if (job.tile_auto) job.tile_px = plan::kDefaultTilePx;
  job.tile_auto = false;
  return job;
}

/// At once, not after a week of work.
void check_outputs(const job::RenderJob& job) {
  // While the shares are joined, the file there may be this image.
  const bool joins = read_facts(job.pool).has_value() &&
                     leases_in(job.pool, job.pool_lease_s).look(kJoin).generation > 0;
  store::check_output(job.output, "--output", job.overwrite || joins);
  if (!job.png.empty()) store::check_output(job.png, "--png", job.overwrite || joins);
}

PoolFacts enter(const job::RenderJob& job) {
  check_outputs(job);
  std::error_code error;
  fs::create_directories(job.pool, error);
  if (error) throw base::file_error(job.pool, "be created", error.value());
  const PoolFacts mine{job::fingerprint(job), shares_of(job),
                       fs::absolute(job.output).lexically_normal().string()};
  create_once(fmt::format("{}/{}", job.pool, kPoolFile), text_of(mine));
  const std::optional<PoolFacts> facts = read_facts(job.pool);
  if (!facts) throw base::usage_error("--pool {}: its {} is damaged", job.pool, kPoolFile);
  if (facts->fingerprint != mine.fingerprint) {
    throw base::usage_error(
        "--pool {}: is of another image, or of other fields or tiles; take another folder",
        job.pool);
  }
  if (facts->output != mine.output) {
    throw base::usage_error("--pool {}: its image goes to {}; give that --output", job.pool,
                            facts->output);
  }
  if (job.pool_shares > 0 && job.pool_shares != facts->shares) {
    throw base::usage_error("--pool-shares {}: this pool has {}", job.pool_shares, facts->shares);
  }
  return *facts;
}

}  // namespace

std::string item_of(int share) {
  return fmt::format("share{:04}", share);
}

std::optional<PoolFacts> read_facts(const std::string& folder) {
  const std::vector<std::string> lines =
      base::split(base::contents_of(fmt::format("{}/{}", folder, kPoolFile)), '\n');
  if (lines.size() < 4 || lines[0] != kMark) return std::nullopt;
  return PoolFacts{lines[1], static_cast<int>(base::parse_integer(lines[2], folder, 1, 1 << 20)),
                   lines[3]};
}

LeaseFolder leases_in(const std::string& folder, double lease_s) {
  return {fmt::format("{}/leases", folder), lease_s};
}

job::RenderJob OpenPool::single_job() const {
  const job::RenderJob usual;
  job::RenderJob single = job;
  single.pool.clear();
  single.pool_shares = usual.pool_shares;
  single.pool_lease_s = usual.pool_lease_s;
  return single;
}

std::string OpenPool::share_file(int share, int generation) const {
  return fmt::format("{}/{}.{}.h5", job.pool, item_of(share), generation);
}

OpenPool open_pool(comm::World& world, job::RenderJob job) {
  OpenPool pool{.job = with_tile(std::move(job))};
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    pool.facts = enter(pool.job);
    pool.leases = leases_in(pool.job.pool, pool.job.pool_lease_s);
  });
  pool.facts.shares = comm::broadcast_value(world, pool.facts.shares);
  return pool;
}

}  // namespace tessera::pool
