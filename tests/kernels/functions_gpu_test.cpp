// Functions on a GPU have the bits of the scalar code.
#include <gtest/gtest.h>

#include "tests/kernels/function_arguments.hpp"
#include "tests/kernels/functions_on_gpu.hpp"

namespace tessera::kernels::functions {
namespace {

TEST(FunctionsOfGpus, have_the_scalar_bits) {
  if (!has_gpu()) GTEST_SKIP() << "no GPU";
  for (const FunctionRow& row : kFunctions) {
    const Arguments arguments = all_arguments(row.function, 1'000'000);
    const auto defined = defined_values(row.function, arguments);
    std::vector<double> values = arguments.x;
    const auto number = static_cast<unsigned>(row.function);
    ASSERT_TRUE(apply_on_gpu(number, values.data(), arguments.y.data(), values.size()));
    EXPECT_EQ(first_difference(values, defined, arguments), "") << row.name;
  }
}

}  // namespace
}  // namespace tessera::kernels::functions
