// The tables of kernels/functions for C++.
#pragma once

namespace tessera::kernels::functions {

// NOLINTNEXTLINE(bugprone-macro-parentheses): the argument is a name
#define TS_TABLE(name, count) alignas(64) inline constexpr double name[count]
#include "kernels/functions/tables.h"
#undef TS_TABLE

}  // namespace tessera::kernels::functions
