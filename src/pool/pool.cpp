#include "pool/pool.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <thread>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "pool/joined_image.hpp"
#include "pool/pool_folder.hpp"
#include "post/merge.hpp"
#include "render/file_sink.hpp"
#include "render/render.hpp"

namespace tessera::pool {
namespace {

using Kind = ItemState::Kind;

constexpr const char* kTakenOver = "another run, which took over its share";
constexpr std::chrono::milliseconds kMaxWait{250};

/// What a run does next: a share, or -1 to join, 0 at the end.
struct Turn {
  static constexpr int kJoins = -1;
  int share = 0;
  int generation = 0;

  static auto members(auto& self) { return std::tie(self.share, self.generation); }
};

/// A run's part in the pool.
class Member {
 public:
  Member(run::Context& context, const job::RenderJob& job)
      : context_(context), world_(context.world), pool_(open_pool(world_, job)) {}

  void work() {
    for (;;) {
      Turn turn;
      comm::agree(world_, [&] {
        if (world_.is_root()) turn = wait_for_turn();
      });
      turn = comm::broadcast_value(world_, turn);
      if (turn.share == 0) return image_.make_picture(context_);  // that only this run may want
      if (turn.share == Turn::kJoins) {
        join(turn.generation);
      } else {
        render_share(turn);
      }
    }
  }

 private:
  Turn wait_for_turn() {
    while (true) {
      if (const std::optional<Turn> turn = find_turn()) return *turn;
      const auto wait = std::min(
          kMaxWait,
          std::chrono::milliseconds(static_cast<std::int64_t>(1000 * pool_.job.pool_lease_s / 20)));
      for (const auto end = base::Clock::now() + wait; base::Clock::now() < end;) {
        base::throw_if_stopped("render");
        check_time();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }

  void check_time() const {
    if (pool_.job.max_s <= 0 || base::Clock::now() < base::later(world_.origin(), pool_.job.max_s))
      return;
    throw base::Error(base::ExitCode::stopped,
                      "render: stopped by --max-seconds while others work in the pool");
  }

  /// Returns nothing if other runs hold all that is left.
  std::optional<Turn> find_turn() {
    pool_.leases->list();
    const ItemState joined = pool_.leases->look(kJoin);
    if (joined.kind == Kind::done) return end();
    int done = 0;
    for (int i = 0; i < pool_.facts.shares; ++i) {
      // Runs that begin together try different shares first.
      const int share = (i + first_) % pool_.facts.shares + 1;
      const ItemState state = pool_.leases->look(item_of(share));
      if (state.kind == Kind::done) {
        ++done;
      } else if (const auto generation = try_to_take(item_of(share), state)) {
        tell(share, *generation);
        return Turn{share, *generation};
      }
    }
    if (done < pool_.facts.shares) return std::nullopt;
    const auto generation = try_to_take(kJoin, joined);
    if (!generation) return std::nullopt;
    return Turn{Turn::kJoins, *generation};
  }

  /// The last turn, when the image is complete.
  Turn end() const {
    if (!base::exists(pool_.job.output)) {
      throw base::usage_error(
          "--pool {}: has made {}, which is gone; remove the folder to start again", pool_.job.pool,
          pool_.job.output);
    }
    if (!pool_.job.quiet) base::log("render: {} is complete", pool_.job.output);
    return {};
  }

  std::optional<int> try_to_take(const std::string& item, const ItemState& state) {
    if (state.kind == Kind::held && !pool_.leases->expired(item, state)) return std::nullopt;
    return pool_.leases->take(item, state);
  }

  void tell(int share, int generation) const {
    if (pool_.job.quiet) return;
    base::log("render: share {} of {}{}", share, pool_.facts.shares,
              generation > 1 ? ", which another run has left" : "");
  }

  /// Calls work() while the item is held. The work is asked to stop if the lease is lost, or this
  /// run is asked to. Returns false, on all ranks, if the lease was lost.
  bool hold(const std::string& item, int generation,
            const std::function<void(run::Context&)>& work) {
    base::StopToken stop(&context_.run.stop);
    std::optional<Lease> lease;
    if (world_.is_root()) {
      lease.emplace(pool_.leases->path(), item, generation, pool_.leases->lease_s(),
                    [&] { stop.request(kTakenOver); });
    }
    run::Context inside{world_, {stop, context_.run.events, context_.run.program}};
    const auto is_lost = [&] {
      return comm::broadcast_value(world_, lease.has_value() && lease->is_lost());
    };
    try {
      const base::RunScope scope(inside.run);
      work(inside);
    } catch (const base::Error&) {
      // Another run does the work again, so this failure does not matter.
      if (is_lost()) return false;
      throw;
    }
    if (is_lost()) return false;
    if (lease) lease->finish();
    return true;
  }

  void render_share(const Turn& turn) {
    job::RenderJob share = pool_.single_job();
    share.png.clear();
    share.overwrite = false;  // tiles that were taken over stay
    share.share = {turn.share, pool_.facts.shares};
    share.output = pool_.share_file(turn.share, turn.generation);
    hold(item_of(turn.share), turn.generation, [&](run::Context& inside) {
      comm::agree(world_, [&] {
        if (world_.is_root()) take_over(turn);
      });
      render::render(inside, share);
    });
  }

  /// Copies the tiles that earlier holders of the share have stored. They are copied, since a
  /// holder that was only suspended may still write to its file.
  void take_over(const Turn& turn) {
    job::MergeJob merge;
    for (int generation = turn.generation - 1; generation > 0; --generation) {
      const std::string file = pool_.share_file(turn.share, generation);
      if (base::exists(base::part_path(file))) merge.inputs.push_back(file);
    }
    if (merge.inputs.empty()) return;
    merge.output = pool_.share_file(turn.share, turn.generation);
    merge.quiet = true;
    try {
      post::merge(merge);
    } catch (const base::Error& error) {
      // Tiles are missing, which this run renders, or there are none to copy.
      if (error.code() != base::ExitCode::failed && error.code() != base::ExitCode::usage) throw;
    }
  }

  void join(int generation) {
    const bool held =
        hold(kJoin, generation, [&](run::Context& inside) { image_.make(inside, generation); });
    if (held && world_.is_root()) image_.remove_parts(generation);
  }

  run::Context& context_;
  comm::World& world_;
  OpenPool pool_;
  JoinedImage image_{world_, pool_};
  int first_ = static_cast<int>(std::random_device()() & 0xffff);
};

}  // namespace

void render(run::Context& context, const job::RenderJob& job) {
  Member(context, job).work();
}

bool is_pool(const std::string& folder) {
  return read_facts(folder).has_value();
}

PoolState look_at(const std::string& folder) {
  const std::optional<PoolFacts> facts = read_facts(folder);
  if (!facts) throw base::usage_error("{}: is no pool", folder);
  LeaseFolder leases = leases_in(folder, 0);
  PoolState pool{.output = facts->output};
  for (int share = 1; share <= facts->shares; ++share) {
    pool.shares.push_back({share, leases.look(item_of(share))});
  }
  pool.join = leases.look(kJoin);
  return pool;
}

}  // namespace tessera::pool
