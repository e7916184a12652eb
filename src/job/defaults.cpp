#include "job/defaults.hpp"

#include <string>

#include "base/decimal.hpp"
#include "base/file/output_name.hpp"
#include "job/image/coloring.hpp"
#include "job/image/default_iterations.hpp"
#include "job/image/resolution.hpp"
#include "job/image/views.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

using IsGiven = std::function<bool(std::string_view)>;

constexpr int kSupersampleAlone = 2;

void set_width_text(RenderJob& job, const std::string& width) {
  job.image.width = parse_width(width, "width");
  job.width_text = width;
}

void settle_iterations(RenderJob& job) {
  if (job.iterations_from != IterationsFrom::open) return;
  job.image.iterations = default_iterations_of(job.width_text);
  job.iterations_from = IterationsFrom::depth;
}

bool shows(const RenderJob& job, const View& view, const std::string& width) {
  return base::normalized_decimal(job.width_text) == base::normalized_decimal(width) &&
         job.image.iterations == view.iterations &&
         normalized_point(job.center_text) == normalized_point(view.center) &&
         normalized_formula(job.formula_text) == normalized_formula(view.formula);
}

void fit_place(RenderJob& job, const IsGiven& given) {
  if (job.view.empty() && (given("center") || given("width"))) return settle_iterations(job);
  const View& view = job.view.empty() ? find_view("whole") : find_view(job.view);
  const std::string width = fitted_width(view, job.image.size_px);
  if (!given("width")) set_width_text(job, width);
  settle_iterations(job);
  if (!shows(job, view, width)) job.view.clear();
}

base::ImageSize times(base::ImageSize size_px, int factor) {
  return {size_px.width * factor, size_px.height * factor};
}

bool can_supersample(const RenderJob& job, int factor) {
  ImageSpec image = job.image;
  image.size_px = times(image.size_px, factor);
  const bool open = job.arithmetic_auto || image.bounded();
  const bool deep = open ? needs_perturbation(image) : image.deep();
  return image.size_px.width <= kLargestSidePx && image.size_px.height <= kLargestSidePx &&
         (deep || distinguishes_pixels(image));
}

void set_picture_only(RenderJob& job, const IsGiven& given) {
  job.picture_only = true;
  job.output = base::beside(job.png, ".h5");
  if (given("supersample") || !can_supersample(job, kSupersampleAlone)) return;
  job.supersample = kSupersampleAlone;
}

}  // namespace

void set_defaults(RenderJob& job, const IsGiven& given) {
  fit_place(job, given);
  const bool has_picture = !job.png.empty();
  job.smooth_by_default =
      has_picture && !given("fields") && job.image.bailout >= escape_radius(job.image.formula);
  const bool for_film =
      job.frames > 0 && !given("fields") && job.image.bailout >= escape_radius(job.image.formula);
  if (job.smooth_by_default || for_film) job.fields = {Field::iterations, Field::smooth};
  if ((has_picture || for_film) && !given("fields")) {
    for (const Field field : shading_fields(job)) job.fields.push_back(field);
  }
  if (has_picture && (job.output.empty() || !given("output"))) set_picture_only(job, given);
  job.image.size_px = times(job.image.size_px, job.supersample);
  if (has_picture) settle_colors(job, is_beyond_f64(job));
}

}  // namespace tessera::job
