// Makes a job from the given options: applies them in order, then checks combinations of options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "job/defaults.hpp"
#include "job/image/options.hpp"
#include "job/image/resolution.hpp"
#include "job/image/zoom.hpp"
#include "job/values.hpp"
#include "plane/decimals.hpp"
#include "plane/matrix.hpp"

namespace tessera::job {

namespace {

/// Beyond, squares of |z|^2 leave f64's range within a step.
// crossed by: takes_the_limits_of_every_range
constexpr double kMaxExactBailout = 1e9;

/// The origin of each given option's value.
using Origins = std::map<std::string, std::string, std::less<>>;

const Option<RenderJob>& find_option(const Given& given) {
  std::vector<std::string> names;
  for (const auto& option : render_options()) {
    if (option.name == given.name) return option;
    names.emplace_back(option.name);
  }
  throw base::usage_error("{}: there is no such option; {}", given.origin,
                          suggestion(given.name, names));
}

void apply(const Given& given, RenderJob& job, Origins& origins) {
  const Option<RenderJob>& option = find_option(given);
  // Messages, attributes and reports consist of lines.
  const auto is_control = [](unsigned char c) { return c < ' ' || c == 0x7f; };
  if (std::ranges::any_of(given.value, is_control)) {
    throw base::usage_error("{}: holds a line break or another control character", given.origin);
  }
  option.set(job, given.value, given.origin);
  origins[given.name] = given.origin;
}

/// The place where `name` was given, or the option that would set it.
std::string origin_of(const Origins& origins, std::string_view name) {
  const auto found = origins.find(name);
  return found != origins.end() ? found->second : fmt::format("--{}", name);
}

/// The first of `names` that was given, for the message; the first of all if none was.
std::string_view first_given(const Origins& origins,
                             std::initializer_list<std::string_view> names) {
  const auto found =
      std::ranges::find_if(names, [&](std::string_view name) { return origins.contains(name); });
  return found != names.end() ? *found : *names.begin();
}

std::string value_of(const RenderJob& job, std::string_view name) {
  for (const auto& option : render_options()) {
    if (option.name == name) return option.get(job);
  }
  return {};
}

void check_digits(const RenderJob& job, const Origins& origins) {
  const std::string missing = missing_digits(job);
  if (missing.empty()) return;
  throw base::usage_error("{}: {}; give more digits, or zeros for an exact number",
                          origin_of(origins, first_given(origins, {"center", "view"})), missing);
}

void check_zoom(const RenderJob& job, const Origins& origins) {
  if (origins.contains("zoom") && origins.contains("width")) {
    throw base::usage_error("{}: {} says it too; take one of the two", origin_of(origins, "zoom"),
                            origin_of(origins, "width"));
  }
  if (job.image.deep() && !can_be_deep(job.image.formula)) {
    throw base::usage_error("{}: the formula {} has no perturbation",
                            origin_of(origins, "arithmetic"), job.formula_text);
  }
  if (!job.image.deep() && job.image.width < kMinPositive) {
    throw base::usage_error("{}: '{}' is outside 1e-290..1e100, where plain arithmetic can work",
                            origin_of(origins, first_given(origins, {"width", "zoom", "view"})),
                            base::shortened(job.width_text));
  }
  if (job.image.deep() || distinguishes_pixels(job.image)) return check_digits(job, origins);
  const std::string_view blamed = first_given(origins, {"width", "size", "center", "view"});
  throw base::usage_error(
      "{} {}: too deep for 64-bit floats at this centre; with {} a row the width must be "
      "at least {}",
      origin_of(origins, blamed), base::shortened(value_of(job, blamed)),
      base::count_of(job.image.size_px.width, "pixel"), min_width(job.image));
}

/// The fields beside iterations need every escaped orbit to reach |z| > 256, so the bailout must be
/// at least the escape radius of the formula. Throws a usage error otherwise.
void check_smooth(const RenderJob& job, const Origins& origins) {
  const MoreFields more = more_fields(job.fields);
  const double least = escape_radius(job.image.formula);
  if (!more.any() || job.image.bailout >= least) return;
  const auto first = std::ranges::find_if(kMoreFields, [&](Field field) { return more[field]; });
  const std::string_view field = field_choice(*first);
  throw base::usage_error(
      "{}: {} values{} need a bailout of at least {}, not {}; raise it or leave {} out",
      origin_of(origins, first_given(origins, {"bailout", "fields"})), field,
      least > 2 ? " of " + job.formula_text : "", std::ceil(least * 1000) / 1000, job.image.bailout,
      field);
}

void check_shading(const RenderJob& job, const Origins& origins) {
  for (const Field field : shading_fields(job)) {
    if (has_field(job.fields, field)) continue;
    const std::string blamed = origin_of(origins, field == Field::distance ? "distance" : "light");
    if (job.png.empty() && job.frames == 0) {
      throw base::usage_error("{}: draws in a picture; add --png, or leave it to tessera color",
                              blamed);
    }
    throw base::usage_error("{}: needs the field {}; add it to {}", blamed, field_choice(field),
                            origin_of(origins, "fields"));
  }
}

/// Perturbation takes the derivative's test for z^2 + c from 0 alone.
void check_interior(const RenderJob& job, const Origins& origins) {
  if (!job.image.deep() || job.image.formula.id == kernels::TS_FORMULA_mandelbrot) return;
  if (job.image.interior != Interior::derivative) return;
  throw base::usage_error("{}: derivative is not for deep images of the formula {}; take proven",
                          origin_of(origins, "interior"), job.formula_text);
}

/// Plain pixels have no bounds of their errors.
void check_exact(const RenderJob& job, const Origins& origins) {
  if (job.image.exact || job.image.deep()) return;
  throw base::usage_error("{}: off is for --arithmetic perturbation; this image is {}",
                          origin_of(origins, "exact"), job.image.bounded() ? "exact" : "plain");
}

/// What a bound of the errors of f64 can take.
void check_bounded(const RenderJob& job, const Origins& origins) {
  if (!job.image.bounded()) return;
  if (!can_be_deep(job.image.formula)) {
    throw base::usage_error("{}: the formula {} has no exact arithmetic",
                            origin_of(origins, "arithmetic"), job.formula_text);
  }
  if (job.image.bailout > kMaxExactBailout) {
    throw base::usage_error("{}: --arithmetic exact takes up to {}", origin_of(origins, "bailout"),
                            kMaxExactBailout);
  }
  if (job.image.iterations > kMaxShortIterations) {
    throw base::usage_error("{}: --arithmetic exact takes up to {}",
                            origin_of(origins, "iterations"), kMaxShortIterations);
  }
  if (job.image.interior == Interior::derivative) {
    throw base::usage_error(
        "{}: derivative is not proven, and not for --arithmetic exact; take proven",
        origin_of(origins, "interior"));
  }
}

void check_paths(const RenderJob& job, const Origins& origins) {
  struct File {
    std::string_view option;
    const std::string& path;
  };
  const std::array<File, 5> files = {{{"output", job.output},
                                      {"png", job.png},
                                      {"report", job.report},
                                      {"trace", job.trace},
                                      {"report-html", job.report_html}}};
  std::map<std::filesystem::path, std::string_view> users;
  for (const File& file : files) {
    if (file.path.empty()) continue;
    const auto place = std::filesystem::absolute(file.path).lexically_normal();
    const auto [user, is_new] = users.emplace(place, file.option);
    if (is_new) continue;
    throw base::usage_error("{}: '{}' is the file of --{} too; give each its own",
                            origin_of(origins, file.option), file.path, user->second);
  }
}

/// The sides of the image, `supersample` times those of the picture, must be valid sizes.
void check_supersample(const RenderJob& job, const Origins& origins) {
  const std::int64_t side = std::max(job.image.size_px.width, job.image.size_px.height);
  if (side <= kLargestSidePx) return;
  throw base::usage_error("{} {}: makes an image of {} x {} pixels; {} a side are possible",
                          origin_of(origins, "supersample"), job.supersample,
                          job.image.size_px.width, job.image.size_px.height, kLargestSidePx);
}

void check_output(const RenderJob& job, const Origins& origins) {
  if (!job.output.empty()) return;
  throw base::usage_error("{}: needs a file name, or --png for a picture alone",
                          origin_of(origins, "output"));
}

void check_resume(const RenderJob& job, const Origins& origins) {
  if (!job.resume || !job.overwrite) return;
  throw base::usage_error("{}: --overwrite restarts from scratch; take one of the two",
                          origin_of(origins, "resume"));
}

void check_share(const RenderJob& job, const Origins& origins) {
  if (job.share.whole() || job.png.empty()) return;
  throw base::usage_error(
      "{}: a share is no picture; leave --png to tessera color, after tessera merge",
      origin_of(origins, "share"));
}

/// Parts are of a whole image.
void check_writers(const RenderJob& job, const Origins& origins) {
  if (job.writers <= 1) return;
  const std::string option = origin_of(origins, "writers");
  if (job.picture_only) throw base::usage_error("{}: needs a file of data; add --output", option);
  for (const auto& [other, is_given] :
       {std::pair("--share", !job.share.whole()), {"--pool", !job.pool.empty()}}) {
    if (!is_given) continue;
    throw base::usage_error(
        "{}: is for a whole image, and {} makes it of other files; leave one of "
        "them out",
        option, other);
  }
}

/// Refuses what belongs to one run of one image.
void check_pool(const RenderJob& job, const Origins& origins) {
  if (job.pool.empty()) {
    // Files have the values of all options.
    for (const std::string_view option : {"pool-shares", "pool-lease"}) {
      const auto given = origins.find(option);
      if (given == origins.end() || !given->second.starts_with("--")) continue;
      throw base::usage_error("{}: needs --pool", given->second);
    }
    return;
  }
  for (const auto& [option, is_given] : {std::pair("share", !job.share.whole()),
                                         {"resume", job.resume},
                                         {"serve", job.serve},
                                         {"json", job.json},
                                         {"report", !job.report.empty()},
                                         {"trace", !job.trace.empty()},
                                         {"report-html", !job.report_html.empty()}}) {
    if (!is_given) continue;
    throw base::usage_error("{}: is of a single run, and --pool is of many; leave one of them out",
                            origin_of(origins, option));
  }
  if (job.picture_only) {
    throw base::usage_error("{}: needs a file of data; add --output", origin_of(origins, "pool"));
  }
  if (job.frames == 0 || job.pool_shares == 0) return;
  throw base::usage_error("{}: the shares of --frames are its images; leave it out",
                          origin_of(origins, "pool-shares"));
}

/// Refuses options that a zoom does not have.
void check_film(const RenderJob& job, const Origins& origins) {
  if (job.frames == 0) {
    for (const std::string_view option : {"zoom-per-frame", "turn-per-frame"}) {
      if (!origins.contains(option)) continue;
      throw base::usage_error("{}: needs --frames, the number of images of a zoom",
                              origin_of(origins, option));
    }
    return;
  }
  if (!job.png.empty()) {
    throw base::usage_error("{}: --frames makes no pictures; tessera film does, of its files",
                            origin_of(origins, "png"));
  }
  if (job.serve || !job.report_html.empty()) {
    throw base::usage_error("{}: shows one image, and --frames makes {}; leave one of the two out",
                            origin_of(origins, job.serve ? "serve" : "report-html"), job.frames);
  }
  check_turn(base::nearest_real(job.turn_per_frame, "turn-per-frame"), job.image.size_px,
             job.image.size_px, base::nearest_real(job.zoom_per_frame, "zoom-per-frame"),
             origin_of(origins, "turn-per-frame") + " " + job.turn_per_frame);
  if (first_width_log10(job) <= std::log10(kLargestReal)) return;
  throw base::usage_error(
      "{}: with {} images and a zoom of {} from each to the next, the first one "
      "would be wider than 1e100",
      origin_of(origins, "frames"), job.frames, job.zoom_per_frame);
}

/// Jobs of several shares may have one job file: the reports that it names get the number of the
/// share, as in poster.share2.json.
void name_share_reports(RenderJob& job, const Origins& origins) {
  if (job.share.whole()) return;
  for (const auto& [option, path] : {std::pair("report", &job.report),
                                     {"trace", &job.trace},
                                     {"report-html", &job.report_html}}) {
    if (path->empty() || !origin_of(origins, option).ends_with(fmt::format(": {}", option)))
      continue;
    std::filesystem::path name(*path);
    const std::string suffix = name.extension().string();
    *path = name.replace_extension(fmt::format("share{}{}", job.share.number, suffix)).string();
  }
}

/// Multiplies what turns the picture into its matrix.
void resolve_turn(RenderJob& job, const Origins& origins) {
  const bool turns = origins.contains("rotate") || origins.contains("stretch") || job.mirror;
  if (turns) {
    const Turn& turn = job.turn;
    const plane::ExactMatrix matrix =
        plane::exact(job.image.matrix) * plane::rotation(plane::Real(turn.rotate)) *
        plane::stretch(plane::Real(turn.stretch_at), plane::Real(turn.stretch)) *
        plane::diagonal(1, job.mirror ? -1 : 1);
    job.image.matrix = plane::rounded(
        matrix, nullptr, origin_of(origins, first_given(origins, {"stretch", "rotate", "mirror"})));
  }
  job.mirror = false;
}

void resize(RenderJob& job, std::string width, const Origins& origins) {
  job.image.width =
      parse_width(width, origin_of(origins, first_given(origins, {"height", "matrix"})));
  job.width_text = std::move(width);
}

/// The width that follows from the height and from the scale of the matrix.
void resolve_width(RenderJob& job, const Origins& origins) {
  if (!job.height_text.empty()) {
    for (const std::string_view other : {"width", "zoom"}) {
      if (!origins.contains(other)) continue;
      throw base::usage_error("{}: {} says it too; take one of the two",
                              origin_of(origins, "height"), origin_of(origins, other));
    }
    const base::ImageSize size = job.image.size_px;
    resize(job,
           plane::scaled(job.height_text, std::to_string(size.width), std::to_string(size.height)),
           origins);
    job.height_text.clear();
  }
  if (job.turn.scale != "1") {
    if (!origins.contains("width") && !origins.contains("zoom") && !origins.contains("height")) {
      throw base::usage_error(
          "{}: has a determinant other than 1, which scales --width; give that too",
          origin_of(origins, "matrix"));
    }
    resize(job, plane::scaled(job.width_text, job.turn.scale, "1"), origins);
  }
  job.turn = {};
}

}  // namespace

RenderJob make_render_job(std::span<const Given> given) {
  RenderJob job;
  Origins origins;
  for (const Given& one : given) {
    if (one.name == "view") apply(one, job, origins);
  }
  for (const Given& one : given) {
    if (one.name != "view") apply(one, job, origins);
  }
  resolve_turn(job, origins);
  resolve_width(job, origins);
  set_defaults(job, [&](std::string_view name) {
    const bool other = origins.contains("zoom") || origins.contains("height");
    return origins.contains(name) || (name == "width" && other);
  });
  resolve_arithmetic(job);
  check_supersample(job, origins);
  check_smooth(job, origins);
  check_shading(job, origins);
  check_interior(job, origins);
  check_exact(job, origins);
  check_bounded(job, origins);
  check_zoom(job, origins);
  check_film(job, origins);
  check_output(job, origins);
  name_share_reports(job, origins);
  check_paths(job, origins);
  check_resume(job, origins);
  check_share(job, origins);
  check_writers(job, origins);
  check_pool(job, origins);
  check_standard_output(job);
  return job;
}

std::vector<std::pair<std::string, std::string>> describe(const RenderJob& job) {
  return describe_options(job, render_options());
}

}  // namespace tessera::job
