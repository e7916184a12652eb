#include "device/gpu/queue/memory_budget.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "device/device_error.hpp"

namespace tessera::device::gpu {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

TEST(MemoryBudget, HasNoLimitUnlessOneIsGiven) {
  MemoryBudget budget("cuda:0", 0);
  EXPECT_TRUE(budget.try_take(std::size_t{1} << 50));
  EXPECT_FALSE(budget.limited());
}

TEST(MemoryBudget, LendsNoMoreThanItHas) {
  MemoryBudget budget("cuda:0", 100);
  EXPECT_TRUE(budget.try_take(60));
  EXPECT_FALSE(budget.try_take(41));
  EXPECT_TRUE(budget.try_take(40));
  budget.give_back(60);
  EXPECT_TRUE(budget.try_take(60));
  budget.give_back(100);
  EXPECT_EQ(budget.peak_bytes(), 100U);
}

TEST(MemoryBudget, SaysWhatOneLaneNeeds) {
  const auto budget = std::make_shared<MemoryBudget>("cuda:3", 3 * kMiB);
  try {
    const BudgetedStream stream(budget, 4 * kMiB);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_STREQ(error.what(),
                 "--device-memory 3.0 MiB: one lane of cuda:3 needs 4.0 MiB; give at least that");
  }
  const BudgetedStream stream(budget, 2 * kMiB);
  budget->take(2 * kMiB);
  try {
    budget->take(7 * kMiB);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("needs 9.0 MiB"), std::string::npos) << error.what();
  }
}

TEST(MemoryBudget, HasNoRoomForMoreLanesThanFit) {
  const auto budget = std::make_shared<MemoryBudget>("cuda:0", 3 * kMiB);
  const BudgetedStream first(budget, 2 * kMiB);
  budget->take(2 * kMiB);
  EXPECT_THROW(BudgetedStream(budget, 2 * kMiB), DeviceBusyError);
  const BudgetedStream second(budget, kMiB);
  EXPECT_THROW(budget->take(2 * kMiB), DeviceBusyError);
}

TEST(DividedMemory, IsForFewerLanesWhereItIsLittle) {
  EXPECT_EQ(divide_memory(0, 6).lanes, 6);
  EXPECT_GT(divide_memory(0, 6).buffer_bytes, std::size_t{1} << 40);
  EXPECT_EQ(divide_memory(1, 6).lanes, 1);
  EXPECT_EQ(divide_memory(2 * kUsefulBytes - 1, 6).lanes, 1);
  EXPECT_EQ(divide_memory(2 * kUsefulBytes, 6).lanes, 2);
  EXPECT_EQ(divide_memory(2 * kUsefulBytes, 6).buffer_bytes, kUsefulBytes);
  EXPECT_EQ(divide_memory(600 * kMiB, 6).lanes, 6);
  EXPECT_EQ(divide_memory(600 * kMiB, 6).buffer_bytes, 100 * kMiB);
}

TEST(DivideMemory, leaves_room_for_a_table) {
  const LaneMemory limited = divide_memory(64 * kMiB, 4);
  EXPECT_NO_THROW(check_table(limited, 56 * kMiB));
  EXPECT_ANY_THROW(check_table(limited, 56 * kMiB + 1));
  EXPECT_NO_THROW(check_table(divide_memory(0, 4), std::uint64_t{1} << 40));
  const std::size_t each = bytes_beside_table(limited, 24 * kMiB);
  EXPECT_LE(each, 10 * kMiB);
  EXPECT_GT(each, 9 * kMiB);
  EXPECT_GE(bytes_beside_table(limited, 100 * kMiB), std::size_t{kMiB});
  EXPECT_EQ(bytes_beside_table(divide_memory(0, 4), kMiB), divide_memory(0, 4).buffer_bytes);
}

}  // namespace
}  // namespace tessera::device::gpu
