#include "tessera/image.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "api/call.hpp"
#include "api/image_state.hpp"
#include "api/source_state.hpp"
#include "base/error.hpp"
#include "job/image/resolution.hpp"
#include "job/image/views.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/recipe.hpp"
#include "render/image_sink.hpp"
#include "render/memory_sink.hpp"
#include "render/render.hpp"
#include "report/printers.hpp"
#include "store/image/formats.hpp"
#include "store/image/header.hpp"

namespace tessera::v0 {
namespace {

class TileWriter : public store::ImageWriter {
 public:
  TileWriter(ImageSink& sink, const job::RenderJob& job)
      : sink_(sink), image_(job.image), tiles_{job.image.size_px, job.tile_px} {}

  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t /*filter_mask*/) override {
    const base::PixelRect rect = tiles_.rect(tile_row * tiles_.columns() + tile_column);
    const std::size_t element = base::element_bytes(job::field_type(image_, field));
    const Tile tile{.field = static_cast<Field>(field),
                    .x = rect.x,
                    .y = rect.y,
                    .width = rect.width,
                    .height = rect.height,
                    .values = bytes.data(),
                    .stride_bytes = static_cast<std::size_t>(tiles_.chunk_px().width) * element};
    api::called_back([&] { sink_.tile(tile); });
  }
  void set_tile(const store::TileRow&) override {}
  void flush() override {}
  void sync() override {}
  void end_share(const std::string&) override {}
  void end_part(const std::string&) override {}
  void finish(std::span<const store::TimingRow>, const store::Attributes&) override { sink_.end(); }

 private:
  ImageSink& sink_;
  job::ImageSpec image_;
  plan::TileGrid tiles_;
};

/// Gives the tiles of a render to a sink of the caller.
class CallerSink : public render::ImageSink {
 public:
  CallerSink(const ImageSpec& image, v0::ImageSink& sink) : image_(image), sink_(sink) {}

  std::unique_ptr<store::ImageWriter> begin(const job::RenderJob& job,
                                            store::Leftover& /*found*/) override {
    api::called_back([&] { sink_.begin(image_); });
    return std::make_unique<TileWriter>(sink_, job);
  }

 private:
  const ImageSpec& image_;
  v0::ImageSink& sink_;
};

/// Whether the option decides pixels, or which values of them there are. A view is a center, a
/// width and more.
bool is_of_place(const std::string& name) {
  if (name == "view") return false;
  const auto& all = job::render_options();
  const auto option = std::ranges::find(all, name, &job::Option<job::RenderJob>::name);
  return name == "fields" || (option != all.end() && option->scope == job::Scope::image);
}

/// Whether the option means something where there is no file.
bool is_of_memory(const std::string& name) {
  constexpr std::string_view kOfRuns[] = {"view",    "tile",  "device",         "threads",
                                          "isolate", "quiet", "device-timeout", "heartbeat"};
  return is_of_place(name) || std::ranges::find(kOfRuns, name) != std::end(kOfRuns);
}

void check_of_memory(const Options& given) {
  for (const auto& [name, value] : given) {
    if (value.empty() || value == "false" || is_of_memory(name)) continue;
    throw base::usage_error("{}: is for images in files, and this one is in memory", name);
  }
}

/// The command line reads a place from a file.
void check_place(const Options& given) {
  for (const auto& [name, value] : given) {
    if (value.empty() || (name != "from" && name != "region")) continue;
    throw base::usage_error(
        "{}: is for the command line; options_of_image(), or open_image(FILE).place, has the place "
        "of a file",
        name);
  }
}

/// Throws a usage error for options that a call, which renders one image, cannot follow.
void check_options(const Options& given) {
  constexpr std::string_view kOfImages[] = {"frames", "zoom-per-frame", "turn-per-frame"};
  for (const auto& [name, value] : given) {
    if (value.empty() || value == "false") continue;
    if (std::ranges::find(kOfImages, name) == std::end(kOfImages)) continue;
    throw base::usage_error("{}: is for the command line; a call renders one image", name);
  }
  api::check_of_library(given);
  check_place(given);
}

Report rendered(Context& context, const ImageSpec& image, render::ImageSink* sink, const Run& run) {
  Report report;
  if (sink != nullptr) api::translated([&] { check_of_memory(image.state().given); });
  api::call(context, run, [&](run::Context& inside) {
    job::RenderJob job = image.state().job;
    api::apply(context.settings(), job);
    const report::RunReport done =
        sink != nullptr ? render::render(inside, job, *sink) : render::render(inside, job);
    if (inside.world.is_root()) report = report::to_json(done);
  });
  return report;
}

}  // namespace

