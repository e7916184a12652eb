// Checks of stored tiles: bytes against checksums, counts against the tile table, and for a sample
// some rows computed again.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "binding/device_work.hpp"
#include "codec/chunk.hpp"
#include "post/verify_plan.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

enum class Verdict : std::uint8_t {
  absent,      ///< not stored, in the view that the checking rank has of the file
  right,       ///< its bytes and counts are as /tiles says
  recomputed,  ///< and rows of it came out the same
  wrong
};

struct Finding {
  Verdict verdict = Verdict::absent;
  std::string problem;  ///< one line with the tile's place; "" if there is none
};

/// An item is a tile of the grid, stored or not: ranks may have opened a growing file at different
/// moments, and each says what it found.
class VerifyWork : public binding::DeviceWork {
 public:
  /// `reader` null on a rank that has no such file: it then takes no part.
  VerifyWork(const store::ImageReader* reader, const VerifyPlan& plan, binding::Lanes& lanes);

  int lanes() const override { return static_cast<int>(scratch_.size()); }
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t item, int lane) override;

  /// Everything that can be wrong with a tile is a finding, also that it cannot be read; throws
  /// only when the lane's device fails.
  Finding check(std::int64_t tile, int lane);

 private:
  struct FieldScratch {
    job::Field field;
    codec::ChunkDecoder decoder;
    base::Bytes stored, values, again;
    std::uint32_t filter_mask = 0;
  };
  /// As check(), the tile's place not yet said.
  Finding examine(std::int64_t tile, int lane);
  /// Which chunk is lacking, or "".
  std::string read_chunks(std::int64_t tile, std::vector<FieldScratch>& fields);
  // What is wrong with the tile, or "".
  std::string check_bytes(std::int64_t tile, std::vector<FieldScratch>& fields);
  std::string check_counts(std::int64_t tile, const FieldScratch& iterations) const;
  std::string check_sample(std::int64_t tile, int lane);

  const store::ImageReader* reader_;
  const VerifyPlan& plan_;
  std::mutex reading_;
  std::vector<std::vector<FieldScratch>> scratch_;  ///< by lane, by field
};

/// Counts verdicts and keeps the first problems.
class VerifySink : public farm::Sink {
 public:
  static constexpr std::size_t kMostProblems = 20;

  void put(farm::ResultChunk result_chunk) override;
  std::int64_t count(Verdict verdict) const { return counts_[static_cast<std::size_t>(verdict)]; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::array<std::int64_t, 4> counts_{};
  std::vector<std::string> problems_;
};

}  // namespace tessera::post
