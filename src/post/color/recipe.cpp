#include "post/color/recipe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <string_view>

#include "base/decimal.hpp"
#include "base/error.hpp"
#include "base/file/hdf5_signature.hpp"
#include "base/file/posix_file.hpp"
#include "color/colorizer.hpp"
#include "deep/part.hpp"
#include "job/image/coloring.hpp"
#include "job/image/resolution.hpp"
#include "job/values.hpp"
#include "place/write.hpp"
#include "post/job_of_file.hpp"
#include "store/file_kind.hpp"
#include "store/image/formats.hpp"
#include "store/picture/picture_format.hpp"
#include "store/png/png_text.hpp"

namespace tessera::post {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

/// The options of a recipe. The first ones are always in the command.
constexpr std::array<std::string_view, 22> kOptions = {
    "center",        "width",          "size",          "iterations", "supersample", "matrix",
    "formula",       "bailout",        "arithmetic",    "exact",      "interior",    "fields",
    "inside",        "distance",       "light",         "equalize",   "palette",     "png-depth",
    "palette-cycle", "palette-offset", "palette-scale", "tile"};
constexpr std::size_t kAlways = 5;

const job::Option<job::RenderJob>& option_of(std::string_view name) {
  return *std::ranges::find(job::render_options(), name, &job::Option<job::RenderJob>::name);
}

/// "palette-cycle" -> "Palette-cycle".
std::string keyword(std::string_view option) {
  std::string word(option);
  word[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(word[0])));
  return word;
}

/// In single quotes for a shell, where that is necessary.
std::string quoted(const std::string& text) {
  constexpr std::string_view kPlain = "+,-./:=@_%#";
  const bool plain = std::ranges::all_of(text, [&](unsigned char c) {
    return std::isalnum(c) != 0 || kPlain.find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain && !text.starts_with('#')) return text;
  std::string in_quotes = "'";
  for (const char c : text) in_quotes += c == '\'' ? "'\\''" : std::string(1, c);
  return in_quotes + "'";
}

/// Shallow images do not tell their arithmetic, so that a deeper place from them gets its own.
bool is_told(const job::RenderJob& job, std::string_view option) {
  if (option == "exact") return !job.image.exact;
  if (option == "matrix") return !job.image.matrix.is_identity();
  if (option == "interior") return job.image.interior != job::Interior::proven;
  return option != "arithmetic" || job.image.has_place() || job::needs_perturbation(job.image);
}

/// Of the definition of smooth values (docs/numerics.md).
constexpr const char* kSmoothRadius = "256";

/// In the command of a picture that went to standard output.
constexpr const char* kPipedName = "picture.png";

std::string command_of(const job::RenderJob& job, const std::string& png) {
  const job::RenderJob usual;
  std::string command = "tessera render";
  for (std::size_t i = 0; i < kOptions.size(); ++i) {
    const auto& option = option_of(kOptions[i]);
    const std::string value = option.get(job);
    const bool needed = i < kAlways || value != option.get(usual);
    if (kOptions[i] == "tile") continue;  // no pixel depends on it
    if (value.empty() || (!needed && kOptions[i] != "fields")) continue;
    if (!is_told(job, kOptions[i])) continue;
    if (option.kind == job::Kind::toggle && value == "false") continue;
    command += fmt::format(" --{}", option.name);
    if (option.kind != job::Kind::toggle) command += "=" + quoted(value);
  }
  const bool piped = base::is_standard_output(png);
  std::filesystem::path name = piped ? kPipedName : std::filesystem::path(png).filename();
  if (&store::picture_format_of(png) != &store::picture_formats().front()) {
    name.replace_extension(".png");
  }
  return command + " --png=" + quoted(name.string());
}

std::string shortest(double value) {
  return fmt::format("{}", value);
}

/// The size of a picture of a region that is as wide as the whole.
base::ImageSize size_of_part(const base::ImageSize& whole, const base::PixelRect& region) {
  const double ratio = static_cast<double>(region.height) / static_cast<double>(region.width);
  const auto rows = std::llround(static_cast<double>(whole.width) * ratio);
  return {whole.width, std::clamp<std::int64_t>(rows, 1, job::kLargestSidePx)};
}

std::vector<job::Given> given_of_png(const std::string& path, const Texts& texts) {
  std::vector<job::Given> given;
  for (const std::string_view option : kOptions) {
    const auto text =
        std::ranges::find(texts, keyword(option), &std::pair<std::string, std::string>::first);
    if (text == texts.end()) continue;
    given.push_back({std::string(option), text->second, path + ": " + text->first});
  }
  if (std::ranges::find(given, "arithmetic", &job::Given::name) != given.end()) return given;
  // Deep pictures without it were made before there was another arithmetic.
  given.push_back({"arithmetic", "plain", path});
  if (!job::needs_perturbation(job::make_render_job(given).image)) given.pop_back();
  return given;
}

/// The place, and what is computed of it. The file does not tell the colours of its pictures, and
/// its data has the size that is stored.
std::vector<job::Given> given_of_image(const std::string& path) {
  const auto reader = store::open_image(path);
  const job::RenderJob job = job_of(*reader, path);
  std::vector<job::Given> given;
  for (const std::string_view option :
       {"center", "width", "size", "iterations", "matrix", "formula", "bailout", "arithmetic",
        "exact", "interior", "fields", "tile"}) {
    if (!is_told(job, option)) continue;
    given.push_back({std::string(option), option_of(option).get(job),
                     fmt::format("{}: attribute {}", path, option)});
  }
  return given;
}

/// Other programs keep the texts of a picture that they crop or scale: then the place is not that
/// of the picture.
void check_size(const std::string& path, const std::string& told) {
  const auto size = store::png_size(path);
  if (size == job::parse_size(told, path + ": Size")) return;
  throw base::usage_error(
      "--from {}: has {} pixels, but tells how {} were made: it was cropped or scaled since; give "
      "the place by --center and --width",
      path, size ? job::format_size(*size) : "no", told);
}

bool has(const std::vector<job::Given>& given, std::string_view name) {
  return std::ranges::find(given, name, &job::Given::name) != given.end();
}

void set(std::vector<job::Given>& given, std::string_view name, std::string value) {
  std::ranges::find(given, name, &job::Given::name)->value = std::move(value);
}

}  // namespace

