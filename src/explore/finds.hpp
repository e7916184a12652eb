// `tessera find` for the page: the minibrot near a point.
#pragma once

#include <atomic>
#include <string>

#include "job/image/render_job.hpp"
#include "view/http/target.hpp"

namespace tessera::explore {

/// Any thread may use it.
class Finds {
 public:
  /// What `tessera find --json` prints for "center", "width" and "formula", or else that of `job`.
  /// Throws HttpError 429 while another one is looked for, 404 where none is proven, and 400 with
  /// the message of the program.
  std::string find(const view::Target& target, const job::RenderJob& job);

 private:
  std::atomic<bool> finding_ = false;
};

}  // namespace tessera::explore
