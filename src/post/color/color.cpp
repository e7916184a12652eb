#include "post/color/color.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "binding/render_lanes.hpp"
#include "color/palette.hpp"
#include "color/pixel_format.hpp"
#include "comm/agree.hpp"
#include "comm/all_reduce.hpp"
#include "comm/broadcast_value.hpp"
#include "device/host/cpu_threads.hpp"
#include "farm/farm.hpp"
#include "farm/phases.hpp"
#include "job/image/coloring.hpp"
#include "job/image/resolution.hpp"
#include "post/color/band_plan.hpp"
#include "post/color/band_work.hpp"
#include "post/color/chunk_reader.hpp"
#include "post/color/equalize.hpp"
#include "post/color/picture.hpp"
#include "post/color/recipe.hpp"
#include "post/color/shaded_reader.hpp"
#include "post/job_of_file.hpp"
#include "post/shared_input.hpp"
#include "post/verify/step_counts_work.hpp"

namespace tessera::post {
namespace {

/// The state of a rank before the picture is divided into bands.
struct Source {
  color::Palette palette;
  bool complete = true;
  bool beyond_f64 = false;                     ///< on the gather rank
  std::unique_ptr<store::ImageReader> reader;  ///< null if this rank cannot see the file;
  int lanes = 0;                               ///< then 0, and the members below are unset
  job::Field field = job::Field::iterations;
  base::ElementType type = base::ElementType::u16;
  std::uint64_t iterations = 1;
  base::PixelRect region;
};

bool has(const store::ImageHeader& header, job::Field field) {
  return std::ranges::any_of(header.fields, [&](const auto& one) { return one.first == field; });
}
bool has_gradient(const store::ImageHeader& header) {
  return has(header, job::Field::gradient_x) && has(header, job::Field::gradient_y);
}

base::PixelRect choose_region(const store::ImageHeader& header, const job::ColorJob& job) {
  const base::PixelRect all{0, 0, header.size_px.width, header.size_px.height};
  const base::PixelRect region = job.region.value_or(all);
  if (region.x + region.width > all.width || region.y + region.height > all.height) {
    throw base::usage_error("--region: reaches beyond the image, which is {}x{}", all.width,
                            all.height);
  }
  if (region.width < job.scale || region.height < job.scale) {
    throw base::usage_error("--scale 1/{}: leaves nothing of {}x{} pixels", job.scale, region.width,
                            region.height);
  }
  return region;
}

std::uint64_t iterations_of(const store::ImageReader& reader) {
  return static_cast<std::uint64_t>(base::parse_integer(reader.attribute("iterations"),
                                                        "attribute iterations", 1,
                                                        std::int64_t{job::kMaxIterations}));
}

Source open_source(comm::World& world, const job::ColorJob& job) {
  Source source;
  source.palette = palette_of(job);
  const int lanes = device::cpu_threads(binding::place_of(world, job), device::count_cores());
  source.reader = open_shared_input(world, job.input);
  if (!source.reader) return source;
  source.complete = source.reader->attribute("status") == "complete";
  source.lanes = lanes;
  std::tie(source.field, source.type) = choose_field(*source.reader, job.field);
  check_shading(source.reader->header(), job, job.input);
  source.iterations = iterations_of(*source.reader);
  source.region = choose_region(source.reader->header(), job);
  return source;
}

/// f64 is assumed to be enough for a place that the file does not tell.
bool is_beyond_f64(const store::ImageReader& reader) {
  try {
    return job::is_beyond_f64(job_of(reader, reader.path()));
  } catch (const base::Error&) {  // attributes that others have changed
    return false;
  }
}

const store::PictureFormat& file_format_of(const job::ColorJob& job) {
  return store::picture_format_of(job.output);
}

/// The gather rank knows whether the image is complete; on another rank it may be by now.
color::PixelFormat format_of(const job::ColorJob& job, const Source& source) {
  return {.depth = job.png_depth,
          .alpha = !source.complete,
          .light = file_format_of(job).has_values,
          .dither = job.png_depth == 8 &&
                    (source.field == job::Field::smooth || !job::shading_fields(job).empty())};
}

/// Unset without a reader.
std::optional<store::ValueChannels> values_of(const job::ColorJob& job, const Source& source) {
  if (!file_format_of(job).has_values || !source.reader) return std::nullopt;
  return store::ValueChannels{
      .wide = source.iterations + store::ValueChannels::kBias >= store::ValueChannels::kInside,
      .fraction = source.field == job::Field::smooth,
      .distance = has(source.reader->header(), job::Field::distance) ||
                  has_gradient(source.reader->header()),
      .phase =
          source.field == job::Field::smooth && has(source.reader->header(), job::Field::phase),
      .iterations = source.iterations};
}

/// The fields that are read beside the values.
std::vector<job::Field> beside_of(const job::ColorJob& job, const Source& source,
                                  const BandContents& contents) {
  if (!source.reader) return {};
  std::vector<job::Field> fields = job::shading_fields(job);
  if (!contents.values) return fields;
  const bool fraction = has(source.reader->header(), job::Field::fraction);
  if (fraction && contents.values->fraction) fields.push_back(job::Field::fraction);
  if (contents.values->phase) fields.push_back(job::Field::phase);
  if (!contents.values->distance) return fields;
  for (const job::Field field : {job::Field::gradient_x, job::Field::gradient_y}) {
    const auto shown = has_gradient(source.reader->header()) ? field : job::Field::distance;
    if (!job::has_field(fields, shown)) fields.push_back(shown);
  }
  return fields;
}

/// Collective. All ranks use the same height of bands: the smallest that any rank can hold. On a
/// rank without lanes all members except the rows are zero.
BandBudget common_budget(comm::World& world, const job::ColorJob& job, const Source& source,
                         const BandContents& contents) {
  const int lanes_of_all = farm::total_lanes(world, source.lanes);
  BandRequest request{.region = source.region,
                      .scale = job.scale,
                      .type = source.type,
                      .pixel_bytes = contents.pixel_bytes(),
                      .file = &file_format_of(job),
                      .beside = static_cast<int>(beside_of(job, source, contents).size()),
                      .memory_bytes = job.memory_bytes,
                      .lanes = source.lanes,
                      .lanes_of_all = lanes_of_all};
  std::int64_t rows = std::numeric_limits<std::int64_t>::max();
  comm::agree(world, [&] {
    if (!source.reader) return;
    request.chunk_px = source.reader->header().chunk_px();
    request.tiles = source.reader->header().grid().pixels();
    request.alongside_bytes = ChunkReader::widest_alongside(source.reader->header(), source.field);
    rows = plan_bands(request).rows;
  });
  const auto fewest = [](std::int64_t a, std::int64_t b) { return std::min(a, b); };
  BandBudget budget{.rows = comm::all_reduce(world, rows, fewest)};
  comm::agree(world, [&] {
    if (source.reader) budget = plan_bands(request, budget.rows);
  });
  return budget;
}

/// The unfinished picture, on the gather rank.
struct Picture {
  using Values = std::optional<store::ValueChannels>;
  std::unique_ptr<store::PictureWriter> file;
  BandSink sink;

