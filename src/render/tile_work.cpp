#include "render/tile_work.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>

#include "base/clock.hpp"
#include "base/run.hpp"
#include "base/saturated_sum.hpp"
#include "device/pixels/block_proof.hpp"

namespace tessera::render {
namespace {

constexpr std::chrono::seconds kFlushInterval(5);

/// A proof may take a fiftieth of the time of the quickest tile, and enough for a small one.
constexpr std::int64_t kPixelsPerProofStep = 256;
constexpr std::int64_t kLeastProofSteps = 64;

}  // namespace

class TileTask : public farm::Task {
 public:
  TileTask(RenderWork& work, std::int64_t tile, int lane)
      : work_(work),
        tile_(tile),
        rect_(work.tiles_.rect(tile)),
        stride_px_(work.tiles_.chunk_px().width),
        buffers_(work.buffers_[static_cast<std::size_t>(lane)]),
        start_s_(base::seconds_between(work.origin_, base::Clock::now())) {
    const device::Device& device = work.lanes_.device_of(lane);
    device.info().name.copy(device_, sizeof(device_) - 1);
    const int rows = device.rows_per_call(rect_.width);
    rows_per_part_ = rows == 0 ? rect_.height : std::min<std::int64_t>(rows, rect_.height);
    const base::ImageSize chunk = work.tiles_.chunk_px();
    const bool is_whole = rect_.width == chunk.width && rect_.height == chunk.height;
    if (is_whole && device.takes_proofs()) prove();
    if (!is_whole) {
      for (const auto& buffer : buffers_) std::ranges::fill(buffer.values(), std::byte{});
    }
  }

  int parts() const override {
    if (is_proven_) return 1;
    return static_cast<int>((rect_.height + rows_per_part_ - 1) / rows_per_part_);
  }

  void run_part(int part, int lane) override { run_parts(part, 1, lane); }

  int parts_at_once(int lane) const override {
    const std::int64_t rows = work_.lanes_.device_of(lane).rows_to_help(rect_.width);
    return static_cast<int>(std::max<std::int64_t>(1, rows / rows_per_part_));
  }

  void run_parts(int first_part, int count, int lane) override {
    if (is_proven_) return;
    const std::int64_t row = first_part * rows_per_part_;
    const base::PixelRect block{rect_.x, rect_.y + row, rect_.width,
                                std::min(count * rows_per_part_, rect_.height - row)};
    // A device may shuffle bytes while it copies. This needs a tile in one part, since a plane
    // spans the whole tile.
    const bool shuffled = rows_per_part_ == rect_.height && work_.job_.compress > 0 &&
                          work_.lanes_.device_of(lane).shuffles();
    device::BlockBuffers out{.stride_px = stride_px_};
    if (shuffled) out.plane_px = work_.tiles_.chunk_px().pixels();
    for (const auto& buffer : buffers_) {
      const std::size_t element =
          base::element_bytes(job::field_type(work_.job_.image, buffer.field));
      std::byte* const first =
          buffer.values().data() + static_cast<std::size_t>(row * stride_px_) * element;
      out.set(buffer.field, first);
    }
    const auto start = base::Clock::now();
    device::BlockCounts counts;
    try {
      counts = work_.lanes_[lane].render(work_.job_.image, block, out);
    } catch (const device::Interrupted&) {
      given_up_ = true;
    }
    const double elapsed_s = base::seconds_between(start, base::Clock::now());
    std::scoped_lock lock(mutex_);
    counts_ += counts;
    counts_.uniform = counts.uniform;
    shuffled_ = shuffled;
    compute_s_ += elapsed_s;
  }

