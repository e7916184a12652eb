// The functions in CUDA C++, compiled by the host's compiler, have the bits of the scalar code.
// The definitions for the host come first.
// clang-format off
#include "tests/cuda_runtime/words.hpp"
#include "tests/kernels/functions.cu"
// clang-format on

#include <gtest/gtest.h>

#include "tests/kernels/function_arguments.hpp"

namespace tessera::kernels::functions {
namespace {

TEST(FunctionsOfCuda, have_the_scalar_bits_on_the_host) {
  for (const FunctionRow& row : kFunctions) {
    const Arguments arguments = all_arguments(row.function, 20'000);
    std::vector<double> values;
    for (std::size_t i = 0; i < arguments.x.size(); ++i) {
      values.push_back(
          apply_function(static_cast<unsigned>(row.function), arguments.x[i], arguments.y[i]));
    }
    EXPECT_EQ(first_difference(values, defined_values(row.function, arguments), arguments), "")
        << row.name;
  }
}

}  // namespace
}  // namespace tessera::kernels::functions
