// The tiles of a render: computed and encoded into chunks by the lanes of each rank, stored by the
// gather rank.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/periodic_task.hpp"
#include "binding/device_work.hpp"
#include "binding/render_lanes.hpp"
#include "codec/chunk.hpp"
#include "comm/world.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "report/live_run.hpp"
#include "report/timings.hpp"
#include "store/image/image_file.hpp"

namespace tessera::render {

/// The stored tiles of a rank.
struct StoredCounts {
  std::uint64_t tiles = 0;
  std::uint64_t pixels = 0;
  std::uint64_t iterations = 0;
  report::UncertainPixels uncertain;
  std::uint64_t bytes = 0;

  StoredCounts& operator+=(const StoredCounts& more);
};

/// Header before the bytes of a chunk in a message. Each field of a tile is one message.
struct ChunkNote {
  job::Field field = job::Field::iterations;
  std::uint32_t filter_mask = 0;
  std::int32_t rank = 0;
  std::uint32_t checksum = 0;         ///< CRC-32C of this chunk and those of the fields before it
  double start_s = 0;                 ///< since the start of the run
  double compute_s = 0;               ///< summed over the threads that shared the tile
  double encode_s = 0;                ///< time to encode this field
  std::uint64_t iterations = 0;       ///< iterations of the tile
  report::UncertainPixels uncertain;  ///< uncertain pixels of the tile
  char device[16] = {};
};

class RenderWork : public binding::DeviceWork {
 public:
  /// Without `finishes_tiles`, a run that is to stop gives up the tiles that are begun.
  RenderWork(const job::RenderJob& job, const plan::TileGrid& tiles, binding::Lanes& lanes,
             const comm::World& world, bool finishes_tiles);
  ~RenderWork() override;

  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t tile, int lane) override;

  /// Orbit steps that this rank has executed, including tiles that another rank delivered first.
  std::uint64_t executed() const { return executed_; }

  /// Bytes that one lane needs to hold and to encode a tile.
  static std::size_t lane_memory_bytes(const job::RenderJob& job, const plan::TileGrid& tiles);

 private:
  friend class TileTask;
  /// Memory of one chunk for a lane's tile, with its encoder; one per field.
  struct FieldBuffer {
    job::Field field;
    std::unique_ptr<device::HostBuffer> memory;  ///< allocated by the lane for its device
    codec::ChunkEncoder encoder;

    std::span<std::byte> values() const { return memory->bytes(); }
  };

  void make_buffers(int lane);
  void interrupt_lanes_when(const std::function<bool()>& unwanted);

  binding::Lanes& lanes_;
  const job::RenderJob& job_;
  plan::TileGrid tiles_;
  int rank_;
  base::Clock::time_point origin_;
  std::vector<std::vector<FieldBuffer>> buffers_;  ///< by lane, by field
  std::atomic<std::uint64_t> executed_ = 0;
};

/// Writes chunks as they arrive, and flushes periodically, so that a reader sees the progress.
class TileSink : public farm::Sink {
 public:
  /// A stored tile is synced to the disk after at most `checkpoint`. `live`, which may be null,
  /// receives the rank of each tile; `stored` the counts, by the rank that computed the tile.
  TileSink(store::ImageWriter& writer, const plan::TileGrid& tiles, std::chrono::seconds checkpoint,
           report::LiveRun* live, std::map<int, StoredCounts>& stored)
      : writer_(writer),
        tiles_(tiles),
        live_(live),
        stored_(stored),
        checkpoints_([&writer] { writer.sync(); }, checkpoint) {}
  void put(farm::ResultChunk result_chunk) override;

 private:
  store::ImageWriter& writer_;
  plan::TileGrid tiles_;
  report::LiveRun* live_;
  std::map<int, StoredCounts>& stored_;
  std::vector<std::pair<std::int64_t, store::TileRow>> open_;  ///< tiles with missing fields
  base::Clock::time_point flushed_ = base::Clock::now();
  base::PeriodicTask checkpoints_;
};

}  // namespace tessera::render
