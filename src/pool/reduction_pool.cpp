// A pool that makes the answers of a reduction: its shares are consecutive slices of the array.
#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/record_file.hpp"
#include "base/hash.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "pool/member.hpp"
#include "pool/pool.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/kept_answers.hpp"
#include "reduce/reduce.hpp"
#include "reduce/reduce_files.hpp"
#include "reduce/slice_sink.hpp"
#include "store/reduce_checkpoint.hpp"

namespace tessera::pool {
namespace {

constexpr int kSharesOfReduction = 32;
constexpr const char* kCheckpoint = ".checkpoint";

/// At once, before there is a folder.
PoolFacts facts_of(const job::ReduceJob& job) {
  const reduce::JobFacts facts = reduce::facts_of(job);
  reduce::check_reduce_files(job, facts);
  reduce::open_source(job, reduce::piece_bytes(job));
  const std::string identity = fmt::format("{}slice {}\nversion {}\n", facts.identity(),
                                           job.slice_bytes, base::version_and_commit());
  return {.fingerprint = fmt::format("{:016x}", base::fnv1a(identity)),
          .shares = job.pool_shares > 0 ? job.pool_shares : kSharesOfReduction,
          .output = "",
          .kind = "reduction",
          .title = base::printable(fmt::format("{} --op {}", job::input_text(job),
                                               job::format_operations(job.operations, job))),
          .inputs = reduce::describe_inputs(facts)};
}

/// Nothing if there is none, or only a damaged one.
std::optional<store::ReduceCheckpoint> read(const std::string& file) {
  return store::decode_reduce_checkpoint(base::read_marked_file(file, base::kCheckpointMark));
}

/// With the file by which it was to be replaced.
void remove_checkpoint(const std::string& file) {
  base::remove_file(file + ".new");
  base::remove_file(file);
}

class ReductionProduct final : public Product {
 public:
  ReductionProduct(comm::World& world, job::ReduceJob job, OpenPool& pool)
      : world_(world), job_(std::move(job)), pool_(pool) {}

  void make_share(run::Context& context, const Turn& turn) override {
    job::ReduceJob share = job_;
    share.report.clear();
    share.checkpoint_file = pool_.part_file(turn.share, turn.generation, kCheckpoint);
    std::optional<store::ReduceCheckpoint> found;
    if (world_.is_root()) found = farthest(turn);
    store::ReduceCheckpoint made;
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    reduce::reduce(context, share, checkpoints,
                   {.shared = {.share = {turn.share, pool_.facts.shares},
                               .found = found ? &*found : nullptr,
                               .made = &made}});
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      check_inputs(reduce::describe_inputs(reduce::facts_of(share)));
      checkpoints->keep(made);
    });
  }

  void join(run::Context& context, int generation) override {
    std::optional<store::ReduceCheckpoint> all;
    bool made = false;
    bool whole = true;
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      made = read(answer_file()).has_value();
      if (made) return;
      all = sum_of_parts();
      whole = all && all->count_finished() == std::ssize(all->finished);
      if (!whole) base::log("reduce: shares are damaged; what is missing is reduced again");
    });
    if (comm::broadcast_value(world_, made)) return;
    if (!comm::broadcast_value(world_, whole)) all = completed(context, all);
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      const std::string joined = joined_file(generation);
      base::remove_file(joined);
      store::ReduceCheckpointFile(joined).save(*all);
      base::publish_file(joined, answer_file(), base::identity_of(joined),
                         base::Replace::what_is_there);
    });
  }

  void clean(int generation) override {
    for (; generation > 0; --generation) remove_checkpoint(joined_file(generation));
    pool_.leases->list();
    for (int share = 1; share <= pool_.facts.shares; ++share) {
      for (const std::string& part : pool_.all_parts(share, kCheckpoint)) remove_checkpoint(part);
    }
  }

  std::vector<std::string> results() const override { return {answer_file()}; }

  /// Collective. Without ranks: each run knows only its part of the work.
  report::ReduceReport answer(run::Context& context,
                              std::optional<reduce::ReduceCheckpoints>& checkpoints) {
    std::optional<store::ReduceCheckpoint> all;
    comm::agree(world_, [&] {
      if (!world_.is_root()) return;
      all = read(answer_file());
      if (!all) throw base::run_error("{}: is damaged; remove the folder", answer_file());
    });
    job::ReduceJob job = job_;
    job.device = "cpu";  // no slice is left
    job.threads = 1;
    report::ReduceReport run =
        reduce::reduce(context, job, checkpoints, {.shared = {.found = all ? &*all : nullptr}});
    run.ranks.clear();
    run.found_slices = 0;
    run.work_s = 0;
    return run;
  }

 private:
  std::string joined_file(int generation) const {
    return fmt::format("{}/{}{}{}", pool_.folder, kJoin, generation, kCheckpoint);
  }

  std::string answer_file() const { return fmt::format("{}/answer{}", pool_.folder, kCheckpoint); }

  void check_inputs(const std::string& now) const {
    if (now == pool_.facts.inputs) return;
    throw base::usage_error("--pool {}: {} has changed since the pool began; take another folder",
                            pool_.folder, reduce::changed_file(pool_.facts.inputs, now));
  }

  /// What the earlier holder of the share has left that came farthest.
  std::optional<store::ReduceCheckpoint> farthest(const Turn& turn) const {
    std::optional<store::ReduceCheckpoint> best;
    for (const std::string& file :
         pool_.parts_before(turn.share, turn.generation - 1, kCheckpoint)) {
      auto left = read(file);
      if (!left || left->inputs != pool_.facts.inputs) continue;
      if (!best || left->count_finished() > best->count_finished()) best = std::move(left);
    }
    return best;
  }

  /// Of the shares that can be read; nothing if none can.
  std::optional<store::ReduceCheckpoint> sum_of_parts() {
    std::optional<store::ReduceCheckpoint> sum;
    for (const std::string& file : pool_.done_parts(kCheckpoint)) {
      auto part = read(file);
      if (!part) continue;
      check_inputs(part->inputs);
      if (sum) {
        reduce::merge(*sum, *part);
      } else {
        sum = std::move(part);
      }
    }
    return sum;
  }

  /// Collective.
  store::ReduceCheckpoint completed(run::Context& context,
                                    const std::optional<store::ReduceCheckpoint>& some) {
    store::ReduceCheckpoint all;
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    reduce::reduce(context, job_, checkpoints,
                   {.shared = {.found = some ? &*some : nullptr, .made = &all}});
    return all;
  }

  comm::World& world_;
  const job::ReduceJob job_;
  OpenPool& pool_;
};

}  // namespace

report::ReduceReport reduce(run::Context& context, const job::ReduceJob& asked,
                            std::optional<reduce::ReduceCheckpoints>& checkpoints) {
  comm::World& world = context.world;
  // Sums of two arrays are parts like others.
  comm::agree(world, [&] {
    if (job::pairing_of(asked) != job::Pairing::joint) reduce::check_kept(asked, "--pool");
  });
  OpenPool pool = open_pool(
      world, asked, "reduce", [&] { return facts_of(asked); },
      "another reduction or --slice, or of another version of tessera");
  job::ReduceJob job = without_pool(asked);
  job.default_checkpoint.clear();
  ReductionProduct product(world, std::move(job), pool);
  work_in(context, asked, pool, product);
  report::ReduceReport run = product.answer(context, checkpoints);
  run.job = job::describe(asked);
  return run;
}

}  // namespace tessera::pool
