#include "run/verify_work.hpp"

#include <algorithm>
#include <cstring>

#include "base/error.hpp"

namespace tessera::run {

class VerifyTask : public Task {
 public:
  VerifyTask(VerifyWork& work, std::int64_t item) : work_(work), item_(item) {}
  int parts() const override { return 1; }
  void run_part(int, int lane) override { problem_ = work_.check(item_, lane); }
  void finish(int, const Emit& emit) override {
    base::ByteWriter body;
    emit({.item = item_, .body = body.put_text(problem_).take()});
  }

 private:
  VerifyWork& work_;
  std::int64_t item_;
  std::string problem_;
};

VerifyWork::VerifyWork(const store::ImageReader* reader, const VerifyPlan& plan, Lanes& lanes)
    : reader_(reader), plan_(plan), lanes_(lanes) {
  if (!reader) return;
  const auto chunk_pixels = static_cast<std::size_t>(plan.tiles.chunk_px().pixels());
  scratch_.resize(static_cast<std::size_t>(lanes.count()));
  for (auto& fields : scratch_) {
    for (const auto& [field, type] : reader->header().fields) {
      FieldScratch& scratch =
          fields.emplace_back(FieldScratch{field, codec::ChunkDecoder(type), {}, {}, {}});
      scratch.values.resize(chunk_pixels * base::element_bytes(type));
      scratch.again.resize(static_cast<std::size_t>(plan.tiles.tile_px * kSampledRows) *
                           base::element_bytes(type));
    }
  }
}

std::unique_ptr<Task> VerifyWork::begin(std::int64_t item, int) {
  return std::make_unique<VerifyTask>(*this, item);
}

std::string VerifyWork::check(std::int64_t item, int lane) {
  const std::int64_t tile = plan_.stored[static_cast<std::size_t>(item)];
  auto& fields = scratch_[static_cast<std::size_t>(lane)];
  std::string problem = check_bytes(tile, fields);
  if (problem.empty()) problem = check_counts(tile, fields.front());
  const auto sampled = plan_.sample.find(item);
  if (problem.empty() && sampled != plan_.sample.end()) {
    problem = check_sample(tile, sampled->second, lane);
  }
  if (problem.empty()) return problem;
  return fmt::format("tile row {}, column {}: {}", plan_.tiles.row_of(tile),
                     plan_.tiles.column_of(tile), problem);
}

std::string VerifyWork::check_bytes(std::int64_t tile, std::vector<FieldScratch>& fields) {
  std::uint32_t checksum = 0;
  for (FieldScratch& scratch : fields) {
    {
      std::scoped_lock lock(reading_);
      if (!reader_->read_chunk(scratch.field, plan_.tiles.row_of(tile), plan_.tiles.column_of(tile),
                               scratch.stored, scratch.filter_mask)) {
        return fmt::format("its chunk of /{} is not in the file", job::field_name(scratch.field));
      }
    }
    checksum = codec::crc32c(scratch.stored, checksum);
  }
  const std::uint32_t expected = plan_.rows[static_cast<std::size_t>(tile)].checksum;
  if (checksum != expected) {
    return fmt::format("checksum {:08x}, stored as {:08x}: its bytes have changed", checksum,
                       expected);
  }
  try {
    for (FieldScratch& scratch : fields) {
      scratch.decoder.decode(scratch.stored, scratch.filter_mask, scratch.values);
    }
  } catch (const base::Error& error) {
    return error.what();
  }
  return {};
}

std::string VerifyWork::check_counts(std::int64_t tile, const FieldScratch& iterations) const {
  const base::PixelRect rect = plan_.tiles.rect(tile);
  const std::int64_t stride = plan_.tiles.chunk_px().width;
  const bool narrow = job::iterations_type(plan_.job.image) == base::ElementType::u16;
  std::uint64_t sum = 0;
  for (std::int64_t y = 0; y < rect.height; ++y) {
    for (std::int64_t x = 0; x < rect.width; ++x) {
      const auto index = static_cast<std::size_t>(y * stride + x);
      std::uint32_t value = 0;
      if (narrow) {
        std::uint16_t half = 0;
        std::memcpy(&half, iterations.values.data() + index * 2, 2);
        value = half;
      } else {
        std::memcpy(&value, iterations.values.data() + index * 4, 4);
      }
      sum += value;
    }
  }
  const std::uint64_t expected = plan_.rows[static_cast<std::size_t>(tile)].iterations;
  if (sum == expected) return {};
  return fmt::format("its counts add up to {}, /tiles says {}", sum, expected);
}

std::string VerifyWork::check_sample(std::int64_t tile, std::int64_t row, int lane) {
  base::PixelRect block = plan_.tiles.rect(tile);
  const std::int64_t stride = plan_.tiles.chunk_px().width;
  block.y += row;
  block.height = std::min(kSampledRows, block.height - row);
  auto& fields = scratch_[static_cast<std::size_t>(lane)];
  device::BlockBuffers out{.stride_px = stride};
  for (FieldScratch& scratch : fields) {
    if (scratch.field == job::Field::smooth) {
      out.smooth = reinterpret_cast<float*>(scratch.again.data());
    } else {
      out.iterations = scratch.again.data();
    }
  }
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

void VerifySink::put(Parcel parcel) {
  std::string problem = base::ByteReader(parcel.body).get_text();
  if (!problem.empty()) problems_.push_back(std::move(problem));
}

}  // namespace tessera::run
