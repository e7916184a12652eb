// Evaluates a program over arrays in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "expression/program.hpp"
#include "expression/region.hpp"

namespace tessera::expression {

/// Not thread-safe: one per worker thread.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Writes `count` elements of type element_of(program.type) to `results`. `inputs` points at as
  /// many elements of each array, which need no alignment; those that the program does not use may
  /// be null. `region` says where they are in the array. Elements that are not a number differ in
  /// their bits from one evaluator and one machine to the next.
  virtual void evaluate(std::span<const std::byte* const> inputs, const Region& region,
                        std::size_t count, std::byte* results) = 0;
};

/// Element by element: the definition of the result.
std::unique_ptr<Evaluator> make_plain_evaluator(const Program& program);
/// By blocks that stay in the first cache, for the best instruction set of this machine.
std::unique_ptr<Evaluator> make_block_evaluator(const Program& program);

/// Replaces each NaN of a real type by one that is the same everywhere.
void make_nans_equal(Type type, std::span<std::byte> elements);

}  // namespace tessera::expression
