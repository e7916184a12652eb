// Evaluates programs over arrays in memory.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>

#include "expression/program.hpp"
#include "expression/region.hpp"

namespace tessera::expression {

/// Not thread-safe: one per worker thread.
class Evaluator {
 public:
  virtual ~Evaluator() = default;
  /// Writes `count` elements of type element_of(program.type) of each program to one of `results`.
  /// `inputs` points at as many elements of each array, which need no alignment; those that no
  /// program uses may be null. `region` says where they are in the array. Elements that are not a
  /// number differ in their bits from one evaluator and one machine to the next.
  virtual void evaluate(std::span<const std::byte* const> inputs, const Region& region,
                        std::size_t count, std::span<std::byte* const> results) = 0;
  /// Evaluates one program without memory for all elements: take(number of the first, elements)
  /// gets one block after the other, while it is in the first cache.
  using Take = std::function<void(std::size_t first, std::span<const std::byte> elements)>;
  virtual void visit(std::span<const std::byte* const> inputs, const Region& region,
                     std::size_t count, const Take& take) = 0;
  /// Evaluates one program.
  void evaluate(std::span<const std::byte* const> inputs, const Region& region, std::size_t count,
                std::byte* results) {
    evaluate(inputs, region, count, std::span(&results, 1));
  }
};

/// Element by element: the definition of the results.
std::unique_ptr<Evaluator> make_plain_evaluator(std::span<const Program> programs);
/// By blocks that stay in the first cache, for the best instruction set of this machine. Computes
/// what the programs have in common once.
std::unique_ptr<Evaluator> make_block_evaluator(std::span<const Program> programs);

inline std::unique_ptr<Evaluator> make_plain_evaluator(const Program& program) {
  return make_plain_evaluator(std::span(&program, 1));
}
inline std::unique_ptr<Evaluator> make_block_evaluator(const Program& program) {
  return make_block_evaluator(std::span(&program, 1));
}

/// Replaces each NaN of a real type by one that is the same everywhere.
void make_nans_equal(Type type, std::span<std::byte> elements);

}  // namespace tessera::expression
