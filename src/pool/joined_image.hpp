// An image that is joined of the files of a pool, and its picture.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "job/image/render_job.hpp"
#include "run/context.hpp"

namespace tessera::pool {

/// Removes an image, its unfinished file and what lies beside that.
void remove_image(const std::string& path);

/// Copies the tiles that earlier holders of a share have stored into `output`.part, or `output` if
/// they are all. They are copied, since a holder that was only suspended may still write its file.
void take_over(const std::vector<std::string>& earlier, const std::string& output);

/// All runs of a pool have the same tiles, as all shares have.
job::RenderJob with_fixed_tile(job::RenderJob job);

/// Whether job.output is there, complete.
bool is_made(const job::RenderJob& job);

class JoinedImage {
 public:
  /// `job` is one of a single run, `pool` the folder.
  JoinedImage(comm::World& world, job::RenderJob job, std::string pool)
      : world_(world), job_(std::move(job)), pool_(std::move(pool)) {}

  /// Collective. Whether the image is there.
  bool is_made();
  /// Collective. Joins `parts`, which are of the gather rank, in a file of this run, which then
  /// gets the name of the image: a run that was suspended may do the same. Tiles that are damaged
  /// are rendered again. `generation`: of the lease under which this run does it.
  void join(run::Context& context, const std::vector<std::string>& parts, int generation);
  /// Collective. Makes the picture that the job asks for, the first time that it is called.
  void make_picture(run::Context& context);
  /// On the gather rank. Removes what runs up to this generation have left of join(), and no file
  /// of another image.
  void remove_joined(int generation);

 private:
  /// Beside the image, so that it can be renamed. No other pool has the name.
  std::string joined_file(int generation) const;
  bool others_make_picture();
  void remove_own(const std::string& joined) const;
  job::RenderJob whole_into(const std::string& output) const;

  comm::World& world_;
  job::RenderJob job_;
  std::string pool_;
  bool picture_made_ = false;
};

}  // namespace tessera::pool
