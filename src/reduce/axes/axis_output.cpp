#include "reduce/axes/axis_output.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>
#include <tuple>
#include <vector>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/file/posix_file.hpp"
#include "base/text.hpp"
#include "comm/broadcast_value.hpp"
#include "reduce/axes/axis_files.hpp"
#include "reduce/reduce_files.hpp"
#include "store/arrays/hdf5_addition.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {
namespace {

/// The files of one disk need room together. Chunks may be small.
void check_space(const AxisReduction& task) {
  std::vector<std::uint64_t> needed(task.files.size());
  const std::vector<store::WrittenArray>& arrays = task.arrays;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (arrays[i].chunk.empty()) needed[task.place_of(i).file] += store::bytes_each(arrays[i], 0);
  }
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    // A copy of the whole file, and the arrays once more.
    if (!joins_file(task, file) || !base::exists(task.files[file])) continue;
    needed[file] = 2 * needed[file] + base::stamp_of(task.files[file]).bytes;
  }
  std::uint64_t sum = 0;
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    const std::string folder = base::existing_folder_of(base::target_of(task.files[file]));
    const bool alike = folder == base::existing_folder_of(base::target_of(task.files.front()));
    sum = alike ? sum + needed[file] : needed[file];
    std::error_code error;
    const auto space = std::filesystem::space(folder, error);
    if (error || space.available >= sum) continue;
    const auto [free, least] = base::format_different_bytes(static_cast<double>(space.available),
                                                            static_cast<double>(sum));
    throw base::usage_error("--output {}: {} free on that disk, the file needs {}",
                            task.files[file], free, least);
  }
}

/// A run that ended while it renamed its files has finished some of them. They become unfinished
/// again, so that all can be resumed.
void take_back(const AxisReduction& task, const ReduceCheckpoints& checkpoints) {
  if (task.files.size() == 1) return;
  for (const std::string& path : task.files) {
    if (base::exists(store::unfinished_path(path))) continue;
    if (find_finished(path, checkpoints.identity())) store::take_back_output(path);
  }
}

/// The gather rank's files, for ranks that write their results by themselves.
struct OutputPlace {
  std::string host;
  std::vector<base::FileIdentity> files;
  std::vector<std::vector<std::uint64_t>> offsets;  ///< by file

  static auto members(auto& self) { return std::tie(self.host, self.files, self.offsets); }
};

/// The number of the first array in the file.
std::size_t first_array(const AxisReduction& task, std::size_t file) {
  return task.files.size() == 1 ? 0 : file;
}

/// Opens the files without chunks. Nothing if they are not those of the gather rank.
std::vector<std::shared_ptr<store::PlacedArrays>> open_placed(const AxisReduction& task,
                                                              const OutputPlace& place) {
  std::vector<std::shared_ptr<store::PlacedArrays>> placed(task.files.size());
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    const std::size_t first = first_array(task, file);
    if (task.in_chunks(first)) continue;
    const std::string part = base::part_path(task.files[file]);
    if (!base::exists(part) || base::identity_of(part) != place.files[file]) return {};
    const std::vector<store::WrittenArray> arrays = arrays_in(task, file);
    placed[file] = std::make_shared<store::PlacedArrays>(
        store::element_files(task.files[file], arrays), arrays, place.offsets[file]);
  }
  return placed;
}

/// The files of the job.
class FilesOutput : public AxisOutput {
 public:
  std::optional<FinishedOutput> check(const AxisReduction& task,
                                      const ReduceCheckpoints& checkpoints) const override;
  std::optional<FinishedOutput> open(const AxisReduction& task,
                                     ReduceCheckpoints& checkpoints) override;
  /// Ranks of the gather rank's host open its files too: one sync is enough for what all of them
  /// write.
  void share(comm::World& world, AxisReduction& task) const override;
  void keep() override { files_->keep(); }
  void finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints) override;

 private:
  /// Throws base::NameTaken if another run has finished the output since check() and it may not be
  /// replaced.
  void open_files(const AxisReduction& task, ReduceCheckpoints& checkpoints);
  bool resume(const AxisReduction& task, const store::ReduceCheckpoint& found);
  void create(const AxisReduction& task, const ReduceCheckpoints& checkpoints);
  void check_names(const AxisReduction& task, bool holds_work);

  std::unique_ptr<AxisFiles> files_;
};

/// The sink of the calling program.
class CallerOutput : public AxisOutput, private AxisTarget {
 public:
  explicit CallerOutput(ArraySink& to) : to_(to) {}
  std::optional<FinishedOutput> open(const AxisReduction& task,
                                     ReduceCheckpoints& /*checkpoints*/) override {
    to_.begin(task.arrays);
    sink_.emplace(task, static_cast<AxisTarget&>(*this));
    return std::nullopt;
  }
  /// Threads of the gather rank write what they map.
  void share(comm::World& world, AxisReduction& task) const override {
    if (world.is_root() && task.ranks_may_write) task.direct = &to_;
  }
  void finish(const AxisReduction& /*task*/, const ReduceCheckpoints& /*checkpoints*/) override {
    to_.finish();
  }

