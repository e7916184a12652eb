// A job of `tessera explore`, which renders in a browser what is looked at.
#pragma once

#include <cstdint>
#include <span>

#include "job/image/options.hpp"
#include "job/serve_job.hpp"

namespace tessera::job {

struct ExploreJob : ServeJob {
  RenderJob render;               ///< the first view, and the arithmetic of pixels
  std::uint64_t iterations = 0;   ///< at least
  bool iterations_given = false;  ///< the same at every depth
  bool allow_render = false;      ///< the page may start renders
};

/// The options that `render` does not have.
std::span<const Option<ExploreJob>> explore_options();

/// The options of `render` of which `explore` takes notice. A job file may have the others.
std::span<const Option<RenderJob>> explored_options();

/// `render`: options of `render`, in order.
ExploreJob make_explore_job(std::span<const Given> render, std::span<const Given> own);

}  // namespace tessera::job
