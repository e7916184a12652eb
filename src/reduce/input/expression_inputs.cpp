#include "reduce/input/expression_inputs.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "expression/parser.hpp"
#include "reduce/input/box_reader.hpp"
#include "reduce/input/open_input.hpp"
#include "reduce/input/piece_reader.hpp"
#include "reduce/input/subscripts.hpp"

namespace tessera::reduce {
namespace {

/// Broadcast inputs up to this size are read once.
// crossed by: test_of_broadcast_inputs_that_are_held_and_that_are_not
constexpr std::int64_t kMaxHeldBytes = std::int64_t{4} << 20;

using Inputs = std::vector<ExpressionInput>;

std::int64_t bytes_of(const ExpressionInput& input) {
  return static_cast<std::int64_t>(input.element_bytes());
}

Inputs open_all(const ExpressionSpec& spec,
                const std::function<std::int64_t(std::size_t)>& piece_bytes) {
  Inputs inputs;
  for (std::size_t i = 0; i < spec.inputs.size(); ++i) {
    auto array = open_input(std::span(spec.inputs).subspan(i, 1), piece_bytes(i), MissingAs::nan);
    inputs.push_back(
        {.name = spec.names[i], .source = subscripted(spec, i, std::move(array), piece_bytes(i))});
  }
  return inputs;
}

std::vector<expression::Program> parse_all(const ExpressionSpec& spec, const Inputs& inputs) {
  std::vector<expression::InputArray> arrays;
  for (const ExpressionInput& input : inputs) {
    const store::ArrayInfo& info = input.source->info();
    arrays.push_back({input.name, info.type, info.is_boolean});
  }
  std::vector<expression::Program> programs;
  for (const ExpressionText& text : spec.texts) {
    programs.push_back(expression::parse(text.text, arrays, text.what));
  }
  return programs;
}

void check_names(const ExpressionSpec& spec) {
  const auto none_names = [&](const std::string& name) {
    return std::ranges::none_of(spec.texts, [&](const ExpressionText& text) {
      return expression::has_word(text.text, name);
    });
  };
  const auto unused = std::ranges::find_if(spec.names, none_names);
  if (unused == spec.names.end() || std::ranges::all_of(spec.names, none_names)) return;
  throw base::usage_error("{}: no expression has the array '{}'; leave it out",
                          spec.texts.front().what, *unused);
}

/// The inputs that the text names, or all if it names none.
std::vector<const ExpressionInput*> named_in(const std::string& text, const Inputs& inputs) {
  std::vector<const ExpressionInput*> all;
  std::vector<const ExpressionInput*> named;
  for (const ExpressionInput& input : inputs) {
    all.push_back(&input);
    if (expression::has_word(text, input.name)) named.push_back(&input);
  }
  return named.empty() ? all : named;
}

/// The shape to which the inputs broadcast.
job::Shape broadcast_shape(const std::vector<const ExpressionInput*>& inputs,
                           const std::string& what) {
  job::Shape shape;
  for (const ExpressionInput* const input : inputs) {
    const job::Shape& other = input->source->info().shape;
    if (other.size() > shape.size()) shape.insert(shape.begin(), other.size() - shape.size(), 1);
    const std::size_t missing = shape.size() - other.size();
    for (std::size_t d = 0; d < other.size(); ++d) {
      std::int64_t& side = shape[d + missing];
      if (side == 1) side = other[d];
      if (side == other[d] || other[d] == 1) continue;
      const auto differs = std::ranges::find_if(inputs, [&](const ExpressionInput* one) {
        const job::Shape& own = one->source->info().shape;
        const std::size_t before = shape.size() - std::min(own.size(), shape.size());
        return d + missing >= before && own[d + missing - before] == side;
      });
      throw base::usage_error("{}: the shapes do not broadcast: {} is {}, and {} is {}", what,
                              (*differs)->name, job::format_shape((*differs)->source->info().shape),
                              input->name, job::format_shape(other));
    }
  }
  job::count_elements(shape, what);
  return shape;
}

/// The shape of all expressions.
job::Shape common_shape(const ExpressionSpec& spec, const Inputs& inputs) {
  job::Shape shape;
  for (const ExpressionText& text : spec.texts) {
    const job::Shape own = broadcast_shape(named_in(text.text, inputs), text.what);
    if (&text == &spec.texts.front()) shape = own;
    if (own == shape) continue;
    throw base::usage_error("{}: is {}, and {} is {}", text.what, job::format_shape(own),
                            spec.texts.front().name, job::format_shape(shape));
  }
  return shape;
}

/// Throws a usage error for a coordinate in a dimension that there is not.
void check_coordinates(const ExpressionSpec& spec, std::span<const expression::Program> programs,
                       const job::Shape& shape) {
  for (std::size_t i = 0; i < programs.size(); ++i) {
    for (const expression::Node& node : programs[i].nodes) {
      const bool is_coordinate =
          node.op == expression::Op::index && node.detail != expression::kFlat;
      if (!is_coordinate || node.detail < shape.size()) continue;
      throw base::usage_error("{}: index{}: the array has {}, and they are counted from 0",
                              spec.texts[i].what, node.detail,
                              base::count_of(std::ssize(shape), "dimension"));
    }
  }
}

/// Which inputs decide the shape, which ones are read, and which ones have the shape.
void describe_inputs(const ExpressionSpec& spec, const std::vector<expression::Program>& programs,
                     const job::Shape& shape, Inputs& inputs) {
  for (ExpressionInput& input : inputs) input.named = false;
  for (const ExpressionText& text : spec.texts) {
    for (const ExpressionInput* const named : named_in(text.text, inputs)) {
      inputs[static_cast<std::size_t>(named - inputs.data())].named = true;
    }
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    inputs[i].used = std::ranges::any_of(programs, [i](const expression::Program& program) {
      return expression::uses_input(program, i);
    });
    inputs[i].full = inputs[i].named && inputs[i].source->info().shape == shape;
  }
}

/// The pieces of the first input of the whole shape that has chunks, or else runs of elements.
plan::ArrayPieces choose_pieces(Inputs& inputs, const job::Shape& shape,
                                std::int64_t run_elements) {
  const ExpressionInput* leader = nullptr;
  for (const ExpressionInput& input : inputs) {
    if (!input.full) continue;
    const bool chunked = !input.source->chunk_shape().empty();
    if (leader == nullptr || (chunked && leader->source->chunk_shape().empty())) leader = &input;
  }
  bool alike = leader != nullptr;
  for (const ExpressionInput& input : inputs) {
    alike &= !input.named || (input.full && input.source->pieces() == leader->source->pieces());
  }
  plan::ArrayPieces pieces = plan::ArrayPieces::runs(
      shape, plan::StorageOrder::last_dimension_fastest, std::max<std::int64_t>(1, run_elements));
  if (alike) {
    pieces = leader->source->pieces();
  } else if (leader != nullptr && !leader->source->chunk_shape().empty()) {
    pieces = plan::ArrayPieces::boxes(shape, leader->source->chunk_shape());
  }
  for (ExpressionInput& input : inputs) {
    input.same_pieces = input.full && input.source->pieces() == pieces;
  }
  return pieces;
}

bool all_in_fortran_order(const Inputs& inputs) {
  return std::ranges::all_of(inputs, [](const ExpressionInput& input) {
    return !input.named || (input.full && input.same_pieces &&
                            input.source->order() == plan::StorageOrder::first_dimension_fastest);
  });
}

/// Reads a small broadcast array.
void hold(ExpressionInput& input) {
  const store::ArrayInfo& array = input.source->info();
  const std::int64_t bytes = plan::element_count(array.shape) * bytes_of(input);
  if (input.full || !input.used || bytes > kMaxHeldBytes) return;
  input.held.resize(static_cast<std::size_t>(bytes));
  PieceReader reader(*input.source, 0);
  read_box(*input.source, {plan::Shape(array.shape.size()), array.shape}, reader, input.held);
}

}  // namespace

std::vector<bool> ExpressionInputs::used() const {
  std::vector<bool> used;
  for (const ExpressionInput& input : list) used.push_back(input.used);
  return used;
}

ExpressionInputs open_expression_inputs(const ExpressionSpec& spec, std::int64_t piece_bytes) {
  ExpressionInputs inputs;
  inputs.list = open_all(spec, [&](std::size_t) { return piece_bytes; });
  inputs.programs = parse_all(spec, inputs.list);
  check_names(spec);
  const auto result_bytes = static_cast<std::int64_t>(
      base::element_bytes(expression::element_of(inputs.programs.front().type)));
  const std::int64_t elements = std::max<std::int64_t>(1, piece_bytes / result_bytes);
  // The same number of elements per piece. Chunks are as they are.
  const auto differs = [&](const ExpressionInput& input) {
    return elements * bytes_of(input) != piece_bytes;
  };
  if (std::ranges::any_of(inputs.list, differs)) {
    const Inputs before = std::move(inputs.list);
    inputs.list = open_all(spec, [&](std::size_t i) { return elements * bytes_of(before[i]); });
  }
  const job::Shape shape = common_shape(spec, inputs.list);
  check_coordinates(spec, inputs.programs, shape);
  describe_inputs(spec, inputs.programs, shape, inputs.list);
  inputs.pieces = choose_pieces(inputs.list, shape, elements);
  if (all_in_fortran_order(inputs.list)) {
    inputs.order = plan::StorageOrder::first_dimension_fastest;
  }
  const std::int64_t own_bytes =
      std::max<std::int64_t>(1, inputs.pieces.max_elements()) * result_bytes;
  inputs.slice_pieces =
      std::max<std::int64_t>(1, static_cast<std::int64_t>(spec.slice_bytes) / own_bytes);
  for (ExpressionInput& input : inputs.list) hold(input);
  return inputs;
}

}  // namespace tessera::reduce
