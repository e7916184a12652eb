// Where the tiles of a render go: a file (render/file_sink.hpp) or memory (render/memory_sink.hpp).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "comm/world.hpp"
#include "job/image/render_job.hpp"
#include "report/timings.hpp"
#include "store/image/image_file.hpp"

namespace tessera::render {

/// What is not overridden is right for a sink that leaves no file.
class ImageSink {
 public:
  ImageSink() = default;
  virtual ~ImageSink() = default;
  ImageSink(const ImageSink&) = delete;
  ImageSink& operator=(const ImageSink&) = delete;

  /// Collective. Adapts the job to what an earlier run left, and checks that the sink can take the
  /// image. Returns whether it is complete already. By default it refuses shares, which go to
  /// files, and turns compression off.
  virtual bool prepare(comm::World& world, job::RenderJob& job);

  /// Called on the gather rank, with the job as it is rendered. Sets `found` to the tiles that are
  /// there. Returns null if another run has completed the image since prepare().
  virtual std::unique_ptr<store::ImageWriter> begin(const job::RenderJob& job,
                                                    store::Leftover& found) = 0;

  /// Called on the gather rank, instead of begin() if it does not return 1: the number of parts
  /// that so many ranks write. 0 = another run has completed the image since prepare().
  virtual int begin_parts(const job::RenderJob& /*job*/, int /*ranks*/) { return 1; }

  /// Called for each part on the rank that writes it. Sets `found` to the tiles that are there.
  /// Returns null if none of its tiles is missing.
  virtual std::unique_ptr<store::ImageWriter> begin_part(const job::RenderJob& /*job*/,
                                                         int /*number*/,
                                                         store::Leftover& /*found*/) {
    return nullptr;
  }

  /// The rows of the tiles that an unfinished part has, sound or not.
  virtual std::vector<store::TileRow> rows_of_part(const job::RenderJob& /*job*/, int /*number*/) {
    return {};
  }

  /// Called on the gather rank, when all of several parts have ended.
  virtual void join_parts(const job::RenderJob& /*job*/, int /*parts*/,
                          std::span<const store::TimingRow> /*timing*/,
                          const store::Attributes& /*closing*/) {}

  /// Collective. Called when all tiles are stored, or were before.
  virtual std::vector<report::ThreadReport> finish(comm::World& /*world*/,
                                                   const job::RenderJob& /*job*/,
                                                   bool /*found_complete*/) {
    return {};
  }

  /// Whether a run that is stopped leaves tiles that another run finds.
  virtual bool can_resume() const { return false; }

  /// The name in messages.
  virtual std::string name(const job::RenderJob& /*job*/) const { return "the image"; }

  /// The file that keeps the reference orbit of an unfinished image; "" = none.
  virtual std::string orbit_file(const job::RenderJob& /*job*/) const { return ""; }

  /// Adds the outputs to the report. Called on the gather rank.
  virtual void describe(const job::RenderJob& /*job*/, report::RunReport& /*run*/) const {}
};

}  // namespace tessera::render
