// Whole numbers that were written in an expression: exact, as Python's, within 64 bits.
#pragma once

#include <cstdint>
#include <string>

#include "expression/builder.hpp"
#include "expression/program.hpp"

namespace tessera::expression {

bool fits(Whole number, Type type);
std::string format_whole(Whole number);

/// The bits of a cell that an element of the type has.
std::uint64_t mask_of(Type type);

/// Throws a Mistake if the result is beyond 64 bits. Operations of one number ignore `y`.
Whole whole_result(Op op, Whole x, Whole y);
bool compare_whole(Op op, Whole x, Whole y);

}  // namespace tessera::expression
