// Counts the values of an image in each step of the colour table, for --equalize.
#pragma once

#include <memory>
#include <vector>

#include "color/colorizer.hpp"
#include "farm/work.hpp"
#include "post/color/band_plan.hpp"
#include "post/color/chunk_reader.hpp"

namespace tessera::post {

/// An item is a band, as in ColorWork.
class StepCountsWork : public farm::Work {
 public:
  StepCountsWork(ChunkReader* reader, const BandPlan& bands, color::ValueRange range, int lanes);

  int lanes() const override { return static_cast<int>(lanes_.size()); }
  report::Stage part_stage() const override { return report::Stage::color; }
  report::Stage finish_stage() const override { return report::Stage::color; }
  std::unique_ptr<farm::Task> begin(std::int64_t band, int lane) override;

 private:
  friend class StepCountsTask;
  ChunkReader* reader_;
  BandPlan bands_;
  color::ValueRange range_;
  std::vector<ChunkReader::Buffers> lanes_;
};

/// The steps that occur, each with its count, as StepCountsSink takes them.
base::Bytes packed(color::StepCounts& counts);

/// Sums, so that the order of the bands does not matter.
class StepCountsSink : public farm::Sink {
 public:
  explicit StepCountsSink(color::ValueRange range) : counts_(range) {}
  void put(farm::ResultChunk result_chunk) override;
  const color::StepCounts& counts() const { return counts_; }

 private:
  color::StepCounts counts_;
};

}  // namespace tessera::post
