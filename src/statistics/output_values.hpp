// From the partial results of a tile to the numbers that a file holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "job/reduce_job.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::statistics {

/// What an operation makes of each output.
struct AnswerType {
  job::Operation operation = job::Operation::sum;
  base::ElementType type = base::ElementType::f64;
  bool truth = false;            ///< false or true, in a byte each; `type` is u8
  std::int64_t values_each = 1;  ///< of minmax two, of a histogram its bins

  std::size_t bytes_each() const {
    return base::element_bytes(type) * static_cast<std::size_t>(values_each);
  }
};
AnswerType result_of(job::Operation operation, base::ElementType type, const job::ReduceJob& job);

/// An integer that its type does not hold.
struct Misfit {
  std::int64_t output = 0;
  std::string value;
};

/// The answers of all outputs one behind the other into `to`, which has the size that they need.
/// Returns the first one that does not fit, if there is one.
std::optional<Misfit> write_answers(const AnswerType& result, const OutputSpec& output_spec,
                                    const OutputPartials& all, const job::ReduceJob& job,
                                    std::span<std::byte> to);

}  // namespace tessera::statistics
