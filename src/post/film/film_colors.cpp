#include "post/film/film_colors.hpp"

#include <utility>

namespace tessera::post {

job::Coloring coloring_at(const job::FilmJob& job, double way) {
  job::Coloring coloring = job;
  coloring.palette_offset += job.palette_turns * way;
  if (coloring.light) coloring.light->azimuth_deg += 360 * job.light_turns * way;
  return coloring;
}

FilmColors::FilmColors(job::FilmJob job, ColorRule rule)
    : job_(std::move(job)),
      rule_(std::move(rule)),
      first_(std::make_shared<const color::Colorizer>(rule_.colorizer(job_))) {}

FilmColors::Frame FilmColors::at(double way) const {
  Frame frame{first_, coloring_at(job_, way)};
  if (frame.coloring.palette_offset == job_.palette_offset) return frame;
  frame.colorizer = std::make_shared<const color::Colorizer>(rule_.colorizer(frame.coloring));
  return frame;
}

Painter FilmColors::painter(const Frame& frame, const LayerPose& pose,
                            base::ElementType type) const {
  Painter::Edge edge;
  if (frame.coloring.distance > 0) {
    edge.emplace(frame.coloring.distance * pose.scale, frame.colorizer->inside());
  }
  std::optional<color::Light> light;
  if (frame.coloring.light) {
    const auto [azimuth_deg, height] = *frame.coloring.light;
    light.emplace(azimuth_deg + pose.turn_deg, height);
  }
  return {frame.colorizer, edge, {}, 1, type, light};
}

}  // namespace tessera::post
