// The names of the columns of a table of groups: no two are equal, whatever the keys are called.
#pragma once

#include <string>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// The columns of the results of an operation: "sum"; "minmax_min", "minmax_max"; "quantile_0.25",
/// "topk_1" and so on.
std::vector<std::string> result_columns(job::Operation operation, const job::ReduceJob& job);

/// The names that are taken before any key has its own: "count" and the columns of all results.
std::vector<std::string> taken_columns(const job::ReduceJob& job);

/// The columns of a key with this name, which has bins or not.
std::vector<std::string> key_columns(const std::string& name, bool has_bins);

/// The name of the key with the index `number`: that of its file, without the suffix, or of its
/// dataset; with "_keyN" behind it, as often as it takes, if a column is `taken`. Adds its columns
/// to `taken`.
std::string name_key(const job::ArrayInput& input, const store::ArrayInfo& info, std::size_t number,
                     bool has_bins, std::vector<std::string>& taken);

}  // namespace tessera::reduce
