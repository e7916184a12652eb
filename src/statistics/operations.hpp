// The table of operations: a row contains the meaning of an operation of `tessera reduce`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "kernels/exact/moments.hpp"
#include "statistics/answers.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

/// Types of the answers in an output file of --axis.
enum class ResultType {
  real,       ///< f64
  total,      ///< f64; of integers i64, of unsigned ones u64
  magnitude,  ///< f64; of integers u64
  element,    ///< that of the array, of f16 f32
  index,      ///< i64: which element
  count,      ///< i64
  boolean,    ///< false or true
  bins,       ///< i64 for each bin
  quantile,   ///< f64, or the element that the method picks
  top,        ///< the type of the array for each of K
  top_index   ///< i64 for each of K
};

/// A flag of ReductionSpec.
using Component = bool ReductionSpec::*;

/// The components that an operation needs, and the answer that it makes of them.
struct OperationTraits {
  job::Operation operation = job::Operation::sum;
  std::array<Component, 4> needs{};  ///< null = none
  /// The component that an earlier pass needs, to find what the job leaves open; null = one pass.
  Component first_pass = nullptr;
  std::string_view of_nothing{};  ///< the answer of no elements; "" = an error
  ResultType type = ResultType::real;
  /// One value, or two. None for bins and for order statistics, which a Partial does not have.
  std::array<Value (Answers::*)() const, 2> answers{};
  /// The one value instead, if it follows from moments; NaN of no elements and of elements that are
  /// not finite.
  double (*of_moments)(const kernels::CentralMoments&) = nullptr;
};

/// In the order of job::Operation.
std::span<const OperationTraits> meanings();
const OperationTraits& meaning_of(job::Operation operation);

/// The components that the last pass needs for these operations.
ReductionSpec spec_of(base::ElementType type, std::span<const job::Operation> operations,
                      job::NanPolicy nan);
/// Whether they need sums of third or higher powers.
bool need_powers(std::span<const job::Operation> operations);
/// The components that all passes of the job need.
ReductionSpec spec_of(base::ElementType type, const job::ReduceJob& job);

/// Passes over the array that are certain: 2 for a histogram without a range, otherwise 1. Order
/// statistics take more.
int passes_of(const job::ReduceJob& job);

/// Whether its answer follows from a Partial alone, so that partial results of parts of an array
/// merge to that of the whole.
bool merges(job::Operation operation);

/// Usage error for operations that have no answer for an empty array.
void check_defined_on_empty(std::span<const job::Operation> operations);

/// One value, two for minmax, none for a histogram. docs/reduce.md defines them, also for arrays
/// without elements and for elements that are all skipped.
std::vector<Value> answer(job::Operation operation, const Partial& all, const ReductionSpec& spec,
                          std::int64_t ddof);

/// The answer of an operation for each output.
struct AnswerType {
  job::Operation operation = job::Operation::sum;
  base::ElementType type = base::ElementType::f64;
  bool is_boolean = false;       ///< bools, 0 or 1 in a byte; `type` is u8
  bool in_words = false;         ///< a Value says "false" or "true"
  std::int64_t values_each = 1;  ///< 2 for minmax, the bins for a histogram
  bool is_list = false;          ///< they are a dimension of their own, even if there is one value

  std::size_t bytes_each() const {
    return base::element_bytes(type) * static_cast<std::size_t>(values_each);
  }
};
/// `is_boolean`: so are the elements of the array.
AnswerType result_of(job::Operation operation, base::ElementType type, const job::ReduceJob& job,
                     bool is_boolean = false);

}  // namespace tessera::statistics
