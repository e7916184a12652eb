#include "pool/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
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
#include "store/image/formats.hpp"
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

/// What a run does next: a share, or -1 to join, 0 at the end.
struct Turn {
  static constexpr int kJoins = -1;
  int share = 0;
  int generation = 0;

  static auto members(auto& self) { return std::tie(self.share, self.generation); }
};

/// A token of its own for the work on an item, which gets the request to stop that the run gets.
class PassedOnStop {
 public:
  explicit PassedOnStop(const base::StopToken& run) : thread_([this, &run] { pass_on(run); }) {}
  ~PassedOnStop() {
    ends_ = true;
    thread_.join();
  }
  PassedOnStop(const PassedOnStop&) = delete;
  PassedOnStop& operator=(const PassedOnStop&) = delete;

  base::StopToken& token() { return token_; }

 private:
  void pass_on(const base::StopToken& run) {
    while (!ends_ && !run.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!run.requested()) return;
    reason_ = run.reason();
    token_.request(reason_.c_str());
  }

  std::string reason_;  ///< the token refers to it
  base::StopToken token_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
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
      if (turn.share == 0) return make_picture(context_);  // that only this run may want
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
  /// Returns false, on all ranks, if it was lost.
  bool hold(const std::string& item, int generation,
            const std::function<void(run::Context&)>& work) {
    PassedOnStop stop(context_.run.stop);
    std::optional<Lease> lease;
    if (world_.is_root()) {
      lease.emplace(leases_->path(), item, generation, job_.pool_lease_s,
                    [&] { stop.token().request(kTakenOver); });
    }
    run::Context inside{world_, {stop.token(), context_.run.events, context_.run.program}};
    const auto is_lost = [&] {
      return comm::broadcast_value(world_, lease.has_value() && lease->is_lost());
    };
    try {
      const base::RunScope scope(inside.run);
      work(inside);
    } catch (const base::Error&) {
      // Others have taken over, so what failed here is no matter.
      if (is_lost()) return false;
      throw;
    }
    if (is_lost()) return false;
    if (lease) lease->finish();
    return true;
  }

  void render_share(const Turn& turn) {
    job::RenderJob share = alone();
    share.png.clear();
    share.overwrite = false;  // tiles that were taken over stay
    share.share = {turn.share, facts_.shares};
    share.output = share_file(turn.share, turn.generation);
    hold(item_of(turn.share), turn.generation, [&](run::Context& inside) {
      comm::agree(world_, [&] {
        if (world_.is_root()) take_over(turn);
      });
      render::render(inside, share);
    });
  }

  /// The job as one of a single run.
  job::RenderJob alone() const {
    const job::RenderJob usual;
    job::RenderJob job = job_;
    job.pool.clear();
    job.pool_shares = usual.pool_shares;
    job.pool_lease_s = usual.pool_lease_s;
    return job;
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
    const bool held = hold(kJoin, generation, [&](run::Context& inside) {
      if (!is_made()) join_files(inside, generation);
      make_picture(inside);
    });
    if (held && world_.is_root()) remove_parts(generation);
  }

  /// Once.
  void make_picture(run::Context& inside) {
    if (job_.png.empty() || picture_made_) return;
    render::render(inside, whole_into(job_.output));
    picture_made_ = true;
  }

  std::string joined_file(int generation) const {
    fs::path path(job_.output);
    path.replace_extension(fmt::format("join{}{}", generation, path.extension().string()));
    return path.string();
  }

  job::RenderJob whole_into(const std::string& output) const {
    job::RenderJob whole = alone();
    whole.overwrite = false;  // the image is there
    whole.output = output;
    return whole;
  }

  /// Collective. Whether an earlier joiner has made the image.
  bool is_made() {
    bool made = false;
    comm::agree(world_, [&] {
      if (!world_.is_root() || !base::exists(job_.output)) return;
      try {
        const auto image = store::open_image(job_.output);
        made = image->attribute("fingerprint") == facts_.fingerprint &&
               image->attribute("status") == "complete";
      } catch (const base::Error&) {
        made = false;  // something else, which --overwrite replaces
      }
    });
    return comm::broadcast_value(world_, made);
  }

  /// Collective. Into a file of its own, which then gets its name: a joiner that was suspended may
  /// do the same. Tiles that are damaged in the shares are rendered again.
  void join_files(run::Context& inside, int generation) {
    const std::string joined = joined_file(generation);
    bool whole = true;
    comm::agree(world_, [&] {
      if (world_.is_root()) whole = merge_shares(joined);
    });
    whole = comm::broadcast_value(world_, whole);
    if (!whole) {
      job::RenderJob rest = whole_into(joined);
      rest.png.clear();
      render::render(inside, rest);
    }
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      base::publish_file(joined, job_.output, base::identity_of(joined),
                         job_.overwrite ? base::Replace::what_is_there : base::Replace::nothing);
      if (job_.overwrite && !job_.png.empty()) base::remove_file(job_.png);  // of the image before
      if (!job_.quiet) base::log("render: {} shares are joined in {}", facts_.shares, job_.output);
    });
  }

  /// False if tiles are missing.
  bool merge_shares(const std::string& joined) {
    leases_->list();
    job::MergeJob merge;
    for (int share = 1; share <= facts_.shares; ++share) {
      merge.inputs.push_back(share_file(share, leases_->look(item_of(share)).generation));
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

  /// Removes the files of shares and of earlier joiners, and nothing else that lies beside them.
  void remove_parts(int generation) {
    for (int earlier = 1; earlier <= generation; ++earlier) remove_image(joined_file(earlier));
    leases_->list();
    for (int share = 1; share <= facts_.shares; ++share) {
      const int last = leases_->last_generation(item_of(share));
      for (int one = 1; one <= last; ++one) remove_image(share_file(share, one));
    }
  }

  /// With its unfinished file and what lies beside it.
  static void remove_image(const std::string& path) {
    for (const std::string_view suffix : {".part", ".part.log", ".orbit"}) {
      base::remove_file(base::beside(path, suffix));
    }
    base::remove_file(path);
  }

  run::Context& context_;
  comm::World& world_;
  job::RenderJob job_;
  PoolFacts facts_;
  std::optional<LeaseFolder> leases_;
  bool picture_made_ = false;
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