 private:
  std::uint32_t write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
                      std::span<const std::byte> elements, std::uint32_t /*checksum*/) override {
    to_.write(array, box, order, elements);
    return 0;
  }
  std::uint32_t write_chunk(std::size_t /*array*/, const plan::Shape& /*origin*/,
                            std::span<const std::byte> /*bytes*/, std::uint32_t /*filter_mask*/,
                            std::uint32_t /*checksum*/) override {
    throw std::logic_error("a chunk for memory");
  }
  std::uint32_t read_checksum(std::size_t /*array*/, const plan::Box& /*box*/,
                              std::uint32_t /*checksum*/) const override {
    return 0;
  }

  ArraySink& to_;
};

/// An array with a name joins others in an HDF5 file only; nothing else in a folder is replaced.
void check_not_joined(const AxisReduction& task, std::size_t file, bool is_fine) {
  const std::string& path = task.files[file];
  if (is_fine || joins_file(task, file) || !names_dataset(task, file)) return;
  throw base::usage_error(
      "--output {}: is there already, and no array is added to a Zarr folder; give another name",
      path);
}

std::optional<FinishedOutput> FilesOutput::check(const AxisReduction& task,
                                                 const ReduceCheckpoints& checkpoints) const {
  std::optional<FinishedOutput> finished;
  bool all = !task.job->overwrite;
  std::vector<bool> may_replace;
  for (const std::string& path : task.files) {
    const auto found = find_finished(path, checkpoints.identity());
    all &= found.has_value();
    finished = found;
    may_replace.push_back(checkpoints.may_replace() || (found && checkpoints.found()));
  }
  if (!all) finished.reset();
  for (std::size_t file = 0; file < task.files.size(); ++file) {
    const std::string& path = task.files[file];
    check_not_joined(task, file, finished || !base::exists(path));
    store::check_array_output(path, "--output", finished || may_replace[file]);
    if (joins_file(task, file)) store::joins_others(path, arrays_in(task, file));
  }
  check_reduce_files(*task.job, *task.facts);
  if (!task.job->overwrite) std::ranges::for_each(task.files, check_note);
  if (!finished) check_space(task);
  return finished;
}

bool FilesOutput::resume(const AxisReduction& task, const store::ReduceCheckpoint& found) {
  const auto layouts = base::from_bytes<AxisState>(found.partial).layouts;
  if (!AxisFiles::can_resume(task, layouts)) return false;
  files_ = std::make_unique<AxisFiles>(task, layouts);
  sink_.emplace(task, *files_);
  return sink_->resume(found);
}

void FilesOutput::create(const AxisReduction& task, const ReduceCheckpoints& checkpoints) {
  files_.reset();
  files_ = std::make_unique<AxisFiles>(task, checkpoints.left_over());
  sink_.emplace(task, *files_);
}

/// Called with the locks of the .part files held: another run may have finished the output since
/// check_axis_output(), but cannot finish it from now on.
void FilesOutput::check_names(const AxisReduction& task, bool holds_work) {
  const auto taken = std::ranges::find_if(task.files, base::exists);
  if (taken == task.files.end()) return;
  if (holds_work) files_->keep();
  sink_.reset();
  files_.reset();
  throw base::NameTaken(*taken);
}

std::optional<FinishedOutput> FilesOutput::open(const AxisReduction& task,
                                                ReduceCheckpoints& checkpoints) {
  try {
    open_files(task, checkpoints);
    return std::nullopt;
  } catch (const base::NameTaken&) {
    auto finished = check(task, checkpoints);
    if (!finished) throw;
    return finished;
  }
}

void FilesOutput::open_files(const AxisReduction& task, ReduceCheckpoints& checkpoints) {
  const auto& found = checkpoints.found();
  if (found) take_back(task, checkpoints);
  if (found && !resume(task, *found)) {
    checkpoints.discard(base::part_path(task.job->output) + " has changed since it was written");
  }
  if (!found) create(task, checkpoints);
  if (!checkpoints.may_replace()) check_names(task, found.has_value());
}

void FilesOutput::finish(const AxisReduction& task, const ReduceCheckpoints& checkpoints) {
  files_->keep();
  files_->complete();  // the notes have the last sizes and times of the files
  // A later run could not detect a change of files that INPUT only refers to.
  if (!task.source->info().refers_elsewhere && !reads_memory(*task.facts)) {
    for (std::size_t file = 0; file < task.files.size(); ++file) {
      try_to_note(task.facts->command, task.files[file], files_->made(file), checkpoints.identity(),
                  {sink_->specials(), task.items.count()});
    }
  }
  files_->finish(checkpoints.may_replace() ? base::Replace::what_is_there : base::Replace::nothing);
}

void FilesOutput::share(comm::World& world, AxisReduction& task) const {
  if (!task.ranks_may_write) return;
  OutputPlace place;
  if (world.is_root()) {
    place.host = world.host();
    for (std::size_t file = 0; file < task.files.size(); ++file) {
      place.files.push_back(files_->writer(file).identity());
      place.offsets.push_back(files_->writer(file).layout().offsets);
    }
  }
  place = comm::broadcast_value(world, place);
  if (world.host() != place.host) return;
  try {
    task.placed = open_placed(task, place);
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): the rank sends its results
  }
}

}  // namespace

std::unique_ptr<AxisOutput> make_output(ArraySink* sink) {
  if (sink != nullptr) return std::make_unique<CallerOutput>(*sink);
  return std::make_unique<FilesOutput>();
}

}  // namespace tessera::reduce