  void finish(int, const farm::SendResult& send_result) override {
    if (given_up_) return;
    ChunkNote note{.rank = work_.rank_,
                   .start_s = start_s_,
                   .compute_s = compute_s_,
                   .iterations = counts_.iterations,
                   .uncertain = {counts_.uncertain, counts_.uncertain_on_gpu,
                                 counts_.uncertain_with_more, counts_.undecided}};
    std::memcpy(note.device, device_, sizeof(device_));
    for (auto& buffer : buffers_) {
      const auto start = base::Clock::now();
      const codec::EncodedChunk chunk = encode(buffer);
      note.field = buffer.field;
      note.filter_mask = chunk.filter_mask;
      note.checksum = codec::crc32c(chunk.bytes, note.checksum);
      note.encode_s = base::seconds_between(start, base::Clock::now());
      base::ByteWriter body;
      body.reserve(sizeof(note) + chunk.bytes.size());
      body.put(note).put_bytes(chunk.bytes);
      send_result({.item = tile_, .last = &buffer == &buffers_.back(), .body = body.take()});
    }
    work_.executed_ += counts_.executed;
  }

 private:
  void prove() {
    base::Stopwatch watch(compute_s_);
    const std::int64_t steps = std::max(rect_.pixels() / kPixelsPerProofStep, kLeastProofSteps);
    counts_.uniform =
        device::proven_value(work_.job_.image, job::more_fields(work_.job_.fields), rect_, steps);
    is_proven_ = counts_.uniform.has_value();
    if (is_proven_) {
      counts_.iterations =
          base::saturated_product(*counts_.uniform, static_cast<std::uint64_t>(rect_.pixels()));
    }
  }

  codec::EncodedChunk encode(RenderWork::FieldBuffer& buffer) const {
    if (counts_.uniform && buffer.field != job::Field::iterations) {
      const bool smooth = buffer.field == job::Field::smooth;
      const float value = smooth ? static_cast<float>(*counts_.uniform) : 0;
      return buffer.encoder.encode_uniform(std::as_bytes(std::span(&value, 1)),
                                           buffer.values().size());
    }
    if (counts_.uniform) {
      // All supported machines are little-endian: the first bytes are the value in the narrower
      // type.
      const auto value = std::as_bytes(std::span(&*counts_.uniform, 1));
      const auto type = job::iterations_type(work_.job_.image);
      return buffer.encoder.encode_uniform(value.first(base::element_bytes(type)),
                                           buffer.values().size());
    }
    return shuffled_ ? buffer.encoder.encode_shuffled(buffer.values())
                     : buffer.encoder.encode(buffer.values());
  }

