#include "reduce/checkpointing.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iterator>
#include <random>
#include <utility>
#include <vector>

#include "base/file/file_stamp.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "reduce/reduce_files.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {
namespace {

/// Every file that the result depends on.
std::vector<std::string> files_of(const JobFacts& facts) {
  std::vector<std::string> files;
  for (const job::ArrayInput& input : facts.inputs) {
    if (!input.is_in_file()) continue;
    for (const job::ArrayInput& file : store::expand(input)) {
      files.push_back(file.path);
      std::ranges::move(store::referenced_files(file), std::back_inserter(files));
    }
  }
  for (const std::string& bins : facts.bins) {
    if (base::exists(bins)) files.push_back(bins);
  }
  return files;
}

std::uint64_t unlike_any_other() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

}  // namespace

std::string describe_inputs(const JobFacts& facts) {
  if (reads_memory(facts)) return fmt::format("arrays in memory\t{:016x}\n", unlike_any_other());
  const std::vector<std::string> files = files_of(facts);
  const std::size_t sample_bytes = base::sample_bytes_of(files.size());
  std::string text;
  for (const std::string& file : files) {
    const auto path = std::filesystem::absolute(file).lexically_normal();
    text += fmt::format("{}\t{}\n", path.string(), base::describe_file(file, sample_bytes));
  }
  return text;
}

std::string changed_file(const std::string& then, const std::string& now) {
  const auto before = base::split(then, '\n');
  const auto after = base::split(now, '\n');
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (i < before.size() && before[i] == after[i]) continue;
    std::string name = after[i].substr(0, after[i].find('\t'));
    if (!name.empty()) return name;
  }
  return "what INPUT stands for";
}

namespace {

std::string path_of(const job::ArrayJob& job) {
  if (!job.output.empty()) return base::part_path(job.output) + ".checkpoint";
  return job.checkpoint_file.empty() ? job.default_checkpoint : job.checkpoint_file;
}

/// For what --by stores, beside the checkpoint or else in the folder for temporary files.
std::string groups_path_of(std::string_view checkpoint) {
  if (checkpoint.empty()) {
    static std::atomic<int> count = 0;
    return std::filesystem::temp_directory_path() /
           fmt::format("tessera-{}-{}.groups", ::getpid(), ++count);
  }
  constexpr std::string_view kEnd = ".checkpoint";
  if (checkpoint.ends_with(kEnd)) checkpoint.remove_suffix(kEnd.size());
  return fmt::format("{}.groups", checkpoint);
}

bool holds_work(const store::ReduceCheckpoint& checkpoint) {
  return checkpoint.pass > 0 || checkpoint.count_finished() > 0;
}

}  // namespace

ReduceCheckpoints::ReduceCheckpoints(const job::ArrayJob& job, const JobFacts& facts)
    : command_(facts.command),
      job_(facts.identity()),
      inputs_(describe_inputs(facts)),
      interval_s_(job.checkpoint_s),
      from_the_start_(!job.checkpoint_file.empty() || !job.output.empty()),
      may_replace_(job.overwrite),
      file_(path_of(job), base::mode_for(job.output), job.overwrite),
      groups_file_(groups_path_of(file_.path()), base::kGroupsMark, base::mode_for(job.output)) {
  if (!keeps()) return;
  using What = store::ReduceCheckpointFile::What;
  const bool named = !job.checkpoint_file.empty();
  if (named) check_reduce_files(job, facts);
  auto before = file_.find();
  if (job.overwrite) return;
  if (before.what == What::other) {
    throw base::usage_error("{}{}: is no checkpoint of a reduction; --overwrite replaces it",
                            named ? "--checkpoint-file " : "", file_.path());
  }
  left_ = before.what != What::nothing;
  if (before.what == What::damaged) discard("is damaged or of another version");
  if (before.what == What::checkpoint) take_over(std::move(before.checkpoint));
}

ReduceCheckpoints::~ReduceCheckpoints() = default;

