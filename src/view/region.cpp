#include "view/region.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "base/file/unnamed_file.hpp"
#include "base/printable.hpp"
#include "base/quoted.hpp"
#include "comm/world.hpp"
#include "post/color/color.hpp"
#include "post/color/recipe.hpp"

namespace tessera::view {
namespace {

using Texts = std::vector<std::pair<std::string, std::string>>;

Texts texts_of(const OpenImage& image, job::ColorJob& job, const std::string& png) {
  job.output = png;
  Texts texts = post::recipe_text(image.reader(), job, *job.region);
  if (texts.empty()) throw HttpError(400, "the file does not tell its place");
  return texts;
}

std::string toml_value(const std::string& option, const std::string& text) {
  const auto& options = job::render_options();
  const auto row = std::ranges::find(options, option, &job::Option<job::RenderJob>::name);
  const bool bare = row->kind == job::Kind::integer || row->kind == job::Kind::toggle;
  return bare ? text : base::json_quoted(text);
}

}  // namespace

job::ColorJob region_job(const Target& target, const OpenImage& image, const PaletteFiles& files) {
  const base::ImageSize size = image.grid().size_px;
  job::ColorJob job = look_of(target, files, image);
  const auto number = [&](const char* name, std::int64_t low, std::int64_t high) {
    return parse_number(target.parameter(name), name, low, high);
  };
  base::PixelRect region;
  region.x = number("x", 0, size.width - 1);
  region.y = number("y", 0, size.height - 1);
  region.width = number("width", 1, size.width - region.x);
  region.height = number("height", 1, size.height - region.y);
  job.region = region;
  job.input = image.path();
  try {
    const job::Given scale{"scale", std::string(target.parameter("scale")), "scale"};
    if (!scale.value.empty()) {
      job::apply_options<job::ColorJob>(job, job::color_options(), {&scale, 1});
    }
  } catch (const base::Error& error) {
    throw HttpError(400, base::printable(error.what()));
  }
  if (region.width < job.scale || region.height < job.scale) {
    throw HttpError(400, "scale: leaves nothing of the rectangle");
  }
  return job;
}

std::string region_command(const OpenImage& image, job::ColorJob job, const std::string& png) {
  return texts_of(image, job, png).back().second + "\n";
}

std::string region_toml(const OpenImage& image, job::ColorJob job, const std::string& png) {
  std::string toml;
  for (auto [key, text] : texts_of(image, job, png)) {
    key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
    if (key != "command" && key != "view")
      toml += fmt::format("{} = {}\n", key, toml_value(key, text));
  }
  return toml + fmt::format("png = {}\n", base::json_quoted(png));
}

std::shared_ptr<const LongBody> region_picture(job::ColorJob job, const std::string& name) {
  job.output = name;
  job.quiet = true;
  job.keeps_input = false;
  const auto file = std::make_shared<base::UnnamedFile>();
  auto world = comm::World::single();
  try {
    post::color_into([&](std::span<const std::byte> bytes) { file->write(bytes); }, world, job);
  } catch (const base::Error& error) {
    if (error.code() == base::ExitCode::stopped) throw HttpError(503, "the server ends");
    throw;
  }
  auto body = std::make_shared<LongBody>();
  body->bytes = file->size_bytes();
  body->read = [file](std::uint64_t offset, std::size_t most) { return file->read(offset, most); };
  return body;
}

}  // namespace tessera::view
