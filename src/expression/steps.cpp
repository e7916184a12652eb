#include "expression/steps.hpp"

#include <algorithm>
#include <bit>

#include "expression/functions.hpp"

namespace tessera::expression {
namespace {

/// The operation of that name, which is also the function's in functions().
int operation_named(std::string_view name) {
  const auto* const row =
      std::ranges::find(kernels::kOperations, name, &kernels::OperationRow::name);
  return static_cast<int>(row - std::begin(kernels::kOperations));
}

int operation_of(const Node& node) {
  switch (node.op) {
    case Op::input:
    case Op::index:
      return kernels::TS_ON_load;
    case Op::constant:
      return kernels::TS_ON_constant;
    case Op::cast:
      return kernels::TS_ON_cast;
    case Op::function:
      return operation_named(functions()[node.detail].name);
#define TS_ROW(name) \
  case Op::name:     \
    return kernels::TS_ON_##name;
      TS_OPERATIONS(TS_ROW, TS_ROW, TS_ROW)
#undef TS_ROW
    default:  // fuse() makes the others
      return kernels::TS_ON_NOTHING;
  }
}

/// A constant as a register has it.
std::uint64_t register_of(const Node& node) {
  using enum base::ElementType;
  const std::uint64_t bits = node.detail;
  const auto extended = [](std::int64_t x) { return static_cast<std::uint64_t>(x); };
  switch (node.to) {
    case i8:
      return extended(static_cast<std::int8_t>(bits));
    case i16:
      return extended(static_cast<std::int16_t>(bits));
    case i32:
      return extended(static_cast<std::int32_t>(bits));
    case f32:
      return std::bit_cast<std::uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits))));
    default:
      return bits;
  }
}

class StepWriter {
 public:
  explicit StepWriter(const Program& program)
      : program_(keep_used(program)), registers_(program_.nodes.size()), free_(free_registers()) {
    find_last_uses();
  }

  std::optional<Steps> write() {
    if (program_.nodes.size() > TS_MAP_STEPS || program_.results.size() > TS_MAP_RESULTS)
      return std::nullopt;
    for (std::size_t number = 0; number < program_.nodes.size(); ++number) {
      if (!add(number)) return std::nullopt;
    }
    if (steps_.arrays.size() > TS_MAP_ARRAYS || steps_.steps.size() > TS_MAP_STEPS)
      return std::nullopt;
    for (const Result& result : program_.results) {
      steps_.results.push_back({.type = static_cast<std::uint32_t>(element_of(result.type)),
                                .value = registers_[static_cast<std::size_t>(result.node)]});
    }
    return steps_;
  }

 private:
  static std::vector<std::uint32_t> free_registers() {
    std::vector<std::uint32_t> all;
    for (std::uint32_t number = TS_MAP_REGISTERS; number-- > 0;) all.push_back(number);
    return all;
  }

  void find_last_uses() {
    last_use_.resize(program_.nodes.size());
    for (std::size_t i = 0; i < program_.nodes.size(); ++i) {
      for (const int argument : program_.nodes[i].arguments) {
        if (argument != kNoValue) last_use_[static_cast<std::size_t>(argument)] = i;
      }
    }
    for (const Result& result : program_.results) {  // until the end
      last_use_[static_cast<std::size_t>(result.node)] = program_.nodes.size();
    }
  }

  /// False if there is no register for it.
  bool add(std::size_t number) {
    const Node& node = program_.nodes[number];
    kernels::TsStep step{};
    step.operation = static_cast<std::uint32_t>(operation_of(node));
    if (step.operation == kernels::TS_ON_NOTHING) return false;
    const bool has_arguments = node.arguments.front() != kNoValue;
    step.type = static_cast<std::uint32_t>(has_arguments ? node.from : node.to);
    step.to = static_cast<std::uint32_t>(node.to);
    if (step.operation == kernels::TS_ON_load) step.value = number_of_array(node);
    if (step.operation == kernels::TS_ON_constant) step.value = register_of(node);
    std::vector<std::uint32_t> casts;
    step.x = argument(node, 0, casts);
    step.y = argument(node, 1, casts);
    step.z = argument(node, 2, casts);
    free_.insert(free_.end(), casts.begin(), casts.end());
    free_last_uses(node, number);
    step.result = registers_[number] = take_register();
    steps_.steps.push_back(step);
    return !overflows_;
  }

  std::uint32_t take_register() {
    overflows_ |= free_.empty();
    if (free_.empty()) return 0;
    const std::uint32_t number = free_.back();
    free_.pop_back();
    return number;
  }

  /// The register of an argument. Integers of one size share a node, but not how they are extended
  /// to 64 bits.
  std::uint32_t argument(const Node& node, std::size_t number, std::vector<std::uint32_t>& casts) {
    if (node.arguments[number] == kNoValue) return 0;
    const auto value = static_cast<std::size_t>(node.arguments[number]);
    const base::ElementType has = program_.nodes[value].to;
    const bool is_condition = node.op == Op::select && number == 0;
    if (has == node.from || is_condition || base::is_floating(has)) return registers_[value];
    casts.push_back(take_register());
    kernels::TsStep cast{};
    cast.operation = kernels::TS_ON_cast;
    cast.type = static_cast<std::uint32_t>(has);
    cast.to = static_cast<std::uint32_t>(node.from);
    cast.x = registers_[value];
    cast.result = casts.back();
    steps_.steps.push_back(cast);
    return casts.back();
  }

  void free_last_uses(const Node& node, std::size_t user) {
    for (const int argument : node.arguments) {
      if (argument == kNoValue) break;
      const auto value = static_cast<std::size_t>(argument);
      const bool is_free = std::ranges::find(free_, registers_[value]) != free_.end();
      if (last_use_[value] == user && !is_free) free_.push_back(registers_[value]);
    }
  }

  std::uint64_t number_of_array(const Node& node) {
    const StepArray array{node.to, node.op == Op::index, node.detail};
    const auto number = std::ranges::find(steps_.arrays, array) - steps_.arrays.begin();
    if (number == std::ssize(steps_.arrays)) steps_.arrays.push_back(array);
    return static_cast<std::uint64_t>(number);
  }

  Program program_;
  std::vector<std::uint32_t> registers_;  ///< registers of the values so far
  std::vector<std::uint32_t> free_;
  std::vector<std::size_t> last_use_;
  bool overflows_ = false;  ///< more registers than there are
  Steps steps_;
};

}  // namespace

std::optional<Steps> steps_of(const Program& program) {
  return StepWriter(program).write();
}

}  // namespace tessera::expression
