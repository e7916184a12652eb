// Checks stored tiles: bytes against checksums, counts against the tile table, and for a sample of
// tiles some recomputed rows. Some pixels of such rows of a deep image are computed by their
// definition, too.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "binding/device_work.hpp"
#include "binding/render_lanes.hpp"
#include "codec/chunk.hpp"
#include "post/verify/definition_sample.hpp"
#include "post/verify/verify_plan.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

enum class Verdict : std::uint8_t {
  absent,      ///< not stored in the checking rank's view of the file
  right,       ///< its bytes and counts agree with /tiles
  recomputed,  ///< right, and its recomputed rows are identical
  wrong
};

struct Finding {
  Verdict verdict = Verdict::absent;
  std::string problem;              ///< one line with the position of the tile; "" if there is none
  std::int64_t defined_pixels = 0;  ///< computed by their definition
};

/// An item is a tile of the grid, stored or not: ranks may have opened a growing file at different
/// times, and each reports its own view.
class VerifyWork : public binding::DeviceWork {
 public:
  /// `reader` is null on a rank that has no such file; the rank then does no work.
  VerifyWork(const store::ImageReader* reader, const VerifyPlan& plan, binding::Lanes& lanes);

  int lanes() const override { return static_cast<int>(scratch_.size()); }
  report::Stage part_stage() const override { return report::Stage::compute; }
  report::Stage finish_stage() const override { return report::Stage::encode; }
  std::unique_ptr<farm::Task> begin(std::int64_t item, int lane) override;

  /// Returns every problem of a tile as a finding, including a tile that cannot be read. Throws
  /// only if the lane's device fails.
  Finding check(std::int64_t tile, int lane);

 private:
  class DefinedTask;
  struct FieldScratch {
    job::Field field;
    codec::ChunkDecoder decoder;
    base::Bytes stored, values, again;
    std::uint32_t filter_mask = 0;
  };
  std::string at_tile(std::int64_t tile, const std::string& problem) const;
  /// Pixels of the rows that check() has just recomputed on this lane.
  std::vector<DefinedPixel> choose_pixels(std::int64_t tile, int lane) const;
  /// Same as check(), but without the position of the tile in the text.
  Finding examine(std::int64_t tile, int lane);
  /// Returns a text that names the missing chunk, or "".
  std::string read_chunks(std::int64_t tile, std::vector<FieldScratch>& fields);
  // These return a description of the error, or "".
  std::string check_bytes(std::int64_t tile, std::vector<FieldScratch>& fields);
  std::string check_counts(std::int64_t tile, const FieldScratch& iterations) const;
  std::string check_sample(std::int64_t tile, int lane);

  binding::Lanes& lanes_;
  const store::ImageReader* reader_;
  const VerifyPlan& plan_;
  std::vector<std::vector<FieldScratch>> scratch_;  ///< by lane, by field
};

/// Counts verdicts and keeps the first problems.
class VerifySink : public farm::Sink {
 public:
  static constexpr std::size_t kMaxProblems = 20;

  void put(farm::ResultChunk result_chunk) override;
  std::int64_t count(Verdict verdict) const { return counts_[static_cast<std::size_t>(verdict)]; }
  std::int64_t defined_pixels() const { return defined_pixels_; }
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  std::array<std::int64_t, 4> counts_{};
  std::int64_t defined_pixels_ = 0;
  std::vector<std::string> problems_;
};

}  // namespace tessera::post
