#include "post/verify/verify_plan.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "written_file.hpp"

namespace tessera::post {
namespace {

constexpr std::uint64_t kMebibyte = std::uint64_t{1} << 20;

store::TileRow row_of(std::uint32_t row, std::uint32_t column) {
  return {.row = row,
          .column = column,
          .rank = 0,
          .device = "cpu",
          .iterations = (std::uint64_t{1} << 40) + row,
          .checksum = 100 * row + column};
}

class PlanOfVerification : public WrittenFile {
 protected:
  VerifyPlan plan(std::uint64_t memory_bytes = 2048 * kMebibyte, std::int64_t sample = 32) const {
    job::VerifyJob job;
    job.input = path_;
    job.sample = sample;
    job.memory_bytes = memory_bytes;
    return plan_verification(store::Hdf5ImageReader(path_), job);
  }
  std::string suggested_memory(std::uint64_t memory_bytes) {
    const base::Error error = error_of([&] { plan(memory_bytes); });
    expect_says(error, base::ExitCode::usage, {"--memory", "give at least that"});
    const std::string text = error.what();
    const auto need = text.find("need ") + 5;
    return text.substr(need, text.find(';') - need);
  }
};

TEST_F(PlanOfVerification, keeps_what_the_table_says_of_stored_tiles) {
  write(header(), false, [this](auto& writer) {
    store_tile(writer, row_of(1, 2));
    store_tile(writer, row_of(0, 1));
  });
  path_ = store::part_path(path_);
  const VerifyPlan got = plan();
  EXPECT_FALSE(got.complete);
  EXPECT_FALSE(got.by_reference);
  ASSERT_EQ(got.states.size(), 6U);
  for (std::size_t tile = 0; tile < 6; ++tile) {
    EXPECT_EQ(got.states[tile], tile == 1 || tile == 5 ? TileState::stored : TileState::absent);
  }
  EXPECT_EQ(got.checksums[5], 102U);
  EXPECT_EQ(got.iterations[5], (std::uint64_t{1} << 40) + 1);
}

TEST_F(PlanOfVerification, sees_that_a_reference_device_took_part) {
  write(header(), true, [this](auto& writer) {
    store::TileRow row = row_of(0, 0);
    row.device = "reference";
    store_tile(writer, row);
    store_tile(writer, row_of(1, 1));
  });
  EXPECT_TRUE(plan().by_reference);
  EXPECT_TRUE(plan().complete);
}

TEST_F(PlanOfVerification, memory_limits_the_lanes_and_fewer_bytes_are_fewer_lanes) {
  job_.image.size_px = {4096, 4096};
  job_.tile_px = 1024;
  job_.image.iterations = 70000;
  write(header());
  // u32 and f32: 8 bytes a pixel; three chunks and the sampled rows a lane.
  const std::uint64_t lane = 8 * (3 * 1024 * 1024 + kSampledRows * 1024);
  for (const std::uint64_t memory : {121 * kMebibyte, 200 * kMebibyte, 1024 * kMebibyte}) {
    const auto lanes = static_cast<std::uint64_t>(plan(memory).max_lanes);
    EXPECT_GE(lanes, 1U);
    EXPECT_LE(96 * kMebibyte + lanes * lane, memory);
    EXPECT_GT(96 * kMebibyte + (lanes + 1) * lane + kMebibyte, memory) << "needlessly few";
  }
}

TEST_F(PlanOfVerification, says_what_memory_would_do_and_that_does) {
  job_.image.size_px = {4096, 4096};
  job_.tile_px = 4096;
  write(header());
  const std::string enough = suggested_memory(100 * kMebibyte);
  EXPECT_EQ(plan(base::parse_bytes(enough, "suggestion")).max_lanes, 1) << enough;
}

TEST_F(PlanOfVerification, counts_its_tables_before_it_reads_them) {
  job_.image.size_px = {1000, 500};
  job_.tile_px = 1;
  job_.fields = {job::Field::iterations};
  write(header());
  const std::string enough = suggested_memory(100 * kMebibyte);
  EXPECT_GE(base::parse_bytes(enough, "suggestion"), 96 * kMebibyte + 500'000 * 13) << enough;
}

TEST_F(PlanOfVerification, a_sample_is_so_many_different_stored_tiles_and_follows_the_seed) {
  VerifyPlan plan;
  plan.tiles = {{100, 100}, 5};
  plan.states.assign(400, TileState::absent);
  for (std::size_t tile = 0; tile < 400; tile += 2) plan.states[tile] = TileState::stored;
  const auto sample = choose_sample(plan, 32);
  ASSERT_EQ(sample.size(), 32U);
  for (const std::uint32_t tile : sample) EXPECT_EQ(tile % 2, 0U);
  EXPECT_EQ(std::ranges::adjacent_find(sample, std::greater_equal()), sample.end());
  EXPECT_EQ(choose_sample(plan, 32), sample);
  plan.seed = 2;
  EXPECT_NE(choose_sample(plan, 32), sample);
  EXPECT_EQ(choose_sample(plan, 1'000'000).size(), 200U);
  EXPECT_TRUE(choose_sample(plan, 0).empty());
}

TEST_F(PlanOfVerification, every_tile_is_as_likely_in_a_sample) {
  VerifyPlan plan;
  plan.tiles = {{10, 1}, 1};
  plan.states.assign(10, TileState::stored);
  std::vector<int> times(10);
  for (plan.seed = 0; plan.seed < 2000; ++plan.seed) {
    for (const std::uint32_t tile : choose_sample(plan, 3)) ++times[tile];
  }
  for (const int n : times) EXPECT_NEAR(n, 600, 100);  // 5 standard deviations
}

TEST_F(PlanOfVerification, a_rank_marks_only_what_it_sees) {
  VerifyPlan plan;
  plan.tiles = {{3, 1}, 1};
  plan.states = {TileState::stored, TileState::absent, TileState::stored};
  mark_sample(plan, std::vector<std::uint32_t>{0, 1});
  EXPECT_EQ(plan.states, (std::vector{TileState::sampled, TileState::absent, TileState::stored}));
}

TEST_F(PlanOfVerification, sampled_rows_lie_within_their_tile) {
  VerifyPlan plan;
  plan.tiles = {{64, 100}, 64};
  for (plan.seed = 0; plan.seed < 100; ++plan.seed) {
    EXPECT_LE(plan.sampled_rows(0).y + kSampledRows, 64);
    EXPECT_LE(plan.sampled_rows(1).y + kSampledRows, 100);
    EXPECT_GE(plan.sampled_rows(1).y, 64);
  }
  plan.tiles = {{64, 7}, 64};
  EXPECT_EQ(plan.sampled_rows(0), (base::PixelRect{0, 0, 64, 7}));
}

TEST_F(PlanOfVerification, of_a_deep_image_has_the_middle_pixel) {
  VerifyPlan plan;
  plan.tiles = {{640, 1001}, 64};
  EXPECT_EQ(plan.middle_tile(), -1);
  plan.job.image.arithmetic = job::Arithmetic::perturbation;
  EXPECT_EQ(plan.middle_tile(), 7 * 10 + 5);
  plan.states.resize(static_cast<std::size_t>(plan.tiles.count()), TileState::stored);
  for (plan.seed = 0; plan.seed < 100; ++plan.seed) {
    const base::PixelRect rows = plan.sampled_rows(75);
    EXPECT_LE(rows.y, 500);
    EXPECT_GT(rows.y + rows.height, 500);
    EXPECT_GE(rows.y, 448);
    EXPECT_LE(rows.y + rows.height, 512);
    const auto sample = choose_sample(plan, 3);
    EXPECT_TRUE(std::ranges::is_sorted(sample));
    EXPECT_EQ(std::ranges::count(sample, 75U), 1);
  }
  EXPECT_TRUE(choose_sample(plan, 0).empty());
}

}  // namespace
}  // namespace tessera::post
