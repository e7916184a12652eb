#include "browse/array_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "store/arrays/array_formats.hpp"
#include "store/formats/path_head.hpp"
#include "store/hdf5/contents.hpp"
#include "view/http/target.hpp"

namespace tessera::browse {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxOpen = 64;
/// A chunk takes at most this part of the cache.
constexpr std::size_t kMaxChunkPart = 4;

bool is_hdf5(const store::ArrayDriver& driver) {
  return driver.name == "HDF5";
}

/// A rendered image, or an HDF5 file that cannot be listed: the list of images knows what it is.
bool is_image(const std::string& path) {
  try {
    return store::list_hdf5(path).is_image;
  } catch (const base::Error&) {
    return true;
  }
}

bool has_arrays(const std::string& path) {
  const store::PathHead head(path);
  const store::ArrayDriver* const driver = store::driver_of(head);
  return driver != nullptr && !(is_hdf5(*driver) && is_image(path));
}

/// A path with a dataset, a slice or a pattern behind it.
bool has_tail(const std::string& text) {
  return text.find_first_of(":?*[") != std::string::npos;
}

void add_hdf5(const std::string& path, std::vector<ListedArray>& to) {
  for (const store::Hdf5DatasetSummary& dataset : store::list_hdf5(path).datasets) {
    if (!dataset.type || !dataset.problem.empty() || dataset.shape.empty()) continue;
    to.push_back({fmt::format("{}:{}", path, dataset.input.dataset), dataset.input});
  }
}

void add_file(const std::string& path, std::vector<ListedArray>& to) {
  const store::PathHead head(path);
  const store::ArrayDriver* const driver = store::driver_of(head);
  if (driver == nullptr) return;
  if (is_hdf5(*driver)) return add_hdf5(path, to);
  if (driver->list == nullptr || driver->list(path) == std::vector<std::string>{"/"}) {
    to.push_back({path, {.text = base::printable(path), .path = path}});
    return;
  }
  for (const std::string& name : driver->list(path)) {
    const std::string text = fmt::format("{}:{}", path, name);
    to.push_back(
        {text, {.text = base::printable(text), .path = path, .dataset = name, .tail = ":" + name}});
  }
}

/// Files that hold no array are passed over.
void add_folder(const std::string& folder, std::vector<ListedArray>& to) {
  std::vector<std::string> paths;
  std::error_code gone;
  for (const auto& file : fs::directory_iterator(folder, gone)) {
    paths.push_back(file.path().lexically_normal().string());
  }
  std::ranges::sort(
      paths, {}, [](const std::string& path) { return std::pair(base::natural_key(path), path); });
  for (const std::string& path : paths) {
    try {
      if (has_arrays(path)) add_file(path, to);
    } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): it is not named
    }
  }
}

}  // namespace

SortedInputs sort_inputs(const std::vector<std::string>& inputs) {
  SortedInputs sorted;
  for (const std::string& input : inputs) {
    const bool is_there = fs::exists(input);
    const bool is_array = is_there ? has_arrays(input) : has_tail(input);
    if (is_array || fs::is_directory(input)) sorted.arrays.push_back(input);
    if (!is_array) sorted.images.push_back(input);
  }
  return sorted;
}

std::vector<ListedArray> list_arrays(const std::vector<std::string>& inputs) {
  std::vector<ListedArray> arrays;
  for (const std::string& input : inputs) {
    if (!fs::exists(input)) {
      arrays.push_back({input, job::parse_array_input(input)});
    } else if (has_arrays(input)) {
      const std::size_t before = arrays.size();
      add_file(input, arrays);
      if (arrays.size() == before) {
        throw base::usage_error("{}: holds no array of numbers; `tessera info` lists what it has",
                                input);
      }
    } else {
      add_folder(input, arrays);
    }
  }
  return arrays;
}

ArrayList::ArrayList(std::vector<ListedArray> arrays, std::size_t cache_bytes,
                     std::function<void()> changed)
    : arrays_(std::move(arrays)),
      max_chunk_(cache_bytes / kMaxChunkPart),
      chunks_(std::make_shared<ArrayChunks>(
          cache_bytes, [](const base::Bytes& elements) { return elements.size(); })),
      changed_(std::move(changed)),
      open_(kMaxOpen) {}

/// Of the files of the job. What was open lets go of a file that has changed.
std::string ArrayList::status_of(const job::ArrayJob& job) {
  std::string all;
  bool is_new = false;
  {
    const std::scoped_lock lock(mutex_);
    for (const job::ArrayInput& input : job.inputs) {
      const std::string status = base::describe_status(input.path);
      std::string& known = statuses_.try_emplace(input.path, status).first->second;
      is_new = is_new || known != status;
      known = status;
      all += status + "\n";
    }
  }
  if (is_new) {
    open_.clear();
    changed_();
  }
  return all;
}

const ListedArray& ArrayList::at(std::int64_t id) const {
  if (id >= 0 && id < std::ssize(arrays_)) return arrays_[static_cast<std::size_t>(id)];
  throw view::HttpError(404, "there is no such array");
}

job::ArrayJob ArrayList::job_of(std::int64_t id, std::optional<std::int64_t> minus) const {
  job::ArrayJob job;
  job.inputs = {at(id).input};
  if (!minus) return job;
  job.inputs.push_back(at(*minus).input);
  job.map = "1.0 * a - b";  // unsigned integers would wrap
  job.names = {"a", "b"};
  for (job::ArrayInput& input : job.inputs) input.decoding.may_round = true;
  return job;
}

std::shared_ptr<OpenArray> ArrayList::open(std::int64_t id, std::optional<std::int64_t> minus) {
  const job::ArrayJob job = job_of(id, minus);
  try {
    return open_.get({id, minus.value_or(-1), status_of(job)},
                     [&] { return std::make_shared<OpenArray>(job, chunks_, max_chunk_); });
  } catch (const base::Error& error) {
    throw view::HttpError(400, base::printable(error.what()));
  }
}

}  // namespace tessera::browse
