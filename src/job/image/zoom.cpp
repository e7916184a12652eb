#include "job/image/zoom.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "job/image/default_iterations.hpp"

namespace tessera::job {
namespace {

constexpr double kRightAngle = 90;

/// Whether the film lies within the image on the whole way to the next one. At its beginning it
/// does, and touches the sides: a turn that is too large is so at once. So the first steps are
/// short.
bool lies_within(const base::ImageSize& image, const base::ImageSize& film, double zoom,
                 double turn_deg) {
  constexpr int kSteps = 64;
  constexpr double kRounding = 1 + 1e-9;
  const auto width = static_cast<double>(image.width) * kRounding;
  const auto height = static_cast<double>(image.height) * kRounding;
  const auto columns = static_cast<double>(film.width);
  const auto rows = static_cast<double>(film.height);
  const double whole = std::min(width / columns, height / rows) / kRounding;
  for (int i = 1; i <= kSteps; ++i) {
    const double way = static_cast<double>(i * i) / (kSteps * kSteps);
    const double angle = turn_deg * way * std::numbers::pi / 180;
    const double scale = whole * std::pow(zoom, -way);
    const double across = columns * std::cos(angle) + rows * std::sin(angle);
    const double along = columns * std::sin(angle) + rows * std::cos(angle);
    if (across * scale > width || along * scale > height) return false;
  }
  return true;
}

}  // namespace

double first_width_log10(const RenderJob& job) {
  const double zoom = base::nearest_real(job.zoom_per_frame, "zoom-per-frame");
  return log10_of_width(job.width_text) + (job.frames - 1) * std::log10(zoom);
}

plane::Matrix matrix_before(const RenderJob& film, int images) {
  if (film.turn_per_frame == "0" || images == 0) return film.image.matrix;
  const plane::Real back = plane::Real(film.turn_per_frame) * plane::Real(-images);
  return plane::rounded(plane::exact(film.image.matrix) * plane::rotation(back));
}

double largest_turn(const base::ImageSize& image, const base::ImageSize& film, double zoom) {
  double least = 0, most = kRightAngle;
  if (lies_within(image, film, zoom, most)) return most;
  for (int i = 0; i < 40; ++i) {
    const double middle = (least + most) / 2;
    (lies_within(image, film, zoom, middle) ? least : most) = middle;
  }
  return least;
}

void check_turn(double turn_deg, const base::ImageSize& image, const base::ImageSize& film,
                double zoom, std::string_view what) {
  const double most = largest_turn(image, film, zoom);
  if (std::abs(turn_deg) <= most) return;
  throw base::usage_error(
      "{}: turns so far from each image to the next that frames of {}x{} would show what is beyond "
      "images of {}x{}; with a zoom of {:.6g} between them, up to {} degrees are possible",
      what, film.width, film.height, image.width, image.height, zoom, std::floor(most * 10) / 10);
}

}  // namespace tessera::job
