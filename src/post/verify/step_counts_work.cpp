#include "post/verify/step_counts_work.hpp"

#include "base/bytes.hpp"

namespace tessera::post {

class StepCountsTask : public farm::Task {
 public:
  StepCountsTask(StepCountsWork& work, std::int64_t band, int lane)
      : work_(work),
        band_(band),
        buffers_(work.lanes_[static_cast<std::size_t>(lane)]),
        counts_(work.range_) {}

  int parts() const override { return 1; }

  void run_part(int, int) override {
    const base::PixelRect source = work_.bands_.source_of(band_);
    work_.reader_->for_each_run(source, buffers_, [&](const ChunkReader::Run& run) {
      if (!run.values) return;
      counts_.add(run.values, work_.reader_->type(), static_cast<std::size_t>(run.pixels));
    });
  }

  void finish(int, const farm::SendResult& send_result) override {
    send_result({.item = band_, .body = packed(counts_)});
  }

 private:
  StepCountsWork& work_;
  std::int64_t band_;
  ChunkReader::Buffers& buffers_;
  color::StepCounts counts_;
};

StepCountsWork::StepCountsWork(ChunkReader* reader, const BandPlan& bands, color::ValueRange range,
                               int lanes)
    : reader_(reader), bands_(bands), range_(range) {
  for (int i = 0; reader && i < lanes; ++i) lanes_.emplace_back(*reader);
}

std::unique_ptr<farm::Task> StepCountsWork::begin(std::int64_t band, int lane) {
  return std::make_unique<StepCountsTask>(*this, band, lane);
}

base::Bytes packed(color::StepCounts& counts) {
  base::ByteWriter body;
  std::uint32_t step = 0;
  for (const std::uint64_t count : counts.counts()) {
    if (count > 0) body.put(step).put(count);
    ++step;
  }
  return body.take();
}

void StepCountsSink::put(farm::ResultChunk result_chunk) {
  constexpr std::size_t kPairBytes = sizeof(std::uint32_t) + sizeof(std::uint64_t);
  base::ByteReader in(result_chunk.body);
  for (std::size_t i = 0; i < result_chunk.body.size() / kPairBytes; ++i) {
    const auto step = in.get<std::uint32_t>();
    counts_.counts()[step] += in.get<std::uint64_t>();
  }
}

}  // namespace tessera::post
