#include "command/from_option.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/user_path.hpp"
#include "job/job_file.hpp"
#include "job/values.hpp"
#include "place/read.hpp"
#include "post/color/recipe.hpp"

namespace tessera::command {
namespace {

const job::Given* last_of(const std::vector<job::Given>& given, std::string_view name) {
  const auto found = std::find_if(given.rbegin(), given.rend(),
                                  [&](const job::Given& one) { return one.name == name; });
  return found == given.rend() ? nullptr : &*found;
}

base::ImageSize size_for(const std::vector<job::Given>& all, const place::Place& place) {
  if (const job::Given* const size = last_of(all, "size")) {
    return job::parse_size(size->value, size->origin);
  }
  return place.size.value_or(job::RenderJob().image.size_px);
}

/// The options of a file of Tessera.
std::vector<job::Given> options_of_own(const std::vector<job::Given>& all,
                                       const std::string& path) {
  const job::Given* const region = last_of(all, "region");
  std::optional<base::PixelRect> part;
  if (region) part = job::parse_region(region->value, region->origin);
  auto recipe = post::recipe_of_file(path, part, region ? region->origin : "");
  // A picture alone is supersampled; data has the size that was asked for.
  const job::Given* const output = last_of(all, "output");
  if (output && !output->value.empty()) {
    std::erase_if(recipe, [](const job::Given& one) { return one.name == "supersample"; });
  }
  return recipe;
}

std::vector<job::Given> options_of_foreign(const std::vector<job::Given>& all, place::Place& place,
                                           const std::string& name) {
  if (const job::Given* const region = last_of(all, "region")) {
    throw base::usage_error("{}: is a part of an image or picture of Tessera, and {} is a place",
                            region->origin, name);
  }
  return place::options_of(place, size_for(all, place), name);
}

}  // namespace

std::string add_from(std::vector<job::Given>& all, std::optional<place::Place> place) {
  const job::Given* const from = last_of(all, "from");
  const job::Given* const region = last_of(all, "region");
  if (region && !from) {
    throw base::usage_error("{}: needs --from, the picture that it is a part of", region->origin);
  }
  if (!from) return "";
  if (const job::Given* const view = last_of(all, "view")) {
    throw base::usage_error("{}: --from names a place too; take one of the two", view->origin);
  }
  const std::string path = base::home_path(from->value);
  if (!place) place = place::read_place(path);
  if (!place && base::is_url(path)) throw base::url_error(path);
  std::vector<job::Given> options =
      place ? options_of_foreign(all, *place, path) : options_of_own(all, path);
  if (last_of(all, "zoom") || last_of(all, "height")) {
    std::erase_if(options, [](const job::Given& one) { return one.name == "width"; });
  }
  all.insert(all.begin(), options.begin(), options.end());
  return place ? path + ": " + place::summary_of(*place) : "";
}

place::Place place_of_file(const std::string& file) {
  if (file == base::kStandardInput) {
    auto place = place::read_text(job::read_job_text(file), "standard input");
    if (!place) throw base::usage_error("standard input: holds no place that is known");
    return *place;
  }
  const std::string path = base::home_path(file);
  if (auto place = place::read_place(path)) return *place;
  if (base::is_url(path)) throw base::url_error(path);
  return place::place_of(job::make_render_job(post::recipe_of_file(path, std::nullopt, "")));
}

std::string render_command_of(const std::vector<job::Given>& options) {
  std::string command = "tessera render";
  for (const job::Given& one : options) command += fmt::format(" --{}={}", one.name, one.value);
  return command;
}

bool from_standard_input(const std::vector<job::Given>& all) {
  const job::Given* const from = last_of(all, "from");
  return from && from->value == base::kStandardInput;
}

bool is_quiet(const std::vector<job::Given>& all) {
  const job::Given* const quiet = last_of(all, "quiet");
  return quiet && quiet->value != "false";
}

}  // namespace tessera::command
