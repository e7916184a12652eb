// Joins the programs of several expressions of the same arrays.
#include <map>
#include <tuple>

#include "expression/program.hpp"

namespace tessera::expression {

std::vector<Result> results_of(const Program& program) {
  if (!program.results.empty()) return program.results;
  return {{static_cast<int>(program.nodes.size()) - 1, program.type}};
}

Program join(std::span<const Program> programs) {
  using Key = std::tuple<Op, base::ElementType, base::ElementType, std::array<int, kMaxArguments>,
                         std::uint64_t>;
  Program joined{.type = programs.front().type, .inputs = programs.front().inputs};
  std::map<Key, int> numbers;
  for (const Program& program : programs) {
    std::vector<int> here;  // numbers in `joined`
    for (Node node : program.nodes) {
      for (int& argument : node.arguments) {
        if (argument != kNoValue) argument = here[static_cast<std::size_t>(argument)];
      }
      const Key key(node.op, node.from, node.to, node.arguments, node.detail);
      const auto [found, is_new] = numbers.try_emplace(key, static_cast<int>(joined.nodes.size()));
      if (is_new) joined.nodes.push_back(node);
      here.push_back(found->second);
    }
    joined.results.push_back({here.back(), program.type});
  }
  return joined;
}

}  // namespace tessera::expression
