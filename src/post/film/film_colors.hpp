// The colours of a film, which may change from frame to frame.
#pragma once

#include <memory>
#include <optional>

#include "color/colorizer.hpp"
#include "job/image/film_job.hpp"
#include "post/color/equalize.hpp"
#include "post/color/painter.hpp"

namespace tessera::post {

/// Those of a frame that is `way` of the way from the first image, 0, to the last one, 1.
job::Coloring coloring_at(const job::FilmJob& job, double way);

/// How a layer lies in its frame.
struct LayerPose {
  double scale = 1;     ///< its pixels in a pixel of the film
  double turn_deg = 0;  ///< the right of the film points so far anticlockwise in it
};

/// Immutable, so threads can share it.
class FilmColors {
 public:
  FilmColors(job::FilmJob job, ColorRule rule);

  struct Frame {
    std::shared_ptr<const color::Colorizer> colorizer;
    job::Coloring coloring;
  };
  Frame at(double way) const;
  /// Paints pixels of a layer, of values of `type`.
  Painter painter(const Frame& frame, const LayerPose& pose, base::ElementType type) const;

 private:
  job::FilmJob job_;
  ColorRule rule_;
  std::shared_ptr<const color::Colorizer> first_;
};

}  // namespace tessera::post
