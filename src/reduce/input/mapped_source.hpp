// Expressions of the same arrays, whose inputs can be read without evaluating them: once for
// several expressions, or for a device that evaluates them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "expression/evaluator.hpp"
#include "expression/program.hpp"
#include "expression/region.hpp"
#include "expression/steps.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

struct MappedExpression {
  expression::Program program;
  std::optional<expression::Steps> steps;  ///< for a device; nothing if it is too much for one
};

/// The array has the elements of the first expression.
class MappedSource : public store::ArraySource {
 public:
  virtual std::span<const MappedExpression> expressions() const = 0;
  /// The names and coordinates of the result's dimensions. Each dimension takes those of the first
  /// input that has a name and the full length there. Inputs that the expression uses come first.
  virtual std::vector<store::Dimension> dimensions_of(std::size_t expression) const = 0;
  /// All expressions together, for a device; nothing if that is too much for one, or there is one
  /// expression.
  virtual const std::optional<expression::Steps>& joined_steps() const = 0;
  /// An evaluator of some expressions together, by their numbers.
  virtual std::unique_ptr<expression::Evaluator> make_evaluator(
      std::span<const std::size_t> expressions) const = 0;
  /// The elements of a piece, as those of read(), block by block: take(number of the first in the
  /// piece, elements) gets each while it is in the first cache.
  virtual void visit_blocks(std::int64_t piece, const expression::Evaluator::Take& take) const = 0;
  /// The inputs that any of the expressions uses.
  virtual const std::vector<bool>& used_inputs() const = 0;
  /// The generated array that an input is, if elements of the expressions and of the input have the
  /// same indices; null for other inputs.
  virtual const job::ArrayInput* generated_input(std::size_t input) const = 0;

  /// `count` elements of each input, in the order of the array's, and where they are. Inputs that
  /// were not requested, or are not used, may be null.
  using Visit = std::function<void(std::span<const std::byte* const> inputs,
                                   const expression::Region& region, std::size_t count)>;
  /// Reads the inputs that are requested; those behind the end of `requested` are not. Throws as
  /// read() does.
  virtual void visit_piece(std::int64_t piece, const std::vector<bool>& requested,
                           const Visit& visit) const = 0;
  /// The same for a box, in C order or, if `in_order`, in that of read_box_in_order().
  virtual void visit_box(const plan::Box& box, bool in_order, const std::vector<bool>& requested,
                         const Visit& visit) const = 0;
};

}  // namespace tessera::reduce
