// Posters: `tessera render` jobs of the current view, their plans, and one running render.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

#include "explore/child_program.hpp"
#include "job/image/options.hpp"
#include "job/image/render_job.hpp"
#include "view/http/target.hpp"
#include "view/look.hpp"

namespace tessera::explore {

/// The job file of a poster: parameters with the names of options of `render`, and those of
/// colours. `job` has the options and the colours that the parameters lack. Throws the errors of
/// make_render_job().
std::string poster_job(const view::Target& target, const job::RenderJob& job,
                       const view::PaletteFiles& palettes);

/// Any thread may use it.
class Posters {
 public:
  /// Commands run on these devices.
  explicit Posters(std::string device) : device_(std::move(device)) {}

  /// The output of `tessera plan` for the job. Throws HttpError 429 while another plan is made, and
  /// 400 with the message of the program.
  std::string plan(const std::string& job_file);
  /// Starts `tessera render` and returns the name of its file in the current folder. Throws
  /// HttpError 429 while another one runs.
  std::string render(const std::string& job_file);
  /// Stops a running render in good order; the same command resumes it.
  void stop();

 private:
  std::string device_;
  std::atomic<bool> planning_ = false;
  std::mutex mutex_;
  ChildProgram render_;
};

}  // namespace tessera::explore