ImageSpec::ImageSpec(const Options& options) : state_(std::make_unique<State>()) {
  state_->job = api::translate([&] {
    check_options(options);
    return job::make_render_job(api::given_of(options));
  });
  state_->given = options;
}
ImageSpec::~ImageSpec() = default;
ImageSpec::ImageSpec(const ImageSpec& other) : state_(std::make_unique<State>(*other.state_)) {}
ImageSpec::ImageSpec(ImageSpec&&) noexcept = default;
ImageSpec& ImageSpec::operator=(ImageSpec&&) noexcept = default;
ImageSpec& ImageSpec::operator=(const ImageSpec& other) {
  return *this = ImageSpec(other);
}

std::int64_t ImageSpec::width_px() const {
  return state_->job.image.size_px.width;
}

std::int64_t ImageSpec::height_px() const {
  return state_->job.image.size_px.height;
}

std::uint64_t ImageSpec::iterations() const {
  return state_->job.image.iterations;
}

bool ImageSpec::beyond_f64() const {
  return job::is_beyond_f64(state_->job);
}

std::vector<double> ImageSpec::re() const {
  return store::make_header(state_->job).re.all(width_px());
}

std::vector<double> ImageSpec::im() const {
  return store::make_header(state_->job).im.all(height_px());
}

std::vector<Field> ImageSpec::fields() const {
  std::vector<Field> fields;
  for (const job::Field field : state_->job.fields) fields.push_back(static_cast<Field>(field));
  return fields;
}

Type ImageSpec::type(Field field) const {
  return api::type_of(job::field_type(state_->job.image, static_cast<job::Field>(field)));
}

Options ImageSpec::place() const {
  Options place;
  for (auto& option : job::describe(state_->job)) {
    if (is_of_place(option.first)) place.push_back(std::move(option));
  }
  return place;
}

ImageSink::ImageSink() = default;
ImageSink::~ImageSink() = default;

Report render(Context& context, const ImageSpec& image, const Run& run) {
  return rendered(context, image, nullptr, run);
}

Report render(Context& context, const ImageSpec& image, std::span<const FieldMemory> fields,
              const Run& run) {
  std::vector<render::FieldMemory> memory;
  for (const FieldMemory& field : fields) {
    memory.push_back({static_cast<job::Field>(field.field), static_cast<std::byte*>(field.values),
                      field.stride_bytes});
  }
  render::MemorySink sink(std::move(memory));
  return rendered(context, image, &sink, run);
}

Report render(Context& context, const ImageSpec& image, ImageSink& sink, const Run& run) {
  CallerSink tiles(image, sink);
  return rendered(context, image, &tiles, run);
}

Options options_of_image(const std::string& path) {
  return api::translate([&] {
    Options options;
    for (const job::Given& one : post::recipe_of_file(path, std::nullopt, "")) {
      options.emplace_back(one.name, one.value);
    }
    return options;
  });
}

std::vector<Rectangle> missing_tiles(const std::string& path) {
  return api::translate([&] {
    const auto reader = store::open_image(path);
    const plan::TileGrid grid{reader->header().size_px, reader->header().tile_px};
    std::vector<Rectangle> missing;
    std::int64_t tile = 0;
    reader->for_each_tile([&](const store::TileRow& row) {
      const base::PixelRect px = grid.rect(tile++);
      if (row.rank < 0) missing.push_back({px.x, px.y, px.width, px.height});
    });
    return missing;
  });
}

std::vector<NamedView> views() {
  std::vector<NamedView> all;
  for (const job::View& view : job::views()) {
    all.push_back({std::string(view.name), std::string(view.description)});
  }
  return all;
}

}  // namespace tessera::v0

namespace tessera::api {

std::vector<job::Given> given_of(const Options& options) {
  std::vector<job::Given> given;
  for (const auto& [name, value] : options) given.push_back({name, value, name});
  return given;
}

}  // namespace tessera::api
