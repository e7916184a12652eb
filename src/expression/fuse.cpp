// Joins operations that are cheaper together.
#include <algorithm>
#include <optional>

#include "expression/program.hpp"

namespace tessera::expression {
namespace {

/// How often each value is a result, or used by others that a result needs.
std::vector<int> count_uses(const Program& program) {
  std::vector<int> uses(program.nodes.size());
  for (const Result& result : results_of(program)) ++uses[static_cast<std::size_t>(result.node)];
  for (std::size_t i = program.nodes.size(); i-- > 0;) {
    if (uses[i] == 0) continue;
    for (const int argument : program.nodes[i].arguments) {
      if (argument != kNoValue) ++uses[static_cast<std::size_t>(argument)];
    }
  }
  return uses;
}

class Fuser {
 public:
  explicit Fuser(const Program& program) : program_(program), uses_(count_uses(program)) {}

  Program run() {
    for (Node& node : program_.nodes) node = fused(node);
    return keep_used(program_);
  }

 private:
  /// The node that computes this argument, if nothing else uses it and it is of real numbers.
  const Node* only_used_here(int argument, base::ElementType lane) const {
    const auto number = static_cast<std::size_t>(argument);
    const Node& node = program_.nodes[number];
    const bool real = lane == base::ElementType::f32 || lane == base::ElementType::f64;
    return real && uses_[number] == 1 && node.from == lane ? &node : nullptr;
  }

  Node fused(const Node& node) const {
    const auto& [x, y, z, w] = node.arguments;
    if (node.op == Op::add) {
      if (const auto joined = with_product(node, x, y)) return *joined;
      if (const auto joined = with_product(node, y, x)) return *joined;
    } else if (node.op == Op::subtract) {
      if (const auto joined = with_product(node, x, y)) return *joined;
    } else if (node.op == Op::square_root) {
      return with_sum(node);
    } else if (node.op == Op::select) {
      return with_comparison(node);
    }
    return node;
  }

  /// A sum or difference of a product and another value, which may be a product too.
  std::optional<Node> with_product(const Node& node, int product, int other) const {
    const Node* const left = only_used_here(product, node.from);
    if (left == nullptr || left->op != Op::multiply) return std::nullopt;
    const Node* const right = only_used_here(other, node.from);
    const bool adds = node.op == Op::add;
    Node joined = node;
    if (right != nullptr && right->op == Op::multiply) {
      joined.op = adds ? Op::add_products : Op::subtract_products;
      joined.arguments = {left->arguments[0], left->arguments[1], right->arguments[0],
                          right->arguments[1]};
    } else {
      joined.op = adds ? Op::multiply_add : Op::multiply_subtract;
      joined.arguments = {left->arguments[0], left->arguments[1], other, kNoValue};
    }
    return joined;
  }

  Node with_sum(const Node& root) const {
    const Node* const sum = only_used_here(root.arguments[0], root.from);
    if (sum == nullptr) return root;
    Node joined = *sum;
    if (sum->op == Op::multiply_add) {
      joined.op = Op::multiply_add_root;
    } else if (sum->op == Op::add_products) {
      joined.op = Op::add_products_root;
    } else {
      return root;
    }
    return joined;
  }

  Node with_comparison(const Node& node) const {
    const Node* const condition = only_used_here(node.arguments[0], node.from);
    if (condition == nullptr || condition->op < Op::less || condition->op > Op::not_equal) {
      return node;
    }
    constexpr int kStep = static_cast<int>(Op::select_less) - static_cast<int>(Op::less);
    Node joined = node;
    joined.op = static_cast<Op>(static_cast<int>(condition->op) + kStep);
    joined.arguments = {condition->arguments[0], condition->arguments[1], node.arguments[1],
                        node.arguments[2]};
    return joined;
  }

  Program program_;
  std::vector<int> uses_;
};

}  // namespace

Program keep_used(const Program& program) {
  const std::vector<int> uses = count_uses(program);
  Program small{.type = program.type, .inputs = program.inputs, .results = program.results};
  std::vector<int> numbers(program.nodes.size(), kNoValue);
  for (std::size_t i = 0; i < program.nodes.size(); ++i) {
    if (uses[i] == 0) continue;
    Node node = program.nodes[i];
    for (int& argument : node.arguments) {
      if (argument != kNoValue) argument = numbers[static_cast<std::size_t>(argument)];
    }
    numbers[i] = static_cast<int>(small.nodes.size());
    small.nodes.push_back(node);
  }
  for (Result& result : small.results) {
    result.node = numbers[static_cast<std::size_t>(result.node)];
  }
  return small;
}

Program fuse(const Program& program) {
  return Fuser(program).run();
}

bool uses_input(const Program& program, std::size_t number) {
  return std::ranges::any_of(program.nodes, [number](const Node& node) {
    return node.op == Op::input && node.detail == number;
  });
}

}  // namespace tessera::expression
