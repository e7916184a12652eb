#include "post/verify/verify_work.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "store/image/counts.hpp"

namespace tessera::post {

VerifyWork::VerifyWork(const store::ImageReader* reader, const VerifyPlan& plan,
                       binding::Lanes& lanes)
    : binding::DeviceWork(lanes.devices()), lanes_(lanes), reader_(reader), plan_(plan) {
  if (!reader) return;
  set_lanes(lanes.all());
  const base::ImageSize chunk = plan.tiles.chunk_px();
  scratch_.resize(static_cast<std::size_t>(std::min(lanes.count(), plan.max_lanes)));
  for (auto& fields : scratch_) {
    for (const auto& [field, type] : reader->header().fields) {
      FieldScratch& scratch =
          fields.emplace_back(FieldScratch{field, codec::ChunkDecoder(type), {}, {}, {}});
      const std::size_t element = base::element_bytes(type);
      scratch.values.resize(static_cast<std::size_t>(chunk.pixels()) * element);
      scratch.again.resize(static_cast<std::size_t>(chunk.width * kSampledRows) * element);
    }
  }
}

namespace {

base::Bytes message_of(const Finding& finding) {
  return base::to_bytes(finding.verdict, finding.problem, finding.defined_pixels);
}

}  // namespace

/// A sampled tile of a deep image. Its parts are pixels by their definition, for all threads.
class VerifyWork::DefinedTask : public farm::Task {
 public:
  DefinedTask(VerifyWork& work, std::int64_t tile, int lane)
      : work_(work), tile_(tile), finding_(work.check(tile, lane)) {
    if (finding_.verdict == Verdict::recomputed) pixels_ = work.choose_pixels(tile, lane);
    finding_.defined_pixels = static_cast<std::int64_t>(pixels_.size());
  }

  int parts() const override { return std::max(1, static_cast<int>(pixels_.size())); }

  void run_part(int part, int) override {
    if (pixels_.empty()) return;
    const std::string problem =
        compare_defined(work_.plan_.job.image, pixels_[static_cast<std::size_t>(part)]);
    if (problem.empty()) return;
    const std::scoped_lock lock(mutex_);
    finding_.verdict = Verdict::wrong;
    finding_.problem = work_.at_tile(tile_, problem);
  }

  void finish(int, const farm::SendResult& send_result) override {
    send_result({.item = tile_, .body = message_of(finding_)});
  }

