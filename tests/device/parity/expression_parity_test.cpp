// Expressions that a device evaluates have the bits of the plain evaluator: each operation and
// function in each type, random expressions, arrays that the device generates.
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/gpu/arrays/stream/launch_arguments.hpp"
#include "device/gpu/gpu_device.hpp"
#include "expression/steps.hpp"
#include "parity_devices.hpp"
#include "partial_equality.hpp"
#include "statistics/generated_elements.hpp"
#include "tests/device/named_device.hpp"
#include "tests/expression/evaluated.hpp"
#include "tests/expression/random_expressions.hpp"
#include "tests/store/image/chance.hpp"

namespace tessera::device {
namespace {

using base::ElementType;
using expression::TestArray;
using statistics::MappedArray;

constexpr std::size_t kElements = 1003;

/// Null for a device that evaluates no expressions.
std::unique_ptr<gpu::ArrayStream> open_stream(const std::string& name) {
  const auto* const device = dynamic_cast<const gpu::GpuDevice*>(&device_named(name));
  return device == nullptr ? nullptr : device->open_array_stream();
}

/// The indices of an array of one dimension.
std::vector<std::byte> indices(std::uint64_t dimension, std::size_t count) {
  std::vector<std::int64_t> values(count);
  const auto side = static_cast<std::int64_t>(count);
  expression::Region{{side}, {0}, {side}}.fill(dimension, 0, values);
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

/// The elements of each result.
std::vector<std::vector<std::byte>> evaluated_by(gpu::ArrayStream& stream,
                                                 const expression::Program& program,
                                                 const std::vector<TestArray>& arrays,
                                                 std::size_t count) {
  const auto steps = expression::steps_of(program);
  if (!steps) throw base::run_error("too long");
  statistics::MappedElements elements{
      .steps = steps->steps, .results = steps->results, .count = static_cast<std::int64_t>(count)};
  std::vector<std::vector<std::byte>> made;
  for (const expression::StepArray& array : steps->arrays) {
    if (array.is_index) made.push_back(indices(array.number, count));
  }
  auto next = made.begin();
  for (const expression::StepArray& array : steps->arrays) {
    const std::span<const std::byte> bytes = array.is_index ? *next++ : arrays[array.number].bytes;
    elements.arrays.push_back(
        {.type = array.type, .read = bytes.first(count * base::element_bytes(array.type))});
  }
  std::vector<std::vector<std::byte>> results;
  std::size_t end = 0;
  for (const expression::Result& result : expression::results_of(program)) {
    const ElementType type = expression::element_of(result.type);
    results.emplace_back(count * base::element_bytes(type));
    end += gpu::aligned(results.back().size());
  }
  const ElementType type = expression::element_of(program.type);
  const kernels::TsMap call = gpu::map_of(elements, type, 0, end);
  for (std::size_t i = 0; i < elements.arrays.size(); ++i) {
    stream.copy_in(elements.arrays[i].read, call.arrays[i]);
  }
  stream.map(call, elements.steps);
  std::size_t at = 0;
  for (std::vector<std::byte>& result : results) {
    stream.copy_out(at, result);
    at += gpu::aligned(result.size());
  }
  return results;
}

/// Element i of the result is that of text i % texts.size(), so that one program has all of them.
std::string by_turns(const std::vector<std::string>& texts) {
  std::string all = texts.front();
  for (std::size_t i = 1; i < texts.size(); ++i) {
    all = fmt::format("where(index % {} != {}, {}, {})", texts.size(), i, all, texts[i]);
  }
  return all;
}

class ExpressionParity : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::string& device = GetParam();
    if (const std::string reason = why_skipped(device); !reason.empty()) GTEST_SKIP() << reason;
    stream_ = open_stream(device);
    if (!stream_) GTEST_SKIP() << "evaluates no expressions";
  }

  void expect_same(const std::string& text, const std::vector<TestArray>& arrays,
                   std::size_t count = kElements) {
    const expression::Program program = expression::parsed(text, arrays);
    auto wanted = expression::evaluated(program, arrays, count, &expression::make_plain_evaluator);
    auto found = evaluated_by(*stream_, program, arrays, count).front();
    expression::make_nans_equal(program.type, wanted);
    expression::make_nans_equal(program.type, found);
    const auto differs = std::ranges::mismatch(found, wanted);
    EXPECT_TRUE(found == wanted) << text << " of " << base::element_name(arrays.front().array.type)
                                 << ", element "
                                 << (differs.in1 - found.begin()) /
                                        static_cast<std::ptrdiff_t>(base::element_bytes(
                                            expression::element_of(program.type)));
  }

  /// Of arrays of one type, with numbers of all sizes, and with small ones.
  void expect_all(const std::vector<std::string>& texts, ElementType type) {
    auto random = store::chance(static_cast<unsigned>(type) + 40);
    for (int i = 0; i < 4; ++i) {
      std::vector<TestArray> arrays;
      for (const std::string name : {"a", "b", "c"}) {
        arrays.push_back(expression::random_array(name, type, kElements, random));
      }
      expect_same(by_turns(texts), arrays);
    }
  }

