#include "device/gpu/launch_arguments.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tessera::device::gpu {
namespace {

using statistics::MappedArray;
using statistics::MappedElements;

constexpr std::int64_t kMany = std::int64_t{1} << 30;

MappedElements part_of(std::vector<MappedArray> arrays, std::int64_t all) {
  return {.arrays = std::move(arrays), .count = 10, .count_of_array = all};
}

TEST(WorthCompiling, are_many_elements_that_are_generated_or_counted) {
  for (const auto kind : {MappedArray::Kind::generated, MappedArray::Kind::counted}) {
    for (const std::int64_t more : {-1, 0, 1}) {
      EXPECT_EQ(worth_compiling(part_of({{.kind = kind}}, kMany + more)), more >= 0) << more;
    }
  }
}

TEST(WorthCompiling, is_nothing_that_is_read) {
  const MappedArray generated{.kind = MappedArray::Kind::generated};
  EXPECT_TRUE(worth_compiling(part_of({generated}, 2 * kMany)));
  EXPECT_FALSE(worth_compiling(part_of({generated, MappedArray{}}, 2 * kMany)));
  EXPECT_FALSE(worth_compiling(part_of({}, 2 * kMany)));
}

}  // namespace
}  // namespace tessera::device::gpu