void ReduceCheckpoints::take_over(store::ReduceCheckpoint before) {
  if (before.job != job_) {
    throw base::usage_error("{}: is of another reduction; --overwrite replaces it", file_.path());
  }
  if (before.version != base::version_and_commit()) {
    return discard(fmt::format("was written by tessera {}", before.version));
  }
  if (before.inputs != inputs_) {
    return discard(
        fmt::format("{} has changed since it was written", changed_file(before.inputs, inputs_)));
  }
  may_replace_ = before.may_replace;
  found_ = std::move(before);
}

void ReduceCheckpoints::adopt(store::ReduceCheckpoint found) {
  if (found.inputs != inputs_) {
    throw base::usage_error("{} has changed since a part of it was reduced",
                            changed_file(found.inputs, inputs_));
  }
  found_ = std::move(found);
}

void ReduceCheckpoints::discard(const std::string& why) {
  found_.reset();
  base::log("{}: {}: {}; restarts from scratch", command_, base::printable(file_.path()),
            base::printable(why));
}

store::ReduceCheckpoint ReduceCheckpoints::blank(std::uint64_t slice_bytes) const {
  return {.version = base::version_and_commit(),
          .job = job_,
          .inputs = inputs_,
          .may_replace = may_replace_,
          .slice_bytes = slice_bytes};
}

void ReduceCheckpoints::begin(std::function<store::ReduceCheckpoint()> take) {
  take_ = std::move(take);
  if (!begun_ && !found_ && (from_the_start_ || file_.there())) begin_file();
  begun_ = true;
  if (!keeps()) return;
  // Passes may be shorter than the interval.
  const std::chrono::seconds interval(interval_s_);
  const auto since = base::Clock::now() - saved_at_;
  if (since >= interval) save_or_tell();
  timer_ = std::make_unique<base::PeriodicTask>([this] { save_or_tell(); }, interval,
                                                since >= interval ? interval : interval - since);
}

void ReduceCheckpoints::begin_file() {
  const store::ReduceCheckpoint blank = take_();
  try {
    file_.save_blank(blank);
  } catch (const base::FileError& error) {
    // A full disk may get free space later. Other errors (a bad path, missing permission, another
    // run) are permanent.
    if (!error.no_room()) throw;
    file_.remove();
    if (base::exists(file_.path())) throw;
    tell(error);
  }
}

void ReduceCheckpoints::tell(const std::exception& error) {
  if (!told_) {
    base::log("{}: no checkpoint for now: {}", command_, base::printable(error.what()));
  }
  told_ = true;
}

void ReduceCheckpoints::save(const store::ReduceCheckpoint& state) {
  if (!keeps()) return;
  try {
    file_.save(state);
    saved_at_ = base::Clock::now();
    worth_keeping_ = true;
  } catch (const std::exception& error) {
    tell(error);
  }
}

void ReduceCheckpoints::save_or_tell() {
  try {
    const store::ReduceCheckpoint now = take_();
    if (holds_work(now)) save(now);
  } catch (const std::exception& error) {
    tell(error);
  }
}

std::string ReduceCheckpoints::end(base::ExitCode code) {
  timer_.reset();
  const auto take = std::exchange(take_, nullptr);
  if (code == base::ExitCode::done || !take || !keeps()) return "";
  worth_keeping_ |= found_ && holds_work(*found_);
  try {
    const store::ReduceCheckpoint last = take();
    // A run that fails before its first periodic save leaves no file.
    const bool stopped = code == base::ExitCode::stopped;
    if (!worth_keeping_ && !(stopped && holds_work(last))) {
      remove();
      return "";
    }
    file_.save(last);
  } catch (const std::exception& error) {
    if (!worth_keeping_) return fmt::format("; nothing is kept: {}", error.what());
  }
  return fmt::format("; run the same command to resume from {}", file_.path());
}

void ReduceCheckpoints::remove() noexcept {
  file_.remove();  // it refers to the other one
  groups_file_.remove();
}

}  // namespace tessera::reduce
