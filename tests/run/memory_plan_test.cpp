#include "run/memory_plan.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::run {
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

}  // namespace
}  // namespace tessera::run
