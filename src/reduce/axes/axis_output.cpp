#include "reduce/axes/axis_output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "reduce/reduce_files.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {
namespace {

void check_space(const AxisReduction& task) {
  const job::ReduceJob& job = *task.job;
  std::error_code error;
  const auto space = std::filesystem::space(base::existing_folder_of(job.output), error);
  const double least =
      static_cast<double>(task.plan.output_count()) * static_cast<double>(task.answer_bytes());
  if (!error && static_cast<double>(space.available) < least) {
    const auto [free, needed] =
        base::format_different_bytes(static_cast<double>(space.available), least);
    throw base::usage_error("--output {}: {} free on that disk, the file needs {}", job.output,
                            free, needed);
  }
}

}  // namespace

std::vector<store::WrittenArray> arrays_of(const AxisReduction& task) {
  if (!task.arrays.empty()) return task.arrays;
  std::vector<store::WrittenArray> arrays;
  for (const statistics::AnswerType& result : task.results) {
    store::WrittenArray array{.name = std::string(job::operation_name(result.operation)),
                              .type = result.type,
                              .is_boolean = result.is_boolean,
                              .shape = task.plan.outputs()};
    if (result.is_list) array.shape.push_back(result.values_each);
    if (result.operation == job::Operation::histogram) {
      const std::span edges = task.output_spec.bins->edges();
      array.edges = {edges.begin(), edges.end()};
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

std::optional<FinishedOutput> check_axis_output(const AxisReduction& task,
                                                const ReduceCheckpoints& checkpoints) {
  std::optional<FinishedOutput> finished;
  if (!task.job->overwrite) finished = find_finished(task.job->output, checkpoints.identity());
  store::check_output(task.job->output, "--output", finished || checkpoints.may_replace());
  check_reduce_files(*task.job);
  if (!task.job->overwrite) check_note(task.job->output);
  if (!finished) check_space(task);
  return finished;
}

bool AxisOutput::go_on(const AxisReduction& task, const store::ReduceCheckpoint& found) {
  const std::string& path = task.job->output;
  const auto layout = base::from_bytes<AxisState>(found.partial).layout;
  if (!store::ArrayWriter::can_resume(path, arrays_of(task), layout)) return false;
  writer_ = std::make_unique<store::ArrayWriter>(path, arrays_of(task), layout);
  sink_.emplace(task, *writer_);
  return sink_->go_on(found);
}

void AxisOutput::create(const AxisReduction& task) {
  writer_.reset();
  writer_ = std::make_unique<store::ArrayWriter>(
      task.job->output, arrays_of(task),
      result_attributes(*task.job, task.job->mapped.empty() ? "tessera-reduction" : "tessera-map"));
  sink_.emplace(task, *writer_);
}

/// Called with the lock of the .part file held: another run may have finished the output since
/// check_axis_output(), but cannot finish it from now on.
void AxisOutput::check_name(const std::string& path, bool holds_work) {
  if (!base::exists(path)) return;
  if (holds_work) writer_->keep();
  sink_.reset();
  writer_.reset();
  throw base::NameTaken(path);
}

void AxisOutput::open(const AxisReduction& task, ReduceCheckpoints& checkpoints) {
  const auto& found = checkpoints.found();
  if (found && !go_on(task, *found)) {
    checkpoints.discard(base::part_path(task.job->output) + " is not what it was");
  }
  if (!found) create(task);
  if (!checkpoints.may_replace()) check_name(task.job->output, found.has_value());
}

void AxisOutput::finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints) {
  const std::string& path = task.job->output;
  writer_->keep();
  writer_->sync();
  // A later run could not detect a change of files that INPUT only refers to.
  if (!task.source->info().refers_elsewhere) {
    try {
      write_done_note(path, base::part_path(path), checkpoints.identity(),
                      {sink_->specials(), task.items.count()});
    } catch (const base::Error& error) {
      fmt::print(stderr, "{}: the same command will not know that it is done: {}\n",
                 task.job->command(), base::printable(error.what()));
    }
  }
  writer_->finish(checkpoints.may_replace() ? base::Replace::what_is_there
                                            : base::Replace::nothing);
}

}  // namespace tessera::reduce