  Picture(const store::PictureTarget::Take& take, const job::ColorJob& job, const Source& source,
          const BandPlan& plan, const BandContents& contents)
      : file(file_format_of(job).create(
            {.path = job.output,
             .replace = job.overwrite ? base::Replace::what_is_there : base::Replace::nothing,
             .take = take},
            {.size_px = plan.picture_px(),
             .depth = contents.format.depth,
             .alpha = contents.format.alpha,
             .values = contents.values},
            text_of(job, source, contents.values))),
        sink(*file) {}

  static store::PictureTexts text_of(const job::ColorJob& job, const Source& source,
                                     const Values& values) {
    store::PictureTexts texts =
        picture_text({.fingerprint = source.reader->attribute("fingerprint"),
                      .field = source.field,
                      .palette = source.palette,
                      .coloring = job,
                      .region = source.region,
                      .scale = job.scale,
                      .complete = source.complete},
                     job.keeps_input ? job.input : "");
    store::PictureTexts recipe = recipe_text(*source.reader, job, source.region);
    if (recipe.empty()) texts.emplace_back("Palette", source.palette.name);
    if (file_format_of(job).is_for_others) {
      std::erase_if(recipe, [](const auto& text) { return text.first != "Command"; });
      recipe.emplace_back(store::kForeignPlaceKey, foreign_place(*source.reader, job, source.region,
                                                                 values && values->fraction));
    }
    texts.insert(texts.end(), recipe.begin(), recipe.end());
    return texts;
  }
};

/// A farm over the bands of the picture.
farm::FarmResult run_bands(comm::World& world, const job::ColorJob& job, const BandPlan& bands,
                           const BandBudget& budget, farm::Work& work, farm::Sink* sink) {
  const auto queue_bytes = static_cast<std::size_t>(budget.queue_bytes);
  return farm::run(
      world,
      {.work = work,
       .sink = sink,
       .costs = std::vector<float>(static_cast<std::size_t>(bands.count()), 1.0F),
       .window = budget.window,
       .label = "colour",
       .item = "band",
       .quiet = job.quiet,
       .limits = {
           .outbox_bytes = queue_bytes, .inbox_bytes = queue_bytes, .trace = job.records_spans()}});
}

color::Colorizer colorizer_of(comm::World& world, const job::ColorJob& job, const Source& source,
                              ChunkReader* reader, const BandPlan& bands,
                              const BandBudget& budget) {
  const auto count_steps = [&](color::ValueRange range) {
    StepCountsWork work(reader, bands, range, budget.lanes);
    StepCountsSink sink(range);
    run_bands(world, job, bands, budget, work, world.is_root() ? &sink : nullptr);
    return sink.counts();
  };
  return make_colorizer(world, job, source.palette, source.iterations, reader != nullptr,
                        count_steps);
}

/// Distances are in pixels of the file.
std::optional<color::DistanceShade> edge_of(const job::ColorJob& job, const Source& source) {
  if (job.distance == 0) return std::nullopt;
  return color::DistanceShade(job.distance * job.scale, color::opaque(source.palette.inside));
}

}  // namespace

ColorResult color_file(comm::World& world, job::ColorJob job) {
  return color_into({}, world, std::move(job));
}

ColorResult color_into(const store::PictureTarget::Take& take, comm::World& world,
                       job::ColorJob job) {
  farm::Phases phases(world, "colour", job.quiet, job.records_spans());
  phases.enter(report::Phase::open_file, "opens " + job.input);
  Source source;
  comm::agree(world, [&] {
    source = open_source(world, job);
    if (world.is_root()) source.beyond_f64 = is_beyond_f64(*source.reader);
  });
  source.complete = comm::broadcast_value(world, source.complete);
  job::settle_colors(job, comm::broadcast_value(world, source.beyond_f64));
  if (file_format_of(job).has_values) job.png_depth = 16;
  const BandContents contents{format_of(job, source), values_of(job, source)};
  const BandBudget budget = common_budget(world, job, source, contents);
  const BandPlan bands{.region = source.region, .scale = job.scale, .rows = budget.rows};
  std::optional<ChunkReader> reader;
  if (source.reader) reader.emplace(*source.reader, source.field);
  ChunkReader* const readable = reader ? &*reader : nullptr;

  // Only the gather rank can fail at the picture. Each such step is collective, so that the other
  // ranks learn of the failure and do not wait forever.
  std::optional<Picture> picture;
  comm::agree(world, [&] {
    if (world.is_root()) picture.emplace(take, job, source, bands, contents);
  });
  phases.leave();
  job::PerField<std::optional<ChunkReader>> beside;
  Shading shading{.edge = edge_of(job, source)};
  if (job.light) shading.light.emplace(job.light->azimuth_deg, job.light->height);
  for (const job::Field field : beside_of(job, source, contents)) {
    shading.beside[field] = &beside[field].emplace(*source.reader, field);
  }
  ColorWork work(readable, colorizer_of(world, job, source, readable, bands, budget), shading,
                 bands, contents, file_format_of(job), budget.lanes);
  ColorResult result{.size_px = bands.picture_px()};
  farm::FarmResult colored =
      run_bands(world, job, bands, budget, work, picture ? &picture->sink : nullptr);
  result.threads = std::move(colored.threads);
  phases.enter(report::Phase::close_file, "closes " + job.output);
  result.repeats = colored.repeats;
  comm::agree(world, [&] {
    if (!picture) return;
    picture->file->finish();
    result.output_bytes = picture->file->size_bytes();
  });
  phases.leave();
  result.threads.push_back(phases.report());
  return result;
}

}  // namespace tessera::post
