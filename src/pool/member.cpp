#include "pool/member.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <thread>

#include "base/error.hpp"
#include "base/run.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"

namespace tessera::pool {
namespace {

using Kind = ItemState::Kind;

constexpr const char* kTakenOver = "another run, which took over its share";
constexpr std::chrono::milliseconds kMaxWait{250};

class Member {
 public:
  Member(run::Context& context, const job::RunSpec& job, OpenPool& pool, Product& product)
      : context_(context), world_(context.world), job_(job), pool_(pool), product_(product) {}

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
        hold(item_of(turn.share), turn.generation,
             [&](run::Context& inside) { product_.make_share(inside, turn); });
      }
    }
  }

 private:
  Turn wait_for_turn() {
    while (true) {
      if (const std::optional<Turn> turn = find_turn()) return *turn;
      const auto wait = std::min(
          kMaxWait,
          std::chrono::milliseconds(static_cast<std::int64_t>(1000 * job_.pool_lease_s / 20)));
      for (const auto end = base::Clock::now() + wait; base::Clock::now() < end;) {
        base::throw_if_stopped(pool_.command);
        check_time();
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  }

  void check_time() const {
    if (job_.max_s <= 0 || base::Clock::now() < base::later(world_.origin(), job_.max_s)) return;
    throw base::Error(base::ExitCode::stopped,
                      pool_.command + ": stopped by --max-seconds while others work in the pool");
  }

  /// Returns nothing if other runs hold all that is left.
  std::optional<Turn> find_turn() {
    pool_.leases->list();
    const ItemState joined = pool_.leases->look(kJoin);
    if (joined.kind == Kind::done) return end();
    worked_ = true;
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

  /// The last turn, when all is made.
  Turn end() {
    const std::vector<std::string> files = product_.results();
    for (const std::string& file : files) {
      // What was made long ago is there or gone.
      if (appears(file, worked_ ? job_.pool_lease_s : 0, pool_.command)) continue;
      throw base::usage_error(
          "--pool {}: has made {}, which is gone; remove the folder to start again", pool_.folder,
          file);
    }
    product_.check_results();
    if (job_.quiet) return {};
    const std::string& what = pool_.facts.output.empty() ? pool_.folder : pool_.facts.output;
    if (files.size() > 1) {
      base::log("{}: {}: {} images are complete", pool_.command, what, files.size());
    } else {
      base::log("{}: {} is complete", pool_.command, what);
    }
    return {};
  }

  std::optional<int> try_to_take(const std::string& item, const ItemState& state) {
    if (state.kind == Kind::held && !pool_.leases->expired(item, state)) return std::nullopt;
    return pool_.leases->take(item, state);
  }

  void tell(int share, int generation) const {
    if (job_.quiet) return;
    base::log("{}: share {} of {}{}", pool_.command, share, pool_.facts.shares,
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

  void join(int generation) {
    const bool held =
        hold(kJoin, generation, [&](run::Context& inside) { product_.join(inside, generation); });
    if (held && world_.is_root()) product_.clean(generation);
  }

  run::Context& context_;
  comm::World& world_;
  const job::RunSpec& job_;
  OpenPool& pool_;
  Product& product_;
  bool worked_ = false;  ///< or waited
  int first_ = static_cast<int>(std::random_device()() & 0xffff);
};

}  // namespace

void work_in(run::Context& context, const job::RunSpec& job, OpenPool& pool, Product& product) {
  Member(context, job, pool, product).work();
}

}  // namespace tessera::pool