namespace {

/// The part in decimals of any length.
void zoom_decimals(job::RenderJob& job, const base::PixelRect& region) {
  const job::PointText center = job::split_point(job.center_text, "center");
  const deep::Place part = deep::part_of({.center_re = base::normalized_decimal(center.re),
                                          .center_im = base::normalized_decimal(center.im),
                                          .width = base::normalized_decimal(job.width_text),
                                          .size_px = job.image.size_px,
                                          .matrix = job.image.matrix},
                                         region);
  job.center_text = part.center_re + "," + part.center_im;
  job.width_text = base::normalized_decimal(part.width);
}

}  // namespace

job::RenderJob zoom(job::RenderJob job, const base::PixelRect& region) {
  job::ImageSpec& image = job.image;
  const base::PixelRect all{0, 0, image.size_px.width, image.size_px.height};
  if (region == all) return job;
  if (image.has_place()) zoom_decimals(job, region);
  const double step = image.step();
  const auto middle = [](std::int64_t begin, std::int64_t length, std::int64_t whole) {
    return static_cast<double>(2 * begin + length - whole) / 2;
  };
  const double right = middle(region.x, region.width, all.width);
  const double up = -middle(region.y, region.height, all.height);
  const plane::Matrix& m = image.matrix;
  image.center_re += (m.a * right + m.b * up) * step;
  image.center_im += (m.c * right + m.d * up) * step;
  image.width = static_cast<double>(region.width) * step;
  image.size_px = {region.width, region.height};
  if (!image.has_place()) {
    job.center_text = shortest(image.center_re) + "," + shortest(image.center_im);
    job.width_text = shortest(image.width);
  }
  job.view.clear();
  return job;
}

