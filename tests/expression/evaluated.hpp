// Evaluates an expression of arrays in memory, for tests.
#pragma once

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "expression/evaluator.hpp"
#include "expression/parser.hpp"

namespace tessera::expression {

using MakeEvaluator = std::unique_ptr<Evaluator> (*)(const Program&);

struct TestArray {
  InputArray array;
  std::vector<std::byte> bytes;
};

template <class T>
TestArray array_of(const std::string& name, base::ElementType type, const std::vector<T>& values) {
  TestArray made{.array = {name, type}, .bytes = std::vector<std::byte>(values.size() * sizeof(T))};
  if (!values.empty()) std::memcpy(made.bytes.data(), values.data(), made.bytes.size());
  return made;
}

inline Program parsed(const std::string& text, const std::vector<TestArray>& arrays) {
  std::vector<InputArray> inputs;
  for (const TestArray& one : arrays) inputs.push_back(one.array);
  return parse(text, inputs, "--map");
}

inline std::vector<std::byte> evaluated(const Program& program,
                                        const std::vector<TestArray>& arrays, std::size_t count,
                                        MakeEvaluator make) {
  std::vector<const std::byte*> inputs;
  for (const TestArray& one : arrays) inputs.push_back(one.bytes.data());
  std::vector<std::byte> results(count * base::element_bytes(element_of(program.type)));
  const auto side = static_cast<std::int64_t>(count);
  make(program)->evaluate(inputs, {{side}, {0}, {side}}, count, results.data());
  return results;
}

/// By the plain evaluator.
template <class R>
std::vector<R> values_of(const std::string& text, const std::vector<TestArray>& arrays,
                         std::size_t count) {
  const auto bytes = evaluated(parsed(text, arrays), arrays, count, &make_plain_evaluator);
  std::vector<R> values(count);
  EXPECT_EQ(bytes.size(), count * sizeof(R)) << text;
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace tessera::expression
