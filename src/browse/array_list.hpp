// The arrays that may be looked at: those of the named files, and of the files of named folders.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "browse/open_array.hpp"
#include "job/arrays/array_input.hpp"

namespace tessera::browse {

/// The arguments of `serve`. A folder is in both lists, unless it is an array (Zarr).
struct SortedInputs {
  std::vector<std::string> images;  ///< and everything that is no array
  std::vector<std::string> arrays;
};
SortedInputs sort_inputs(const std::vector<std::string>& inputs);

struct ListedArray {
  std::string name;
  job::ArrayInput input;
};

/// The arrays that have numbers. Throws the errors of files that are named and hold none.
std::vector<ListedArray> list_arrays(const std::vector<std::string>& inputs);

/// Arrays by their number in the list; few of them stay open. Any thread may use it.
class ArrayList {
 public:
  /// Calls changed() once a file is not what it was: whoever keeps arrays should let them go, since
  /// HDF5 shows one state of an open file.
  ArrayList(std::vector<ListedArray> arrays, std::size_t cache_bytes,
            std::function<void()> changed);

  const std::vector<ListedArray>& all() const { return arrays_; }
  /// The array, or its difference to another one of the list. Throws HttpError 404 for unknown
  /// numbers and 400, with the reason, for what cannot be opened. A file that has changed is opened
  /// again.
  std::shared_ptr<OpenArray> open(std::int64_t id, std::optional<std::int64_t> minus = {});

 private:
  std::string status_of(const job::ArrayJob& job);
  job::ArrayJob job_of(std::int64_t id, std::optional<std::int64_t> minus) const;
  const ListedArray& at(std::int64_t id) const;

  std::vector<ListedArray> arrays_;
  std::size_t max_chunk_;
  std::shared_ptr<ArrayChunks> chunks_;
  std::function<void()> changed_;
  base::LruCache<std::tuple<std::int64_t, std::int64_t, std::string>, OpenArray> open_;
  std::mutex mutex_;
  std::map<std::string, std::string> statuses_;  ///< of files when they were looked at last
};

}  // namespace tessera::browse
