#include "device/gpu/launch_arguments.hpp"

#include <gtest/gtest.h>

namespace tessera::device::gpu {
namespace {

using statistics::MappedArray;
using statistics::MappedElements;

constexpr std::int64_t kMany = std::int64_t{1} << 30;

MappedArray generated(const job::ArrayInput& input) {
  return {.kind = MappedArray::Kind::generated, .generated = &input};
}

TEST(WorthCompiling, are_many_generated_elements) {
  for (const std::int64_t more : {-1, 0, 1}) {
    const job::ArrayInput input{.format = job::ArrayInput::Format::random, .shape = {kMany + more}};
    // A part says how many elements there are in all.
    EXPECT_EQ(worth_compiling({.arrays = {generated(input)}, .count = 10}), more >= 0) << more;
  }
}

TEST(WorthCompiling, are_many_numbers_that_are_counted) {
  for (const std::int64_t more : {-1, 0, 1}) {
    const MappedArray counted{.kind = MappedArray::Kind::counted, .first = kMany + more - 100};
    EXPECT_EQ(worth_compiling({.arrays = {counted}, .count = 100}), more >= 0) << more;
  }
}

TEST(WorthCompiling, is_nothing_that_is_read) {
  const job::ArrayInput input{.format = job::ArrayInput::Format::random, .shape = {2 * kMany}};
  EXPECT_TRUE(worth_compiling({.arrays = {generated(input)}, .count = 10}));
  EXPECT_FALSE(worth_compiling({.arrays = {generated(input), MappedArray{}}, .count = 10}));
  EXPECT_FALSE(worth_compiling({.count = 2 * kMany}));
}

}  // namespace
}  // namespace tessera::device::gpu
