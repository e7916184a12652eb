#include "view/viewer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/printable.hpp"
#include "base/version.hpp"
#include "view/answers.hpp"
#include "view/http/assets.hpp"
#include "view/image_json.hpp"
#include "view/look_scales.hpp"

namespace tessera::view {

namespace {

constexpr const char* kPlainText = "text/plain; charset=utf-8";

HttpAnswer error_answer(int status, const std::string& text) {
  return json_answer({{"error", text}}, status);
}

std::pair<std::string, std::string> attachment(const std::string& name) {
  return {"Content-Disposition", fmt::format("attachment; filename=\"{}\"", name)};
}

/// "trunk.h5" -> "trunk.png", of letters that a header and every file system take.
std::string file_name(std::string name, std::string_view suffix) {
  name.resize(std::min(name.rfind('.'), name.size()));
  for (char& letter : name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
                       std::string_view("-._").find(letter) != std::string_view::npos;
    if (!plain) letter = '_';
  }
  return (name.empty() || name[0] == '.' ? "image" : "") + name + std::string(suffix);
}

/// The same address with the same tag has the same content.
std::string tag_of(std::string_view content) {
  return fmt::format("\"{:016x}\"", base::fnv1a(content));
}

HttpAnswer tagged(HttpAnswer answer, const std::string& tag, bool for_ever) {
  answer.headers.emplace_back("ETag", tag);
  answer.headers.emplace_back(
      "Cache-Control", for_ever ? "private, max-age=31536000, immutable" : "private, no-cache");
  return answer;
}

LookScales scales_of(Pyramids& pyramids, const std::shared_ptr<const OpenImage>& image,
                     const job::ColorJob& look) {
  return {*image, look, [&](job::Field field) { return pyramids.of(image, field); }};
}

/// Changes when a picture of the image can have changed: with the image, any palette that a
/// request may name, and the program.
std::uint64_t version_of(const OpenImage& image, const std::string& colors,
                         const LookScales& scales, const Histogram* histogram) {
  return json_version(
      base::fnv1a(fmt::format("{} {} {} {} {}", base::version_and_commit(), image.version(), colors,
                              scales.revision(), histogram ? histogram->number : 0)));
}

/// The place in "/tiles/ID/LEVEL/X/Y.png".
TilePlace place_of(const Target& target, const base::ImageSize& image_px) {
  const std::string_view row = without_png(target.path[4]);
  TilePlace place;
  place.level =
      static_cast<int>(parse_number(target.path[2], "level", 0, levels_of(image_px) - 1, 404));
  const base::ImageSize tiles = tiles_at(image_px, place.level);
  place.x = parse_number(target.path[3], "column", 0, tiles.width - 1, 404);
  place.y = parse_number(row, "row", 0, tiles.height - 1, 404);
  return place;
}

/// Tiles of an image whose facts may be held.
std::int64_t max_tiles(std::uint64_t memory_bytes) {
  return static_cast<std::int64_t>(memory_bytes / sizeof(TileFacts));
}

/// The headers of every answer.
void add_safety(HttpAnswer& answer) {
  answer.headers.insert(
      answer.headers.end(),
      {{"Content-Security-Policy",
        "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; base-uri 'none'; "
        "form-action 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"}});
}

}  // namespace

Viewer::Viewer(const ViewerSpec& spec)
    : access_(spec.token),
      facts_(spec.facts),
      palettes_(spec.palettes),
      images_(spec.paths, spec.expected, max_tiles(spec.memory_bytes), throttle_),
      memory_bytes_(spec.memory_bytes),
      threads_(spec.threads),
      tiles_(spec.cache_bytes),
      histograms_(tiles_),
      pyramids_(spec.threads, spec.memory_bytes, spec.cache, throttle_),
      gate_(spec.threads, spec.max_waiting),
      region_gate_(1, 1) {
  throttle_.take(process_seconds());  // the start of the program
  router_.add(spec.routes);
  router_.add(routes());
}

std::vector<Route> Viewer::routes() {
  const auto get = [this](std::vector<std::string_view> path,
                          HttpAnswer (Viewer::*member)(const Asked&)) {
    return Route{"GET", std::move(path),
                 [this, member](const Asked& asked) { return (this->*member)(asked); }};
  };
  return {
      get({"api", "images"}, &Viewer::list),
      get({"api", "images", "*"}, &Viewer::image),
      get({"api", "images", "*", "pixel"}, &Viewer::pixel),
      get({"api", "images", "*", "map"}, &Viewer::map),
      get({"api", "images", "*", "region.png"}, &Viewer::region_png),
      get({"api", "images", "*", "region.toml"}, &Viewer::region_toml),
      get({"api", "images", "*", "region.txt"}, &Viewer::region_text),
      get({"api", "palettes"}, &Viewer::palettes),
      get({"tiles", "*", "*", "*", "*"}, &Viewer::tile),
  };
}

HttpAnswer Viewer::answer(const HttpRequest& request) {
  HttpAnswer answer;
  try {
    answer = dispatch(request);
  } catch (const HttpError& error) {
    answer = error_answer(error.status(), error.what());
  } catch (const std::exception& error) {
    answer = error_answer(500, base::printable(error.what()));
  }
  add_safety(answer);
  return answer;
}

HttpAnswer Viewer::dispatch(const HttpRequest& request) {
  const Asked asked{request, parse_target(request.target)};
  if (auto redirect = access_.check(request, asked.target)) return std::move(*redirect);
  return router_.answer(asked, [this](const Asked& other) { return asset(other); });
}

HttpAnswer Viewer::asset(const Asked& asked) {
  std::string name;
  for (const std::string& part : asked.target.path) name += (name.empty() ? "" : "/") + part;
  const Asset* found = find_asset(name.empty() ? "index.html" : name);
  if (!found) found = find_asset(name + ".html");
  if (!found) throw HttpError(404, "there is no such page");
  const std::string tag = tag_of(found->text);
  if (asked.request.if_none_match == tag) return tagged({.status = 304}, tag, false);
  return tagged({.type = std::string(found->type), .body = std::string(found->text)}, tag, false);
}

HttpAnswer Viewer::list(const Asked&) {
  report::Json images = report::Json::array();
  images_.for_each([&](const ListedImage& listed) { images.push_back(image_json(listed)); });
  report::Json json = facts_;
  json["images"] = std::move(images);
  return json_answer(json);
}

HttpAnswer Viewer::image(const Asked& asked) {
  const ListedImage listed = images_.at(asked.number(2));
  // The part of the smaller scales that is built counts into the version.
  const job::ColorJob look = look_of(asked.target, palettes_, *listed.image);
  const LookScales scales = scales_of(pyramids_, listed.image, look);
  const auto histogram = histogram_of(*listed.image, look);
  report::Json json = whole_image_json(listed);
  json["scales"] = scales.built_part();
  json["version"] = version_of(*listed.image, colors_of(palettes_), scales, histogram.get());
  json["histogram"] = histogram ? json_version(histogram->number) : 0;
  return json_answer(json);
}

std::shared_ptr<const Histogram> Viewer::histogram_of(const OpenImage& image,
                                                      const job::ColorJob& look) {
  if (!look.equalize) return nullptr;
  const WorkGate::Pass pass(gate_);
  const ThrottledWork work(image.complete() ? nullptr : &throttle_);
  return histograms_.of(image, image.field(look.field));
}

HttpAnswer Viewer::pixel(const Asked& asked) {
  const ListedImage listed = images_.at(asked.number(2));
  const base::ImageSize size = listed.image->grid().size_px;
  const auto x = parse_number(asked.target.parameter("x"), "x", 0, size.width - 1);
  const auto y = parse_number(asked.target.parameter("y"), "y", 0, size.height - 1);
  const WorkGate::Pass pass(gate_, asked.request.gone);
  return json_answer(pixel_json(*listed.image, x, y, tiles_));
}

HttpAnswer Viewer::map(const Asked& asked) {
  return json_answer(map_json(*images_.at(asked.number(2)).image));
}

HttpAnswer Viewer::palettes(const Asked&) {
  return json_answer(palettes_json(palettes_));
}

HttpAnswer Viewer::region_png(const Asked& asked) {
  const ListedImage listed = images_.at(asked.number(2));
  job::ColorJob job = region_job(asked.target, *listed.image, palettes_);
  job.memory_bytes = memory_bytes_;
  job.threads = threads_;
  const std::string name = file_name(listed.name, ".png");
  const WorkGate::Pass pass(region_gate_, asked.request.gone);
  return {.type = "image/png",
          .long_body = region_picture(job, name),
          .headers = {{"Cache-Control", "no-store"}, attachment(name)}};
}

HttpAnswer Viewer::region_toml(const Asked& asked) {
  const ListedImage listed = images_.at(asked.number(2));
  const job::ColorJob job = region_job(asked.target, *listed.image, palettes_);
  return fresh_answer(kPlainText,
                      view::region_toml(*listed.image, job, file_name(listed.name, ".png")),
                      {attachment(file_name(listed.name, ".toml"))});
}

HttpAnswer Viewer::region_text(const Asked& asked) {
  const ListedImage listed = images_.at(asked.number(2));
  const job::ColorJob job = region_job(asked.target, *listed.image, palettes_);
  return fresh_answer(kPlainText,
                      region_command(*listed.image, job, file_name(listed.name, ".png")));
}

HttpAnswer Viewer::tile(const Asked& asked) {
  const ListedImage listed = images_.at(asked.number(1));
  const OpenImage& image = *listed.image;
  const TilePlace place = place_of(asked.target, image.grid().size_px);
  const job::ColorJob look = look_of(asked.target, palettes_, image);
  const LookScales all = scales_of(pyramids_, listed.image, look);
  const LookScales used = place.level > 1 ? all : LookScales();
  const auto histogram = histogram_of(image, look);
  const std::string colors = colors_of(palettes_);
  const std::string tag = tag_of(
      fmt::format("{} {}", version_of(image, colors, used, histogram.get()), asked.request.target));
  const std::string version = fmt::format("{}", version_of(image, colors, all, histogram.get()));
  const bool for_ever = used.built_part() == 1 && asked.target.parameter("version") == version;
  if (asked.request.if_none_match == tag) return tagged({.status = 304}, tag, for_ever);
  const WorkGate::Pass pass(gate_, asked.request.gone);
  const ThrottledWork work(image.complete() ? nullptr : &throttle_);
  const base::Bytes png = tiles_.png(image, used.scales(), place, look, histogram.get());
  return tagged(png_answer(png), tag, for_ever);
}

}  // namespace tessera::view
