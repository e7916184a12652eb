// The operations on one element at a time: what --device reference computes, and what is folded
// before a program runs.
#pragma once

#include <cstdint>
#include <cstring>

#include "expression/program.hpp"

namespace tessera::expression {

/// The bytes of an element, in the first bytes.
using Cell = std::uint64_t;

template <class T>
T value_in(const Cell& cell) {
  T value;
  std::memcpy(&value, &cell, sizeof(T));
  return value;
}

template <class T>
Cell cell_of(T value) {
  Cell cell = 0;
  std::memcpy(&cell, &value, sizeof(T));
  return cell;
}

/// `arguments` points at as many cells as the operation has arguments.
using ScalarOperation = Cell (*)(const Cell* arguments);

/// Not for inputs, constants, indices and functions.
ScalarOperation scalar_operation(const Node& node);

/// The result of a node that is no input, constant or index.
Cell compute(const Node& node, const Cell* arguments);

}  // namespace tessera::expression
