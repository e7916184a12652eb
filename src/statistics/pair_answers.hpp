// Answers from sums over pairs of numbers: weighted statistics, and those of two arrays.
#pragma once

#include <cstdint>

#include "statistics/operations.hpp"

namespace tessera::statistics {

/// The components of the pairs of the job, which has them (job::pairing_of()).
ReductionSpec pair_spec(const job::ReduceJob& job);

/// Each is the exact value of its definition (docs/reduce.md), rounded once.
Value pair_answer(job::Operation operation, const Partial& all, const ReductionSpec& spec,
                  std::int64_t ddof);

}  // namespace tessera::statistics
