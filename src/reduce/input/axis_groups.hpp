// The groups of --by KEYS with --axis: where along the axis their elements are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/written_array.hpp"

namespace tessera::reduce {

/// The groups along an axis: of each the positions there, in order.
struct AxisGroups {
  std::size_t axis = 0;
  std::vector<std::vector<std::int64_t>> positions;
  store::WrittenScale scale;  ///< name and keys; of bins their lower edges

  std::int64_t largest() const;  ///< elements of the largest group
};

/// Reads the keys. Throws usage errors for keys that do not lie along one of the job's axes, and
/// for groups of too different sizes.
AxisGroups find_groups(const job::ReduceJob& job, const store::ArraySource& x);

/// The option, for messages.
std::string by_text(const job::ReduceJob& job);

}  // namespace tessera::reduce
