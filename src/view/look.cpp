#include "view/look.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "color/palette.hpp"
#include "color/palette_file.hpp"
#include "job/image/coloring.hpp"
#include "job/image/resolution.hpp"
#include "post/color/picture.hpp"

namespace tessera::view {
namespace {

/// Parameters, and the options of `color` that they set.
constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kLookParameters = {
    {{"palette", "palette"},
     {"offset", "palette-offset"},
     {"length", "palette-cycle"},
     {"transfer", "palette-scale"},
     {"field", "field"},
     {"inside", "inside"},
     {"distance", "distance"},
     {"light", "light"}}};

/// Options take names of files, requests do not.
std::string palette_for(const std::string& name, const PaletteFiles& files) {
  const auto file = std::ranges::find(files, name, &PaletteFile::name);
  if (file != files.end()) return file->path;
  const auto known = color::builtin_palettes();
  if (std::ranges::find(known, name, &color::Palette::name) != known.end()) return name;
  throw HttpError(400, fmt::format("palette: there is no '{}'", base::printable(name)));
}

void apply(job::ColorJob& job, std::string_view parameter, std::string_view option,
           const std::string& value) {
  try {
    if (parameter == "inside") color::parse_color(value, "inside");
    const job::Given given{std::string(option), value, std::string(parameter)};
    job::apply_options<job::ColorJob>(job, job::color_options(), {&given, 1});
  } catch (const base::Error& error) {
    throw HttpError(400, base::printable(error.what()));
  }
}

}  // namespace

PaletteFiles palette_files(std::span<const std::string> paths) {
  PaletteFiles files;
  for (const std::string& path : paths) {
    const std::string name = std::filesystem::path(path).filename().string();
    if (std::ranges::find(files, name, &PaletteFile::name) != files.end()) {
      throw base::usage_error("{}: another palette has the same name", path);
    }
    color::read_palette(path);
    files.push_back({name, path});
  }
  return files;
}

PaletteFiles palette_files(std::vector<std::string> paths, const std::string& palette) {
  const auto known = color::builtin_palettes();
  const bool named = std::ranges::find(paths, palette) != paths.end();
  const bool built_in = std::ranges::find(known, palette, &color::Palette::name) != known.end();
  if (!named && !built_in) paths.push_back(color::find_palette(palette).name);
  return palette_files(paths);
}

std::string colors_of(const PaletteFiles& files) {
  std::string colors;
  for (const PaletteFile& file : files) {
    try {
      colors += post::hash_of(color::read_palette(file.path));
    } catch (const base::Error&) {
      colors += "unreadable";
    }
  }
  return colors;
}

job::ColorJob look_of(const Target& target, const PaletteFiles& files) {
  job::ColorJob job;
  for (const auto& [parameter, option] : kLookParameters) {
    std::string value(target.parameter(parameter));
    if (value.empty()) continue;
    if (parameter == "inside" && !value.starts_with('#')) value.insert(0, "#");
    if (parameter == "palette") value = palette_for(value, files);
    apply(job, parameter, option, value);
  }
  job.equalize_auto = false;  // a square does not know the values of the others
  return job;
}

job::ColorJob look_of(const Target& target, const PaletteFiles& files, const OpenImage& image) {
  job::ColorJob look = look_of(target, files);
  look.equalize_auto = target.parameter("length").empty();
  if (const std::string_view equalize = target.parameter("equalize"); !equalize.empty()) {
    apply(look, "equalize", "equalize", std::string(equalize));
  }
  job::settle_colors(look, job::is_beyond_f64(image.job()));
  look.field = job::field_name(image.field(look.field));
  check_fields(look, [&](job::Field field) { return image.has(field); });
  return look;
}

void check_fields(const job::ColorJob& look, const std::function<bool(job::Field)>& has) {
  if (look.field == "smooth" && !has(job::Field::smooth)) {
    throw HttpError(400, "field: the image has no smooth");
  }
  if (look.distance > 0 && !has(job::Field::distance)) {
    throw HttpError(400, "distance: the image has no distances");
  }
  if (look.light && !has(job::Field::gradient_x)) {
    throw HttpError(400, "light: the image has no gradient");
  }
}

}  // namespace tessera::view