  RenderWork& work_;
  std::int64_t tile_;
  base::PixelRect rect_;
  std::int64_t stride_px_;
  std::int64_t rows_per_part_ = 0;
  std::vector<RenderWork::FieldBuffer>& buffers_;
  char device_[sizeof(ChunkNote::device)] = {};
  double start_s_;
  bool is_proven_ = false;  ///< counts_ is known without rendering
  std::atomic<bool> given_up_ = false;
  std::mutex mutex_;
  device::BlockCounts counts_;
  bool shuffled_ = false;  ///< the buffers hold shuffled bytes
  double compute_s_ = 0;
};

RenderWork::RenderWork(const job::RenderJob& job, const plan::TileGrid& tiles,
                       binding::Lanes& lanes, const comm::World& world, bool finishes_tiles)
    : binding::DeviceWork(lanes.devices()),
      lanes_(lanes),
      job_(job),
      tiles_(tiles),
      rank_(world.rank()),
      origin_(world.origin()) {
  set_lanes(lanes.all());
  buffers_.resize(static_cast<std::size_t>(lanes.count()));
  if (finishes_tiles) return;
  interrupt_lanes_when([&stop = base::this_run().stop] { return stop.requested(); });
}

RenderWork::~RenderWork() {
  interrupt_lanes_when({});
}

/// A device that joins later finishes its tiles.
void RenderWork::interrupt_lanes_when(const std::function<bool()>& unwanted) {
  for (int lane = 0; lane < lanes_.count(); ++lane) {
    if (!lane_lost(lane)) lanes_[lane].interrupt_when(unwanted);
  }
}

/// Called in the thread of the lane at its first tile: allocating page-locked memory is slow, and a
/// device that fails here is lost like a device whose kernel fails.
void RenderWork::make_buffers(int lane) {
  std::vector<FieldBuffer>& fields = buffers_[static_cast<std::size_t>(lane)];
  if (!fields.empty()) return;
  const auto chunk_pixels = static_cast<std::size_t>(tiles_.chunk_px().pixels());
  std::vector<FieldBuffer> made;
  for (const job::Field field : job_.fields) {
    const base::ElementType type = job::field_type(job_.image, field);
    made.push_back({field, lanes_[lane].make_host_buffer(chunk_pixels * base::element_bytes(type)),
                    codec::ChunkEncoder(type, job_.compress)});
  }
  fields = std::move(made);
}

std::unique_ptr<farm::Task> RenderWork::begin(std::int64_t tile, int lane) {
  make_buffers(lane);
  return std::make_unique<TileTask>(*this, tile, lane);
}

std::size_t RenderWork::lane_memory_bytes(const job::RenderJob& job, const plan::TileGrid& tiles) {
  std::size_t bytes = 0;
  for (const job::Field field : job.fields) {
    const std::size_t raw = static_cast<std::size_t>(tiles.chunk_px().pixels()) *
                            base::element_bytes(job::field_type(job.image, field));
    // Plus its message, which waits until the messages of all fields are complete.
    bytes += raw + codec::ChunkEncoder::memory_bytes(raw, job.compress) + raw + sizeof(ChunkNote);
  }
  return bytes;
}

StoredCounts& StoredCounts::operator+=(const StoredCounts& more) {
  tiles += more.tiles;
  pixels += more.pixels;
  iterations = base::saturated_sum(iterations, more.iterations);
  uncertain += more.uncertain;
  bytes += more.bytes;
  return *this;
}

void TileSink::put(farm::ResultChunk result_chunk) {
  base::ByteReader in(result_chunk.body);
  const auto note = in.get<ChunkNote>();
  const auto chunk = in.get_bytes(result_chunk.body.size() - sizeof(ChunkNote));
  const std::int64_t row = tiles_.row_of(result_chunk.item);
  const std::int64_t column = tiles_.column_of(result_chunk.item);
  writer_.write_chunk(note.field, row, column, chunk, note.filter_mask);

  auto tile = std::find_if(open_.begin(), open_.end(),
                           [&](const auto& entry) { return entry.first == result_chunk.item; });
  if (tile == open_.end()) tile = open_.emplace(open_.end(), result_chunk.item, store::TileRow{});
  store::TileRow& entry = tile->second;
  entry.row = static_cast<std::uint32_t>(row);
  entry.column = static_cast<std::uint32_t>(column);
  entry.rank = note.rank;
  entry.device = note.device;
  entry.start_s = note.start_s;
  entry.compute_s = note.compute_s;
  entry.encode_s += note.encode_s;
  entry.bytes += chunk.size();
  entry.iterations = note.iterations;
  entry.checksum = note.checksum;
  if (!result_chunk.last) return;
  checkpoints_.check();
  writer_.set_tile(entry);
  if (live_) {
    live_->take_time(result_chunk.item,
                     {.rank = entry.rank,
                      .start_s = static_cast<float>(entry.start_s),
                      .seconds = static_cast<float>(entry.compute_s)},
                     entry.device);
  }
  stored_[note.rank] +=
      {.tiles = 1,
       .pixels = static_cast<std::uint64_t>(tiles_.rect(result_chunk.item).pixels()),
       .iterations = entry.iterations,
       .uncertain = note.uncertain,
       .bytes = entry.bytes};
  open_.erase(tile);
  if (const auto now = base::Clock::now(); now - flushed_ >= kFlushInterval) {
    writer_.flush();
    flushed_ = now;
  }
}

}  // namespace tessera::render