namespace {

/// The job whose picture is that of `region`; nothing if others have changed the attributes.
std::optional<job::RenderJob> job_of_region(const store::ImageReader& reader,
                                            const job::ColorJob& color,
                                            const base::PixelRect& region) {
  std::optional<job::RenderJob> job;
  try {
    job = job_of(reader, reader.path());
  } catch (const base::Error&) {
    return std::nullopt;
  }
  const std::int64_t scale = color.scale;
  job = zoom(std::move(*job),
             {region.x, region.y, region.width / scale * scale, region.height / scale * scale});
  job->supersample = color.scale;
  return job;
}

}  // namespace

std::string foreign_place(const store::ImageReader& reader, const job::ColorJob& color,
                          const base::PixelRect& region, bool smooth_values) {
  const auto job = job_of_region(reader, color, region);
  if (!job) return "";
  place::Place place = place::place_of(*job);
  if (smooth_values) place.bailout = kSmoothRadius;
  try {
    return place::written(place, "kfr");
  } catch (const base::Error&) {  // a formula of ours
    return "";
  }
}

std::vector<std::pair<std::string, std::string>> recipe_text(const store::ImageReader& reader,
                                                             const job::ColorJob& color,
                                                             const base::PixelRect& region) {
  const auto of_region = job_of_region(reader, color, region);
  if (!of_region) return {};
  job::RenderJob job = *of_region;
  static_cast<job::Coloring&>(job) = color;
  // `render` equalizes such a picture otherwise.
  if (!job.equalize && job.palette_cycle == 0 && job::scale_text(job).empty() &&
      job::is_beyond_f64(job)) {
    job.palette_cycle = color::Phase{}.cycles_per_octave;
  }
  if (color.field == job::field_name(job::Field::iterations)) {
    std::erase(job.fields, job::Field::smooth);
  }
  std::erase_if(job.fields, [needed = job::shading_fields(color)](job::Field field) {
    return field != job::Field::iterations && field != job::Field::smooth &&
           !job::has_field(needed, field);
  });
  Texts texts;
  for (const std::string_view option : kOptions) {
    if (std::string value = option_of(option).get(job); !value.empty() && is_told(job, option)) {
      texts.emplace_back(keyword(option), std::move(value));
    }
  }
  if (!job.view.empty()) texts.emplace_back("View", job.view);
  texts.emplace_back("Command", command_of(job, color.output));
  return texts;
}

std::vector<job::Given> recipe_of_file(const std::string& path,
                                       const std::optional<base::PixelRect>& region,
                                       const std::string& region_origin) {
  const auto texts = store::read_png_text(path);
  if (!texts && base::is_regular(path) && !base::has_hdf5_signature(path)) {
    throw base::usage_error("{}: {}", path, store::what_else(path, "holds no place that is known"));
  }
  std::vector<job::Given> given = texts ? given_of_png(path, *texts) : given_of_image(path);
  for (const std::string_view name : {"center", "width", "size"}) {
    if (has(given, name)) continue;
    throw base::usage_error("--from {}: does not tell its {}", path, name);
  }
  if (texts) check_size(path, std::ranges::find(given, "size", &job::Given::name)->value);
  if (!region) return given;
  std::vector<job::Given> whole = given;
  // In pixels of the picture, not of the finer image that it was made from.
  std::erase_if(whole, [](const job::Given& one) { return one.name == "supersample"; });
  const job::RenderJob job = job::make_render_job(whole);
  const base::ImageSize size = job.image.size_px;
  if (region->x + region->width > size.width || region->y + region->height > size.height) {
    throw base::usage_error("{}: reaches beyond {}, which is {}", region_origin, path,
                            job::format_size(size));
  }
  const job::RenderJob part = zoom(job, *region);
  set(given, "center", part.center_text);
  set(given, "width", part.width_text);
  set(given, "size", job::format_size(size_of_part(size, *region)));
  // A part may be beyond f64. Other arithmetics have every part.
  std::erase_if(given, [](const job::Given& one) {
    return one.name == "arithmetic" && one.value == "plain";
  });
  return given;
}

}  // namespace tessera::post