 private:
  VerifyWork& work_;
  std::int64_t tile_;
  std::mutex mutex_;
  Finding finding_;
  std::vector<DefinedPixel> pixels_;
};

std::unique_ptr<farm::Task> VerifyWork::begin(std::int64_t item, int lane) {
  if (plan_.states[static_cast<std::size_t>(item)] == TileState::sampled &&
      has_defined_counts(plan_.job.image)) {
    return std::make_unique<DefinedTask>(*this, item, lane);
  }
  return std::make_unique<farm::OnePartTask>(
      item, [this](std::int64_t tile, int at) { return message_of(check(tile, at)); });
}

std::vector<DefinedPixel> VerifyWork::choose_pixels(std::int64_t tile, int lane) const {
  const FieldScratch& counts = scratch_[static_cast<std::size_t>(lane)].front();
  const base::PixelRect rows = plan_.sampled_rows(tile);
  return choose_defined(plan_.job.image, rows, counts.again, plan_.tiles.chunk_px().width,
                        plan_.seed + static_cast<std::uint64_t>(tile));
}

std::string VerifyWork::at_tile(std::int64_t tile, const std::string& problem) const {
  return fmt::format("tile row {}, column {}: {}", plan_.tiles.row_of(tile),
                     plan_.tiles.column_of(tile), problem);
}

Finding VerifyWork::check(std::int64_t tile, int lane) {
  Finding finding = examine(tile, lane);
  if (!finding.problem.empty()) finding.problem = at_tile(tile, finding.problem);
  return finding;
}

Finding VerifyWork::examine(std::int64_t tile, int lane) {
  const TileState state = plan_.states[static_cast<std::size_t>(tile)];
  if (state == TileState::misplaced) {
    return {Verdict::wrong, "its row of /tiles speaks of another tile"};
  }
  if (state == TileState::absent) {
    return {Verdict::absent,
            plan_.complete ? "not stored, though the file says that it is complete" : ""};
  }
  auto& fields = scratch_[static_cast<std::size_t>(lane)];
  std::string problem;
  try {
    problem = read_chunks(tile, fields);
    // The table may list tiles whose chunks are missing: while a file is being written, or after a
    // kill.
    if (!problem.empty() && !plan_.complete) return {Verdict::absent, ""};
    if (problem.empty()) problem = check_bytes(tile, fields);
  } catch (const base::Error& error) {
    problem = error.what();
  }
  if (problem.empty()) problem = check_counts(tile, fields.front());
  if (problem.empty() && state == TileState::sampled) problem = check_sample(tile, lane);
  if (!problem.empty()) return {Verdict::wrong, problem};
  return {state == TileState::sampled ? Verdict::recomputed : Verdict::right, ""};
}

std::string VerifyWork::read_chunks(std::int64_t tile, std::vector<FieldScratch>& fields) {
  const std::int64_t row = plan_.tiles.row_of(tile);
  const std::int64_t column = plan_.tiles.column_of(tile);
  for (FieldScratch& scratch : fields) {
    if (!reader_->read_chunk(scratch.field, row, column, scratch.stored, scratch.filter_mask)) {
      return fmt::format("its chunk of /{} is not in the file", job::field_name(scratch.field));
    }
  }
  return {};
}

std::string VerifyWork::check_bytes(std::int64_t tile, std::vector<FieldScratch>& fields) {
  std::uint32_t checksum = 0;
  for (const FieldScratch& scratch : fields) checksum = codec::crc32c(scratch.stored, checksum);
  const std::uint32_t expected = plan_.checksums[static_cast<std::size_t>(tile)];
  if (checksum != expected) {
    return fmt::format("checksum {:08x}, stored as {:08x}: its bytes have changed", checksum,
                       expected);
  }
  for (FieldScratch& scratch : fields) {
    try {
      scratch.decoder.decode(scratch.stored, scratch.filter_mask, scratch.values);
    } catch (const base::Error& error) {
      return fmt::format("/{}: {}", job::field_name(scratch.field), error.what());
    }
  }
  return {};
}

std::string VerifyWork::check_counts(std::int64_t tile, const FieldScratch& iterations) const {
  const base::PixelRect rect = plan_.tiles.rect(tile);
  const std::uint64_t sum =
      store::sum_of_counts(iterations.values, job::iterations_type(plan_.job.image),
                           plan_.tiles.chunk_px().width, {rect.width, rect.height});
  const std::uint64_t expected = plan_.iterations[static_cast<std::size_t>(tile)];
  if (sum == expected) return {};
  return fmt::format("its counts add up to {}, /tiles says {}", sum, expected);
}

std::string VerifyWork::check_sample(std::int64_t tile, int lane) {
  const base::PixelRect block = plan_.sampled_rows(tile);
  const std::int64_t row = block.y - plan_.tiles.rect(tile).y;
  const std::int64_t stride = plan_.tiles.chunk_px().width;
  auto& fields = scratch_[static_cast<std::size_t>(lane)];
  device::BlockBuffers out{.stride_px = stride};
  for (FieldScratch& scratch : fields) out.set(scratch.field, scratch.again.data());
  lanes_[lane].render(plan_.job.image, block, out);
  for (const FieldScratch& scratch : fields) {
    const std::size_t element =
        base::element_bytes(job::field_type(plan_.job.image, scratch.field));
    for (std::int64_t y = 0; y < block.height; ++y) {
      const std::size_t again = static_cast<std::size_t>(y * stride) * element;
      const std::size_t stored = static_cast<std::size_t>((row + y) * stride) * element;
      if (std::memcmp(scratch.again.data() + again, scratch.values.data() + stored,
                      static_cast<std::size_t>(block.width) * element) != 0) {
        return fmt::format("/{} differs from {} in image row {}", job::field_name(scratch.field),
                           lanes_.device_of(lane).info().name, block.y + y);
      }
    }
  }
  return {};
}

void VerifySink::put(farm::ResultChunk result_chunk) {
  base::ByteReader in(result_chunk.body);
  ++counts_[static_cast<std::size_t>(in.get<Verdict>())];
  std::string problem = in.get<std::string>();
  defined_pixels_ += in.get<std::int64_t>();
  if (!problem.empty() && problems_.size() < kMaxProblems) problems_.push_back(std::move(problem));
}

}  // namespace tessera::post
