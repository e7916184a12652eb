// The outputs of `tessera render`: an image file, a picture that is made from it, or both.
#pragma once

#include <optional>

#include "base/file/unfinished_file.hpp"
#include "post/color/image_outputs.hpp"
#include "render/image_sink.hpp"

namespace tessera::render {

/// Collective. Looks at the files under the names of the job's outputs, on the gather rank, and
/// returns what the job takes over from them.
post::TakenOver look_at_files(comm::World& world, const job::RenderJob& job,
                              post::OutputsOnDisk& disk);

/// job.output and job.png. After an error, they exist only if they existed before.
class FileSink : public ImageSink {
 public:
  bool prepare(comm::World& world, job::RenderJob& job) override;
  std::unique_ptr<store::ImageWriter> begin(const job::RenderJob& job,
                                            store::Leftover& found) override;
  int begin_parts(const job::RenderJob& job, int ranks) override;
  std::unique_ptr<store::ImageWriter> begin_part(const job::RenderJob& job, int number,
                                                 store::Leftover& found) override;
  std::vector<store::TileRow> rows_of_part(const job::RenderJob& job, int number) override;
  void join_parts(const job::RenderJob& job, int parts, std::span<const store::TimingRow> timing,
                  const store::Attributes& closing) override;
  std::vector<report::ThreadReport> finish(comm::World& world, const job::RenderJob& job,
                                           bool found_complete) override;
  bool can_resume() const override { return true; }
  std::string name(const job::RenderJob& job) const override;
  std::string orbit_file(const job::RenderJob& job) const override;
  void describe(const job::RenderJob& job, report::RunReport& run) const override;

  /// For the page of a picture alone (--report-html), whose data is gone; "" otherwise. On the
  /// gather rank.
  const std::string& overview() const { return overview_; }

 private:
  void check(const job::RenderJob& job);
  int writers_of(const job::RenderJob& job) const;
  void look_again(const job::RenderJob& job);
  void end_part(const job::RenderJob& job, int number, int parts);
  bool is_unfinished() const { return found_.what == store::FoundImage::What::unfinished; }

  post::OutputsOnDisk disk_;  ///< on the gather rank, as found_
  store::FoundImage found_;
  std::optional<base::UnfinishedFile> lock_;  ///< of an image in parts, on the gather rank
  std::string overview_;
};

}  // namespace tessera::render
