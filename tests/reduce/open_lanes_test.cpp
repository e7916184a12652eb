#include "reduce/open_lanes.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "device/reducer.hpp"

namespace tessera::reduce {
namespace {

class NamedDevice : public device::Device {
 public:
  const device::DeviceInfo& info() const override { return info_; }
  int lanes() const override { return 1; }
  int rows_per_call(std::int64_t) const override { return 0; }
  std::unique_ptr<device::Lane> open_lane(const device::LaneOptions&) const override {
    return nullptr;
  }

 private:
  device::DeviceInfo info_{.name = "toy:3"};
};

template <class Error, class Call>
std::string text_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(LaneBudget, gives_lanes_what_the_program_leaves) {
  LaneBudget budget(job::kProgramBytes + 100);
  EXPECT_TRUE(budget.take(60));
  EXPECT_EQ(budget.left_bytes(), 40U);
  EXPECT_FALSE(budget.take(50));
  EXPECT_EQ(budget.left_bytes(), 40U);
  EXPECT_EQ(budget.min_bytes(), 50U);
  EXPECT_TRUE(budget.take(40));
}

TEST(LaneBudget, tells_given_and_needed_memory_apart) {
  LaneBudget budget(job::kProgramBytes + 100);
  EXPECT_FALSE(budget.take(101));
  const auto [given, needed] = budget.given_and_needed();
  EXPECT_NE(given, needed);
}

TEST(Batches, are_a_slice_at_most_and_a_piece_at_least) {
  EXPECT_EQ(batch_bytes(0, 10, 100), 0U);
  EXPECT_EQ(batch_bytes(50, 10, 100), 50U);
  EXPECT_EQ(batch_bytes(500, 10, 100), 100U);
  EXPECT_EQ(batch_bytes(5, 10, 100), 10U);
}

TEST(OpenReducer, says_which_device_has_none) {
  const NamedDevice device;
  const auto none = [](const device::Device& d) { return d.open_reducer({}); };
  EXPECT_EQ(text_of<base::Error>([&] { open_reducer(device, false, "does not reduce", none); }),
            "--device toy:3: does not reduce");
}

TEST(OpenReducer, does_without_one_more_where_there_is_no_room) {
  const NamedDevice device;
  const auto full = [](const device::Device&) -> std::unique_ptr<device::Reducer> {
    throw device::DeviceError("no room");
  };
  EXPECT_EQ(open_reducer(device, true, "", full), nullptr);
  EXPECT_EQ(text_of<device::DeviceError>([&] { open_reducer(device, false, "", full); }),
            "toy:3: no room");
}

}  // namespace
}  // namespace tessera::reduce
