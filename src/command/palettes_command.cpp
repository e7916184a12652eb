// tessera palettes: the colours that --palette takes, in the terminal or as a picture.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "color/palette.hpp"
#include "color/sheet.hpp"
#include "comm/agree.hpp"
#include "command/command_line.hpp"
#include "job/run_spec.hpp"
#include "job/values.hpp"
#include "report/json_parts.hpp"
#include "store/outputs.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::command {
namespace {

constexpr int kStripColumns = 32;

struct PalettesArguments : job::RunSpec {
  std::vector<std::string> files;
  std::string preview;
  bool overwrite = false;
};

std::vector<color::Palette> palettes_of(const PalettesArguments& arguments) {
  if (arguments.files.empty()) {
    return {color::builtin_palettes().begin(), color::builtin_palettes().end()};
  }
  std::vector<color::Palette> palettes;
  for (const std::string& name : arguments.files) palettes.push_back(color::find_palette(name));
  return palettes;
}

/// One cycle as blanks on backgrounds of 24-bit colours (ISO 8613-6, SGR 48;2).
std::string strip_of(const color::Palette& palette) {
  std::string text;
  for (int i = 0; i < kStripColumns; ++i) {
    const color::Rgb rgb = color::color_at(palette, static_cast<double>(i) / kStripColumns);
    text += fmt::format("\x1b[48;2;{};{};{}m ", rgb.r, rgb.g, rgb.b);
  }
  return text + "\x1b[0m ";
}

void print_palettes(const std::vector<color::Palette>& palettes) {
  const bool colors = isatty(STDOUT_FILENO) != 0;
  for (const color::Palette& palette : palettes) {
    fmt::print("{:<10} {}{}\n", palette.name, colors ? strip_of(palette) + "\n           " : "",
               palette.description);
  }
}

std::string hex_of(const color::Rgb& rgb) {
  return fmt::format("#{:02x}{:02x}{:02x}", rgb.r, rgb.g, rgb.b);
}

report::Json json_of(const color::Palette& palette) {
  report::Json colors = report::Json::array();
  for (const color::Rgb& rgb : palette.stops) colors.push_back(hex_of(rgb));
  return {{"name", palette.name},
          {"description", palette.description},
          {"colors", std::move(colors)},
          {"inside", hex_of(palette.inside)}};
}

void print_json(const std::vector<color::Palette>& palettes) {
  report::Json json = report::document("palettes");
  for (const color::Palette& palette : palettes) json["palettes"].push_back(json_of(palette));
  fmt::print("{}", report::dump(json));
}

void write_sheet(const color::Sheet& sheet, const PalettesArguments& arguments) {
  job::check_suffix(arguments.preview, "--preview", ".png");
  store::check_output(arguments.preview, "--preview", arguments.overwrite);
  const store::PictureFormat& format = store::picture_format_of(arguments.preview);
  const auto replace = arguments.overwrite ? base::Replace::what_is_there : base::Replace::nothing;
  const auto picture = format.create({arguments.preview, replace}, {.size_px = sheet.size_px},
                                     {{"Software", "Tessera"}});
  picture->put(format.make_encoder()->encode(sheet.rgb, sheet.size_px.width, 3));
  picture->finish();
}

void show_palettes(const PalettesArguments& arguments) {
  const std::vector<color::Palette> palettes = palettes_of(arguments);
  if (!arguments.preview.empty()) write_sheet(color::draw_sheet(palettes), arguments);
  if (arguments.json) return print_json(palettes);
  if (arguments.preview.empty()) print_palettes(palettes);
}

}  // namespace

void add_palettes(Syntax& syntax, Action& action) {
  auto arguments = std::make_shared<PalettesArguments>();
  syntax.add_optional_arguments("PALETTE", arguments->files, "names or palette files; all names");
  syntax.add_option({"preview", "FILE.png", "write a picture of them", "Output",
                     [arguments](const std::string& text) { arguments->preview = text; }});
  syntax.add_option({"overwrite", "", "replace the picture if it is there", "Output",
                     [arguments](const std::string&) { arguments->overwrite = true; }});
  add_json(syntax, *arguments);
  set_action(syntax, action, [arguments](run::Context& context) {
    comm::World& world = context.world;
    comm::agree(world, [&] {
      if (world.is_root()) show_palettes(*arguments);
    });
    return base::ExitCode::done;
  });
}

}  // namespace tessera::command
