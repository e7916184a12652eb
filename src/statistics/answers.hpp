// From the partial result of a whole array to the number that was asked for.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "job/reduce_job.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

ReductionSpec spec_of(base::ElementType type, std::span<const job::Operation> operations,
                      job::NanPolicy nan);

/// Usage error for min, max, argmin, argmax and minmax: of no elements they say nothing.
void check_answers_of_nothing(std::span<const job::Operation> operations);

/// The least and the greatest element as f64, NaN left out; there must be others, and the spec must
/// have asked for extremes.
std::pair<double, double> range_of(const Partial& all, base::ElementType type);

struct Value {
  std::string text;            ///< decimal, true or false; of an f64 one that reads back to it
  std::optional<double> real;  ///< of an f64
};

/// The sum of the products with the other array, which is an integer if both hold integers.
Value dot_product(const Partial& all, const ReductionSpec& spec);

/// One value; of minmax two. docs/reduce.md says what each is, also where nothing is left after
/// skipping.
std::vector<Value> answer(job::Operation operation, const Partial& all, base::ElementType type,
                          const job::ReduceJob& job);

}  // namespace tessera::statistics
