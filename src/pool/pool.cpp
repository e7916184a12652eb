#include "pool/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "job/image/fingerprint.hpp"
#include "plan/tile_choice.hpp"
#include "plan/tile_grid.hpp"
#include "post/merge.hpp"
#include "render/file_sink.hpp"
#include "render/render.hpp"
#include "store/outputs.hpp"

namespace tessera::pool {
namespace {

namespace fs = std::filesystem;
using Kind = ItemState::Kind;

constexpr std::string_view kPoolFile = "pool.txt";
constexpr std::string_view kMark = "tessera pool 1";
constexpr const char* kJoin = "join";
constexpr const char* kTakenOver = "another run, which took over its share";
/// Tiles of a share, and shares, if the job leaves that open: a share costs a start, and in deep
/// images the reference orbit.
constexpr std::int64_t kTilesOfShare = 8;
constexpr std::int64_t kMaxShares = 64;
constexpr std::int64_t kMaxDeepShares = 16;
constexpr std::chrono::milliseconds kMaxWait{250};

std::string leases_of(const std::string& folder) {
  return fmt::format("{}/leases", folder);
}

std::string item_of(int share) {
  return fmt::format("share{:04}", share);
}

/// What the first run writes into the folder, for all others.
struct PoolFacts {
  std::string fingerprint;
  int shares = 0;
  std::string output;
};

std::string text_of(const PoolFacts& facts) {
  return fmt::format("{}\n{}\n{}\n{}\n", kMark, facts.fingerprint, facts.shares, facts.output);
}

std::optional<PoolFacts> read_facts(const std::string& folder) {
  const std::vector<std::string> lines =
      base::split(base::contents_of(fmt::format("{}/{}", folder, kPoolFile)), '\n');
  if (lines.size() < 4 || lines[0] != kMark) return std::nullopt;
  return PoolFacts{lines[1], static_cast<int>(base::parse_integer(lines[2], folder, 1, 1 << 20)),
                   lines[3]};
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

/// Not only after a week of work.
void check_outputs(const job::RenderJob& job) {
  // While the shares are joined, the file there may be this image.
  const bool joins = is_pool(job.pool) &&
                     LeaseFolder(leases_of(job.pool), job.pool_lease_s).look(kJoin).generation > 0;
  store::check_output(job.output, "--output", job.overwrite || joins);
  if (!job.png.empty()) store::check_output(job.png, "--png", job.overwrite || joins);
}

PoolFacts enter(const job::RenderJob& job) {
  check_outputs(job);
  std::error_code error;
  fs::create_directories(job.pool, error);
  if (error) throw base::file_error(job.pool, "be created", error.value());
  const PoolFacts mine{job::fingerprint(job), shares_of(job), fs::absolute(job.output).string()};
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

/// What a run does next: a share, or -1 to join, 0 at the end.
struct Turn {
  static constexpr int kJoins = -1;
  int share = 0;
  int generation = 0;

  static auto members(auto& self) { return std::tie(self.share, self.generation); }
};

/// A run's part in the pool. Only the gather rank has the leases.
class Member {
 public:
  Member(run::Context& context, job::RenderJob job)
      : context_(context), world_(context.world), job_(std::move(job)) {
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      facts_ = enter(job_);
      leases_.emplace(leases_of(job_.pool), job_.pool_lease_s);
    });
    facts_.shares = comm::broadcast_value(world_, facts_.shares);
  }

  void work() {
    for (;;) {
      Turn turn;
      comm::agree(world_, [&] {
        if (world_.is_root()) turn = wait_for_turn();
      });
      turn = comm::broadcast_value(world_, turn);
      if (turn.share == 0) return;
      if (turn.share == Turn::kJoins) {
        join(turn.generation);
      } else {
        render_share(turn);
      }
    }
  }

 private:
  std::string share_file(int share, int generation) const {
    return fmt::format("{}/{}.{}.h5", job_.pool, item_of(share), generation);
  }

  Turn wait_for_turn() {
    while (true) {
      if (const std::optional<Turn> turn = find_turn()) return *turn;
      const auto wait = std::min(
          kMaxWait,
          std::chrono::milliseconds(static_cast<std::int64_t>(1000 * job_.pool_lease_s / 20)));
      for (const auto end = base::Clock::now() + wait; base::Clock::now() < end;) {
        base::throw_if_stopped("render");
        check_time();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }

  void check_time() const {
    if (job_.max_s <= 0 || base::Clock::now() < base::later(world_.origin(), job_.max_s)) return;
    throw base::Error(base::ExitCode::stopped,
                      "render: stopped by --max-seconds while others work in the pool");
  }

  /// Nothing if others hold all that is left.
  std::optional<Turn> find_turn() {
    leases_->list();
    const ItemState joined = leases_->look(kJoin);
    if (joined.kind == Kind::done) return end();
    int done = 0;
    for (int i = 0; i < facts_.shares; ++i) {
      // Runs that begin together try different shares first.
      const int share = (i + first_) % facts_.shares + 1;
      const ItemState state = leases_->look(item_of(share));
      if (state.kind == Kind::done) {
        ++done;
      } else if (const auto generation = try_to_take(item_of(share), state)) {
        tell(share, *generation);
        return Turn{share, *generation};
      }
    }
    if (done < facts_.shares) return std::nullopt;
    const auto generation = try_to_take(kJoin, joined);
    if (!generation) return std::nullopt;
    return Turn{Turn::kJoins, *generation};
  }

  /// The image is complete.
  Turn end() const {
    if (!base::exists(job_.output)) {
      throw base::usage_error(
          "--pool {}: has made {}, which is gone; remove the folder to start again", job_.pool,
          job_.output);
    }
    if (!job_.quiet) base::log("render: {} is complete", job_.output);
    return {};
  }

  std::optional<int> try_to_take(const std::string& item, const ItemState& state) {
    if (state.kind == Kind::held && !leases_->expired(item, state)) return std::nullopt;
    return leases_->take(item, state);
  }

  void tell(int share, int generation) const {
    if (job_.quiet) return;
    base::log("render: share {} of {}{}", share, facts_.shares,
              generation > 1 ? ", which another run has left" : "");
  }

  /// Calls work() while the item is held; its run stops if the lease is lost, or this run stops.
  /// Returns false if it was lost.
  bool hold(const std::string& item, int generation,
            const std::function<void(run::Context&)>& work) {
    base::StopToken token;
    std::optional<Lease> lease;
    if (world_.is_root()) {
      lease.emplace(
          leases_->path(), item, generation, job_.pool_lease_s, [&] { token.request(kTakenOver); },
          [&] {
            if (context_.run.stop.requested()) token.request("a request");
          });
    }
    run::Context inside{
        world_,
        {world_.is_root() ? token : context_.run.stop, context_.run.events, context_.run.program}};
    bool lost = false;
    try {
      const base::RunScope scope(inside.run);
      work(inside);
    } catch (const base::Error& error) {
      lost = comm::broadcast_value(world_, lease && lease->is_lost());
      if (error.code() != base::ExitCode::stopped || !lost) throw;
    }
    if (!lost && lease) lease->finish();
    return !lost;
  }

  void render_share(const Turn& turn) {
    job::RenderJob share = job_;
    share.pool.clear();
    share.png.clear();
    share.share = {turn.share, facts_.shares};
    share.output = share_file(turn.share, turn.generation);
    hold(item_of(turn.share), turn.generation, [&](run::Context& inside) {
      comm::agree(world_, [&] {
        if (world_.is_root()) take_over(turn);
      });
      render::render(inside, share);
    });
  }

  /// Copies the tiles that earlier holders of the share have stored: a holder that was only
  /// suspended may still write to its own file.
  void take_over(const Turn& turn) {
    job::MergeJob merge;
    for (int generation = turn.generation - 1; generation > 0; --generation) {
      const std::string file = share_file(turn.share, generation);
      if (base::exists(base::part_path(file))) merge.inputs.push_back(file);
    }
    if (merge.inputs.empty()) return;
    merge.output = share_file(turn.share, turn.generation);
    merge.quiet = true;
    try {
      post::merge(merge);
    } catch (const base::Error& error) {
      // Tiles are missing, which this run renders; or a file without any, which is of no use.
      if (error.code() != base::ExitCode::failed && error.code() != base::ExitCode::usage) throw;
    }
  }

  void join(int generation) {
    hold(kJoin, generation, [&](run::Context& inside) {
      comm::agree(world_, [&] {
        if (world_.is_root()) join_files(generation);
      });
      if (job_.png.empty()) return;
      job::RenderJob whole = job_;
      whole.pool.clear();
      whole.overwrite = false;  // the image is there
      render::render(inside, whole);
    });
    if (world_.is_root()) remove_shares();
  }

  /// Into a file of its own, which then gets its name: a joiner that was suspended may do the same.
  void join_files(int generation) {
    leases_->list();
    fs::path joined(job_.output);
    joined.replace_extension(
        fmt::format("join{}{}", generation, fs::path(job_.output).extension().string()));
    job::MergeJob merge;
    for (int share = 1; share <= facts_.shares; ++share) {
      merge.inputs.push_back(share_file(share, leases_->look(item_of(share)).generation));
    }
    merge.output = joined.string();
    merge.quiet = true;
    merge.overwrite = true;
    post::merge(merge);
    base::publish_file(merge.output, job_.output, base::identity_of(merge.output),
                       job_.overwrite ? base::Replace::what_is_there : base::Replace::nothing);
    if (!job_.quiet) base::log("render: {} shares are joined in {}", facts_.shares, job_.output);
  }

  void remove_shares() const {
    for (int share = 1; share <= facts_.shares; ++share) {
      const std::string begin = item_of(share) + ".";
      std::error_code gone;
      std::vector<std::string> names;
      for (const auto& file : fs::directory_iterator(job_.pool, gone)) {
        if (file.path().filename().string().starts_with(begin))
          names.push_back(file.path().string());
      }
      std::ranges::for_each(names, base::remove_file);
    }
  }

  run::Context& context_;
  comm::World& world_;
  job::RenderJob job_;
  PoolFacts facts_;
  std::optional<LeaseFolder> leases_;
  int first_ = static_cast<int>(std::random_device()() & 0xffff);
};

}  // namespace

void render(run::Context& context, const job::RenderJob& job) {
  Member(context, with_tile(job)).work();
}

bool is_pool(const std::string& folder) {
  return read_facts(folder).has_value();
}

PoolState look_at(const std::string& folder) {
  const std::optional<PoolFacts> facts = read_facts(folder);
  if (!facts) throw base::usage_error("{}: is no pool", folder);
  LeaseFolder leases(leases_of(folder), 0);
  PoolState pool{.output = facts->output};
  for (int share = 1; share <= facts->shares; ++share) {
    pool.shares.push_back({share, leases.look(item_of(share))});
  }
  pool.join = leases.look(kJoin);
  return pool;
}

}  // namespace tessera::pool
