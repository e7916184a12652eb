// Checks of stored tiles: bytes against checksums, counts against the tile table, and for a sample
// some rows computed again.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "codec/chunk.hpp"
#include "job/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "run/lanes.hpp"
#include "run/work.hpp"
#include "store/image_file.hpp"

namespace tessera::run {

/// Rows of a sampled tile that are computed again.
inline constexpr std::int64_t kSampledRows = 16;

struct VerifyPlan {
  job::RenderJob job;  ///< as the file's attributes say
  plan::TileGrid tiles;
  std::vector<store::TileRow> rows;  ///< of the tile table, by tile number
  std::vector<std::int64_t> stored;  ///< item -> tile
  /// Item -> first row of those to compute again.
  std::unordered_map<std::int64_t, std::int64_t> sample;
};

class VerifyWork : public Work {
 public:
  /// `reader` null on a rank that cannot read the file: it then takes no part.
  VerifyWork(const store::ImageReader* reader, const VerifyPlan& plan, Lanes& lanes);

  int lanes() const override { return static_cast<int>(scratch_.size()); }
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<Task> begin(std::int64_t item, int lane) override;

 private:
  friend class VerifyTask;
  struct FieldScratch {
    job::Field field;
    codec::ChunkDecoder decoder;
    base::Bytes stored, values, again;
    std::uint32_t filter_mask = 0;
  };
  /// What is wrong with the tile, or "".
  std::string check(std::int64_t item, int lane);
  std::string check_bytes(std::int64_t tile, std::vector<FieldScratch>& fields);
  std::string check_counts(std::int64_t tile, const FieldScratch& iterations) const;
  std::string check_sample(std::int64_t tile, std::int64_t row, int lane);

  const store::ImageReader* reader_;
  const VerifyPlan& plan_;
  Lanes& lanes_;
  std::mutex reading_;
  std::vector<std::vector<FieldScratch>> scratch_;  ///< by lane, by field
};

/// Collects what is wrong.
class VerifySink : public Sink {
 public:
  void put(Parcel parcel) override;
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::vector<std::string> problems_;
};

}  // namespace tessera::run
