// The table of operations: a row says what an operation of `tessera reduce` means. What it needs of
// a pass, checks, types and answers come from it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "job/reduce_job.hpp"
#include "statistics/answers.hpp"
#include "statistics/partial.hpp"

namespace tessera::statistics {

/// Types of answers, as a file of --axis holds them.
enum class ResultType {
  real,       ///< f64
  total,      ///< f64; of integers i64, of unsigned ones u64
  magnitude,  ///< f64; of integers u64
  element,    ///< that of the array, of f16 f32
  index,      ///< i64: which element
  count,      ///< i64
  truth,      ///< false or true
  bins        ///< i64 for each bin
};

/// A flag of ReductionSpec.
using Component = bool ReductionSpec::*;

struct Meaning {
  job::Operation operation = job::Operation::sum;
  std::array<Component, 2> needs{};  ///< of the partial result; null = nothing
  /// Of a pass before the one that answers, where the job does not say what it would find.
  Component first_pass = nullptr;
  std::string_view of_nothing{};  ///< the answer of no elements; "" = an error
  ResultType type = ResultType::real;
  /// One value, or two. Null for bins, which are no part of a partial result.
  std::array<Value (Answers::*)() const, 2> answers{};
};

/// In the order of job::Operation.
std::span<const Meaning> meanings();
const Meaning& meaning_of(job::Operation operation);

/// All that the operations need of the pass that answers them.
ReductionSpec spec_of(base::ElementType type, std::span<const job::Operation> operations,
                      job::NanPolicy nan);
/// The same of all passes of the job.
ReductionSpec spec_of(base::ElementType type, const job::ReduceJob& job);

/// Passes over the array: 2 for a histogram whose range is to be found, otherwise 1.
int passes_of(const job::ReduceJob& job);

/// Usage error for operations that have no answer of no elements.
void check_answers_of_nothing(std::span<const job::Operation> operations);

/// One value; of minmax two, of a histogram none. docs/reduce.md says what each is, also where
/// nothing is left after skipping.
std::vector<Value> answer(job::Operation operation, const Partial& all, const ReductionSpec& spec,
                          std::int64_t ddof);

/// What an operation makes of each output.
struct AnswerType {
  job::Operation operation = job::Operation::sum;
  base::ElementType type = base::ElementType::f64;
  bool truth = false;            ///< false or true, in a byte each; `type` is u8
  std::int64_t values_each = 1;  ///< of minmax two, of a histogram its bins
  bool is_list = false;          ///< they are a further dimension, also where there is one

  std::size_t bytes_each() const {
    return base::element_bytes(type) * static_cast<std::size_t>(values_each);
  }
};
AnswerType result_of(job::Operation operation, base::ElementType type, const job::ReduceJob& job);

}  // namespace tessera::statistics
