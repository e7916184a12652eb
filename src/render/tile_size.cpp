#include "render/tile_size.hpp"

#include <algorithm>
#include <limits>

#include "comm/all_reduce.hpp"
#include "plan/tile_choice.hpp"
#include "render/memory_plan.hpp"

namespace tessera::render {
namespace {

/// For which a large image waits until it is known what the GPU that joins is.
constexpr double kListSeconds = 1;

bool depends_on_gpu(const base::ImageSize& size_px, plan::TileFacts facts) {
  const int without = plan::auto_tile_px(size_px, facts);
  facts.gpu_threads = std::numeric_limits<std::uint32_t>::max();
  return plan::auto_tile_px(size_px, facts) != without;
}

job::RenderJob decided(job::RenderJob job, int tile_px) {
  job.tile_px = tile_px;
  job.tile_auto = false;
  return job;
}

}  // namespace

job::RenderJob with_tile_for(comm::World& world, const binding::Lanes& lanes, job::RenderJob job) {
  if (!job.tile_auto) return job;
  if (!job.share.whole()) return decided(std::move(job), plan::kDefaultTilePx);
  plan::TileFacts mine{.lanes = lanes.are_of_gpus() ? lanes.working() : lanes.count(),
                       .largest_px = largest_tile_px(job, lanes.count(), world.is_root()),
                       .deep_on_gpus = job.image.deep() && lanes.are_of_gpus()};
  const binding::RankDevices& devices = lanes.devices();
  for (int device = 0; device < devices.count(); ++device) {
    if (devices.opening(device)) continue;
    mine.gpu_threads = std::max(mine.gpu_threads, devices[device].info().threads);
  }
  if (depends_on_gpu(job.image.size_px, mine)) {
    mine.gpu_threads = std::max(mine.gpu_threads, devices.late_threads(kListSeconds));
  }
  const plan::TileFacts all = comm::all_reduce(world, mine, plan::joined);
  const int tile_px = plan::auto_tile_px(job.image.size_px, all);
  return decided(std::move(job), tile_px);
}

}  // namespace tessera::render
