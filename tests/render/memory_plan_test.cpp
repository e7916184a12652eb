#include "render/memory_plan.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::render {
namespace {

job::RenderJob job_of(std::int64_t side, int tile_px, std::uint64_t memory_mib) {
  job::RenderJob job;
  job.image.size_px = {side, side};
  job.tile_px = tile_px;
  job.memory_bytes = memory_mib << 20;
  return job;
}

TEST(MemoryPlan, does_not_grow_with_the_image_beyond_its_tables) {
  const auto small = job_of(16384, 512, 512);
  const auto large = job_of(131072, 512, 512);
  const MemoryPlan a = plan_memory(small, {small.image.size_px, 512}, 2, true);
  const MemoryPlan b = plan_memory(large, {large.image.size_px, 512}, 2, true);
  EXPECT_EQ(a.lanes_bytes, b.lanes_bytes);
  EXPECT_LE(b.total_bytes(), large.memory_bytes);
  EXPECT_LE(b.tables_bytes, 8U << 20);
}

TEST(MemoryPlan, says_what_would_do_when_the_job_does_not_fit) {
  const auto job = job_of(65536, 16384, 1024);
  try {
    plan_memory(job, {job.image.size_px, 16384}, 8, false);
    FAIL() << "eight tiles of half a GiB fit in 1 GiB?";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_NE(std::string(error.what()).find("--memory"), std::string::npos);
  }
}

/// The number behind `option` in the advice; 0 if that does not speak of it.
int advised(const job::RenderJob& job, int lanes, const std::string& option) {
  try {
    plan_memory(job, {job.image.size_px, job.tile_px}, lanes, true);
  } catch (const base::Error& error) {
    const std::string text = error.what();
    const auto at = text.find("or " + option + " ");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + option.size() + 4));
  }
  ADD_FAILURE() << "it fits";
  return 0;
}

TEST(MemoryPlan, advises_larger_tiles_where_there_are_too_many) {
  auto job = job_of(16384, 1, 512);
  job.tile_px = advised(job, 2, "--tile");
  ASSERT_GT(job.tile_px, 1);
  EXPECT_NO_THROW(plan_memory(job, {job.image.size_px, job.tile_px}, 2, true));
}

TEST(MemoryPlan, knows_how_many_tiles_an_image_may_have) {
  auto job = job_of(16384, 1, 65536);  // 2^28
  EXPECT_NO_THROW(plan_memory(job, {job.image.size_px, 1}, 2, true));
  job.image.size_px.width += 1;
  try {
    plan_memory(job, {job.image.size_px, 1}, 2, true);
    ADD_FAILURE() << "an image that the file would refuse";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::usage);
    EXPECT_EQ(std::string(error.what()).find("--tile 1: more than 268435456 tiles"), 0U);
  }
}

TEST(MemoryPlan, advises_no_tiles_that_would_be_too_many) {
  const auto job = job_of(40'000'000, 4096, 8192);  // with 2048 px there would be 2^28.5
  EXPECT_EQ(advised(job, 64, "--tile"), 0);
}

TEST(MemoryPlan, advises_smaller_tiles_or_fewer_threads_where_they_are_too_large) {
  const auto job = job_of(65536, 4096, 1024);
  auto smaller = job;
  smaller.tile_px = advised(job, 8, "--tile");
  ASSERT_GT(smaller.tile_px, 0);
  EXPECT_LT(smaller.tile_px, 4096);
  EXPECT_NO_THROW(plan_memory(smaller, {job.image.size_px, smaller.tile_px}, 8, true));
  const int threads = advised(job, 8, "--threads");
  ASSERT_GT(threads, 0);
  EXPECT_NO_THROW(plan_memory(job, {job.image.size_px, 4096}, threads, true));
}

}  // namespace
}  // namespace tessera::render
