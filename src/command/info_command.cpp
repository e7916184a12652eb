// tessera info: describes a file, also while it is being written.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "command/info/description.hpp"
#include "command/page/run_page.hpp"
#include "pool/pool.hpp"
#include "reduce/kept_answers.hpp"
#include "store/image/parts.hpp"
#include "store/outputs.hpp"
#include "store/picture/picture_notes.hpp"
#include "store/png/png_text.hpp"

namespace tessera::command {
namespace {

Description describe_picture(const std::string& path, const std::string& kind,
                             const store::PictureTexts& texts) {
  Description file{.json = {{"file", path}, {"kind", kind}}};
  file.text = head_of(path, kind, file.json);
  file.json["texts"] = report::Json::object();
  for (const auto& [name, value] : texts) {
    file.text += row_of(name, value);
    file.json["texts"][name] = value;
  }
  return file;
}

Description describe_state(const std::string& path) {
  const reduce::KeptAnswers answers = reduce::read_state(path);
  Description file{.json = {{"file", path}, {"kind", "state"}}};
  file.text = head_of(path, "state of a reduction", file.json);
  const auto put = [&](std::string_view key, const std::string& value) {
    file.text += row_of(key, value);
    file.json[key] = value;
  };
  put("dtype", answers.type);
  put("shape", job::format_shape(answers.shape));
  for (const auto& [name, value] : answers.options) put(name, value);
  put("version", answers.version);
  file.json["arrays"] = report::Json::array();
  for (const std::string& array : answers.arrays) {
    const std::string name = array.substr(0, array.find('\t'));
    file.text += row_of("array", name);
    file.json["arrays"].push_back(name);
  }
  return file;
}

Description describe(const std::string& path) {
  if (reduce::is_state(path)) return describe_state(path);
  if (const auto texts = store::read_png_text(path)) return describe_picture(path, "PNG", *texts);
  if (const auto texts = store::read_exr_notes(path)) return describe_picture(path, "EXR", *texts);
  const bool names_more =
      path.find(":/") != path.npos || path.find('?') != path.npos || path.ends_with(']');
  if (pool::is_pool(path)) return describe_pool(path);
  if (store::read_parts_facts(path)) return describe_image(path);
  if (auto known = describe_by_driver(path)) return std::move(*known);
  if (path.ends_with(".npy") || (names_more && !base::is_named(path))) return describe_array(path);
  if (auto known = describe_hdf5(path)) return std::move(*known);
  return describe_image(path);
}

void print_info(const std::vector<std::string>& paths, bool as_json) {
  report::Json json = report::document("info");
  for (const std::string& path : paths) {
    Description file = describe(path);
    if (!as_json) fmt::print("{}{}", &path == &paths.front() ? "" : "\n", file.text);
    json["files"].push_back(std::move(file.json));
  }
  if (as_json) fmt::print("{}", report::dump(json));
}

void write_page(comm::World& world, const std::vector<std::string>& paths,
                const std::string& output) {
  report::RunReport run;
  comm::agree(world, [&] {
    if (paths.size() > 1) throw base::usage_error("--html {}: is a page about one file", output);
    if (!world.is_root()) return;
    store::check_text_output(output, "--html", base::kPage);
    run = run_of(*open_described_image(paths.front()));
  });
  write_file_page(world, paths.front(), output, run);
}

}  // namespace

void add_info(Syntax& syntax, Action& action) {
  struct Arguments {
    std::vector<std::string> paths;
    job::RunSpec job;
    std::string html;
  };
  auto arguments = std::make_shared<Arguments>();
  syntax.add_arguments("FILE", arguments->paths,
                       "a rendered file, the .part file of an unfinished render, a picture, the "
                       "folder of a --pool, or an array: FILE.npy, FILE.h5, FILE.h5:/dataset");
  add_json(syntax, arguments->job);
  syntax.add_option({"html", "OUT.html", "write a page about a rendered file and its run",
                     scope_title(job::Scope::output),
                     [arguments](const std::string& path) { arguments->html = path; }});
  set_action(syntax, action, [arguments](run::Context& context) {
    comm::World& world = context.world;
    if (!arguments->html.empty()) {
      write_page(world, arguments->paths, arguments->html);
      return base::ExitCode::done;
    }
    comm::agree(world, [&] {
      if (world.is_root()) print_info(arguments->paths, arguments->job.json);
    });
    return base::ExitCode::done;
  });
}

}  // namespace tessera::command
