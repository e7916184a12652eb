// An array whose elements along one axis are sorted into groups: --by KEYS with --axis.
#pragma once

#include <memory>

#include "job/arrays/reduce_job.hpp"
#include "store/arrays/array_source.hpp"
#include "store/arrays/written_array.hpp"

namespace tessera::reduce {

/// The shape is groups × that of `x`, with as many elements along the axis as the largest group
/// has. Where a group has fewer, elements are missing. Integers become f8.
class RegroupedArray : public store::ArraySource {
 public:
  virtual const store::WrittenScale& scale() const = 0;
};

/// `x` is an array, or one of pairs. Throws usage errors for keys that do not lie along one of the
/// job's axes, for operations without an answer, and for groups of too different sizes.
std::unique_ptr<RegroupedArray> open_regrouped(const job::ReduceJob& job,
                                               std::unique_ptr<store::ArraySource> x);

}  // namespace tessera::reduce