  std::unique_ptr<gpu::ArrayStream> stream_;
};

constexpr std::array kAllTypes = {ElementType::i8,  ElementType::i16, ElementType::i32,
                                  ElementType::i64, ElementType::u8,  ElementType::u16,
                                  ElementType::u32, ElementType::u64, ElementType::f16,
                                  ElementType::f32, ElementType::f64};

TEST_P(ExpressionParity, of_operations_in_each_type) {
  for (const ElementType type : kAllTypes) {
    expect_all({"a + b", "a - b", "a * b", "a // b", "a % b", "min(a, b)", "max(a, b)", "abs(a)",
                "-a", "sign(a)", "where(a < b, a, c)", "where(b <= c, a, b)"},
               type);
    expect_all({"i8(a == b)", "i8(a != b)", "i8(a > b)", "i8(isnan(a/b))", "i8(isfinite(a/b))",
                "i8(sqrt(a))", "i8(a / b)", "i8(floor(a/b))", "i8(bool(a))"},
               type);
    if (base::is_floating(type)) {
      expect_all({"a / b", "sqrt(a)", "floor(a)", "ceil(a)", "rint(a)", "fma(a, b, c)", "a*b + c",
                  "sqrt(a*a + b*b)", "fma(a, b, -c)", "fma(a, a, -a*a)"},
                 type);
    } else {
      expect_all({"a & b", "a | b", "~a", "a ** (b % 70)", "a ** 3", "a ** sign(b)"}, type);
    }
  }
}

TEST_P(ExpressionParity, of_bools) {
  auto random = store::chance(75);
  std::vector<TestArray> arrays;
  for (const std::string name : {"a", "b", "c"}) {
    arrays.push_back(expression::random_array(name, ElementType::u8, kElements, random));
    for (std::byte& byte : arrays.back().bytes) byte &= std::byte{1};
    arrays.back().array.is_boolean = true;
  }
  expect_same(by_turns({"~a", "a + b", "a * b", "a & b", "a | b", "min(a, b)", "max(a, b)", "a < b",
                        "a <= b", "a == b", "where(~a, b, c)", "a == 1", "a", "abs(a)"}),
              arrays);
  expect_same(
      by_turns({"a*200 + b*100", "i8(a // b)", "i8(a % b)", "i8(a ** b)", "i8(u1(a) + ~u1(b))",
                "where(~a, 7, index)", "a ** 2 + (b & 1)", "i8(4 * (a / b))"}),
      arrays);
}

TEST_P(ExpressionParity, of_several_that_are_evaluated_together) {
  auto random = store::chance(9);
  std::vector<TestArray> arrays;
  for (const std::string name : {"a", "b"}) {
    arrays.push_back(expression::random_array(name, ElementType::f32, kElements, random));
  }
  std::vector<expression::Program> programs;
  for (const std::string text : {"a + b", "sqrt(a + b) * index", "a < b", "f2(a + b)", "a + b",
                                 "u1(index) + 3", "(a + b) / f8(a)", "index"}) {
    programs.push_back(expression::parsed(text, arrays));
  }
  auto found = evaluated_by(*stream_, expression::join(programs), arrays, kElements);
  ASSERT_EQ(found.size(), programs.size());
  for (std::size_t i = 0; i < programs.size(); ++i) {
    auto wanted = evaluated(programs[i], arrays, kElements, &expression::make_plain_evaluator);
    expression::make_nans_equal(programs[i].type, wanted);
    expression::make_nans_equal(programs[i].type, found[i]);
    EXPECT_EQ(found[i], wanted) << i;
  }
}

TEST_P(ExpressionParity, of_casts) {
  for (const ElementType type : kAllTypes) {
    expect_all({"f8(i1(a))", "f8(i2(a))", "f8(i4(a))", "f8(i8(a))", "f8(u1(a))", "f8(u2(a))",
                "f8(u4(a))", "f8(u8(a))", "f8(f2(a))", "f8(f4(a))", "f8(a)", "f8(bool(a))"},
               type);
  }
  // Results of each type.
  for (const std::string to : {"i1", "i2", "i4", "u1", "u2", "u4", "u8", "f2", "f4", "bool"}) {
    expect_all({to + "(a)"}, ElementType::f64);
  }
}

TEST_P(ExpressionParity, of_functions) {
  for (const ElementType type : {ElementType::f64, ElementType::f32, ElementType::f16}) {
    std::vector<std::string> texts;
    for (const expression::Function& function : expression::functions()) {
      texts.push_back(fmt::format("{}(a{})", function.name, function.arity == 2 ? ", b" : ""));
    }
    std::ranges::replace(texts, "pow(a, b)", "a ** b");
    expect_all(texts, type);
  }
}

TEST_P(ExpressionParity, of_random_expressions) {
  auto random = store::chance(76);
  const int wanted = (GetParam() == "cuda" ? 400 : 40) * store::times();
  for (int programs = 0; programs < wanted;) {
    std::vector<TestArray> arrays;
    for (const std::string name : {"a", "b", "c"}) {
      arrays.push_back(expression::random_array(name, kElements, random));
    }
    const auto text = expression::RandomExpression(random).text(1 + static_cast<int>(random() % 3));
    try {
      const auto steps = expression::steps_of(expression::parsed(text, arrays));
      if (!steps) continue;
    } catch (const base::Error&) {
      continue;  // the types do not mix
    }
    ++programs;
    const std::size_t counts[] = {1, 255, 256, 257, kElements};
    expect_same(text, arrays, counts[random() % std::size(counts)]);
  }
}

TEST_P(ExpressionParity, of_long_expressions) {
  auto random = store::chance(77);
  std::vector<TestArray> arrays = {
      expression::random_array("a", ElementType::f64, kElements, random)};
  std::string sum = "a";
  for (int i = 0; i < 60; ++i) sum += fmt::format(" + a*{}", i);
  expect_same(sum, arrays);
  std::string nested = "a";
  for (int i = 0; i < 25; ++i) nested = fmt::format("(a*{} - {})", i, nested);
  expect_same(nested, arrays);
}

INSTANTIATE_TEST_SUITE_P(Devices, ExpressionParity, testing::ValuesIn(parity_devices()), test_name);

}  // namespace
}  // namespace tessera::device
