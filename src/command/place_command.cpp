// tessera place: the options that render a place, and the place for other programs.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>

#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/from_option.hpp"
#include "job/values.hpp"
#include "place/write.hpp"
#include "report/json_parts.hpp"

namespace tessera::command {
namespace {

struct PlaceArguments : job::RunSpec {
  std::string file;
  std::string as;
  std::string size;
};

report::Json json_of(const place::Place& place, const std::vector<job::Given>& options,
                     const std::string& file, base::ImageSize size) {
  report::Json json = report::document("place");
  json["file"] = file;
  json["format"] = place.format;
  if (!place.entry.empty()) json["entry"] = place.entry;
  json["formula"] = place.formula;
  json["center"] = {place.center_re, place.center_im};
  if (!place.height.empty()) json["height"] = place.height;
  json["width"] = place::width_of(place, size);
  json["size"] = {size.width, size.height};
  json["size_from_file"] = place.size.has_value();
  if (!place.iterations.empty()) json["iterations"] = place.iterations;
  if (!place.bailout.empty()) json["bailout"] = place.bailout;
  const plane::Matrix& m = place.matrix;
  json["matrix"] = {{m.a, m.b}, {m.c, m.d}};
  json["options"] = report::Json::array();
  for (const job::Given& one : options) {
    json["options"].push_back(fmt::format("--{}={}", one.name, one.value));
  }
  json["command"] = render_command_of(options);
  json["notes"] = place.notes;
  json["not_taken_over"] = place.left_out;
  return json;
}

void show_place(const PlaceArguments& arguments) {
  place::Place place = place_of_file(arguments.file);
  base::ImageSize size = place.size.value_or(job::RenderJob().image.size_px);
  if (!arguments.size.empty()) size = job::parse_size(arguments.size, "--size");
  if (!arguments.as.empty()) {
    place.size = size;
    fmt::print("{}", place::written(place, arguments.as));
    return;
  }
  const std::vector<job::Given> options = place::options_of(place, size, arguments.file);
  job::make_render_job(options);  // as render would check them
  if (arguments.json) {
    fmt::print("{}", report::dump(json_of(place, options, arguments.file, size)));
    return;
  }
  fmt::print(stderr, "tessera: {}: {}\n", arguments.file, place::summary_of(place));
  fmt::print("{}\n", render_command_of(options));
}

}  // namespace

void add_place(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<PlaceArguments>();
  syntax.add_argument(
      "FILE|LINK", arguments->file,
      "a file of a place, FILE:NAME for one of several, a picture that holds one, a "
      "link, or - for standard input");
  const job::Option<job::RenderJob>& size = *std::ranges::find(
      job::render_options(), std::string_view("size"), &job::Option<job::RenderJob>::name);
  syntax.add_option({"size", std::string(size.value),
                     std::string(size.help) + " [that of the file, or else 1920x1080]", "Image",
                     [arguments](const std::string& text) { arguments->size = text; }});
  syntax.add_option({"as", "NAME", "write the place for another program: " + place::written_names(),
                     "Output", [arguments](const std::string& text) { arguments->as = text; }});
  add_json(syntax, *arguments);
  set_action(syntax, action, [arguments](run::Context& context) {
    comm::World& world = context.world;
    comm::agree(world, [&] {
      if (world.is_root()) show_place(*arguments);
    });
    return base::ExitCode::done;
  });
}

}  // namespace tessera::command
