// The parts in which an image is written, usually one. Each is written by a rank.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "comm/world.hpp"
#include "farm/parts.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "render/image_sink.hpp"
#include "render/tile_work.hpp"
#include "report/live_run.hpp"
#include "store/image/image_file.hpp"

namespace tessera::render {

class ImageParts {
 public:
  ImageParts(comm::World& world, ImageSink& sink) : world_(world), sink_(sink) {}

  /// Collective. Opens the parts. Sets `found`, on the gather rank, to the tiles that are there.
  /// Returns false if another run has completed the image meanwhile.
  bool begin(const job::RenderJob& job, const plan::TileGrid& tiles, store::Leftover& found);
  /// Which rank writes a tile.
  const farm::Parts& ranks() const { return ranks_; }
  /// Stores tiles in the parts of this rank; null if it writes none and cannot adopt one. `stored`:
  /// what each rank has computed of them.
  std::unique_ptr<farm::Sink> sink(const job::RenderJob& job, const plan::TileGrid& tiles,
                                   report::LiveRun* live, std::map<int, StoredCounts>& stored);
  /// Collective. What is stored in the parts of all ranks, on the gather rank.
  std::map<int, StoredCounts> gather(const job::RenderJob& job, std::map<int, StoredCounts> stored);
  /// Whether tiles were counted by what is stored, as their rank is lost or busy, on the gather
  /// rank after gather(): then not all is known of them.
  bool adopted() const { return adopted_; }
  /// Opens a part that a lost rank has written until now. Returns the rows of the tiles in it that
  /// this run has stored.
  std::vector<store::TileRow> adopt(const job::RenderJob& job, int part);
  /// What a tile of that row counts.
  StoredCounts counts_of(const store::TileRow& row) const;
  /// Null if this rank does not write the part, or none of its tiles is missing.
  store::ImageWriter* writer(int part) {
    const auto found = writers_.find(part);
    return found == writers_.end() ? nullptr : found->second.get();
  }
  /// Ends the parts of this rank, if there are several: all their tiles are stored.
  void end_mine();
  /// Collective, when all tiles are stored. The rows and attributes are those of the gather rank.
  void end(const job::RenderJob& job, std::span<const store::TimingRow> timing,
           const store::Attributes& closing);
  /// Leaves unfinished parts to a later run.
  void close() { writers_.clear(); }

 private:
  bool begin_one(const job::RenderJob& job, store::Leftover& found);
  void begin_several(const job::RenderJob& job, store::Leftover& found);
  void count_others(const job::RenderJob& job, std::map<int, StoredCounts>& stored);
  std::vector<int> choose_ranks(const job::RenderJob& job);
  bool is_in_parts() const { return ranks_.count() > 1; }

  comm::World& world_;
  ImageSink& sink_;
  farm::Parts ranks_;
  plan::TileGrid tiles_;
  std::vector<bool> found_;  ///< by tile: stored by an earlier run; if there are several parts
  bool adopted_ = false;
  std::vector<int> counted_;  ///< parts whose tiles this rank has counted
  std::map<int, std::unique_ptr<store::ImageWriter>> writers_;  ///< of this rank's parts
};

}  // namespace tessera::render
