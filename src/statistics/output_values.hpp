// From the partial results of a tile to the numbers that a file holds.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "statistics/group_partials.hpp"
#include "statistics/operations.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::statistics {

/// An integer that its type does not hold.
struct Overflow {
  std::int64_t output = 0;
  std::string value;
};

/// The answers of all outputs one behind the other into `to`, which has the size that they need.
/// Returns the first one that does not fit, if there is one.
std::optional<Overflow> write_answers(const AnswerType& result, const OutputSpec& output_spec,
                                      const OutputPartials& all, std::int64_t ddof,
                                      std::span<std::byte> to);

/// One value in the type of the result. False if it does not fit.
bool put_value(const Value& value, const AnswerType& result, std::byte* to);
/// The same about groups; of an operation with two values only the one with the number `which`.
std::optional<Overflow> write_group_answers(const AnswerType& result, std::size_t which,
                                            const GroupSpec& group_spec, const GroupPartials& all,
                                            GroupSpan groups, std::int64_t ddof,
                                            std::span<std::byte> to);

}  // namespace tessera::statistics
