#include "post/film/film_work.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "post/verify/step_counts_work.hpp"

namespace tessera::post {
namespace {

constexpr double kAllOfIt = 1 << color::Layer::kShareBits;

/// How much of the narrow image a column of the film takes: none outside, all far enough inside.
std::vector<std::uint32_t> shares_along(std::int64_t source, std::int64_t target,
                                        const FilmBlend& blend, double most) {
  const double half = static_cast<double>(source) / blend.narrow_scale / 2;
  std::vector<std::uint32_t> shares;
  for (std::int64_t i = 0; i < target; ++i) {
    const double from_middle = std::abs(static_cast<double>(2 * i + 1 - target)) / 2;
    const double inside = half - from_middle;
    const double edge = std::max(blend.edge_px, 1e-9);
    const double part = std::clamp(inside / edge, 0.0, 1.0);
    shares.push_back(static_cast<std::uint32_t>(std::lround(kAllOfIt * most * part)));
  }
  return shares;
}

color::Layer layer_of(const Film& film, const FilmBlend& blend, double scale, bool wide) {
  const base::ImageSize& source = film.keys.size_px;
  const base::ImageSize& target = film.size_px;
  return {color::Taps(source.width, target.width, scale),
          color::Taps(source.height, target.height, scale),
          shares_along(source.width, target.width, blend, blend.narrow_weight),
          shares_along(source.height, target.height, blend, 1), wide};
}

color::Pose pose_of(const Film& film, const LayerPose& pose) {
  return {film.keys.size_px, film.size_px, pose.scale, pose.turn_deg};
}

}  // namespace

class FilmTask : public farm::Task {
 public:
  FilmTask(FilmWork& work, std::int64_t frame, int lane)
      : work_(work), frame_(frame), lane_(work.lanes_[static_cast<std::size_t>(lane)]) {}

  int parts() const override { return 1; }

  void run_part(int, int) override { work_.make_frame(lane_, frame_); }

  void finish(int, const farm::SendResult& send_result) override {
    send_result({.item = frame_, .body = encoded()});
  }

 private:
  base::Bytes encoded() {
    if (!lane_.encoder) return lane_.pixels;
    return lane_.encoder->encode(lane_.pixels, work_.film_.size_px.width,
                                 work_.film_.format.bytes());
  }

  FilmWork& work_;
  std::int64_t frame_;
  FilmWork::Lane& lane_;
};

FilmWork::FilmWork(const Film& film, KeyFrames& images, FilmColors colors, std::int64_t rows,
                   int lanes, const store::PictureFormat* file)
    : film_(film),
      images_(images),
      colors_(std::move(colors)),
      rows_(rows),
      lanes_(static_cast<std::size_t>(lanes)) {
  if (file == nullptr) return;
  for (Lane& lane : lanes_) lane.encoder = file->make_encoder();
}

std::unique_ptr<farm::Task> FilmWork::begin(std::int64_t frame, int lane) {
  return std::make_unique<FilmTask>(*this, frame, lane);
}

std::vector<FilmWork::KeyLayer> FilmWork::layers_of(const FilmPlace& place) const {
  const FilmBlend blend =
      blend_at(film_.keys.size_px, film_.size_px, film_.keys.zoom, place.beyond);
  const double turn_deg = film_.keys.turn_deg;
  const LayerPose wide{blend.wide_scale, turn_deg * place.beyond};
  const LayerPose narrow{blend.narrow_scale, turn_deg * (place.beyond - 1)};
  if (place.beyond == 0) return {{place.key, wide, layer_of(film_, blend, wide.scale, true)}};
  if (turn_deg == 0) {
    return {{place.key, wide, layer_of(film_, blend, wide.scale, true)},
            {place.key + 1, narrow, layer_of(film_, blend, narrow.scale, false)}};
  }
  const color::SoftEdge edge{pose_of(film_, narrow), blend.edge_px, blend.narrow_weight};
  return {{place.key, wide, color::TurnedLayer(pose_of(film_, wide), edge, true)},
          {place.key + 1, narrow, color::TurnedLayer(edge.pose, edge, false)}};
}

void FilmWork::make_frame(Lane& lane, std::int64_t frame) {
  const FilmPlace place = film_.frames.at(frame);
  const base::ImageSize& size = film_.size_px;
  const FilmColors::Frame colors = colors_.at(film_.frames.way(place));
  const std::vector<KeyLayer> layers = layers_of(place);
  const std::size_t row_bytes = static_cast<std::size_t>(size.width) * film_.format.bytes();
  lane.pixels.resize(static_cast<std::size_t>(size.height) * row_bytes);
  for (std::int64_t first = 0; first < size.height; first += rows_) {
    const std::int64_t rows = std::min(rows_, size.height - first);
    lane.blend.begin(first, {size.width, rows});
    for (const KeyLayer& layer : layers) add_layer(lane, colors, layer, first, rows);
    lane.row.resize(static_cast<std::size_t>(size.width));
    for (std::int64_t y = first; y < first + rows; ++y) {
      lane.blend.finish(y, lane.row);
      color::store_pixels(film_.format, lane.row, 0, y,
                          lane.pixels.data() + static_cast<std::size_t>(y) * row_bytes);
    }
  }
}

/// The part of the image that the rows need, all of it at most.
void FilmWork::add_layer(Lane& lane, const FilmColors::Frame& colors, const KeyLayer& layer,
                         std::int64_t first_row, std::int64_t rows) {
  const base::PixelRect part =
      std::visit([&](const auto& one) { return one.sources_of(first_row, rows); }, layer.part);
  if (part.width <= 0 || part.height <= 0) return;
  const auto image = images_.open(layer.key);
  ShadedReader::Buffers buffers(image->shaded);
  Painter painter = colors_.painter(colors, layer.pose, image->shaded.type());
  if (const auto* upright = std::get_if<color::Layer>(&layer.part)) {
    return image->shaded.for_each_run(part, buffers, [&](const ValueRun& run) {
      lane.blend.add(*upright, run.y, run.x, painter.color(run));
    });
  }
  lane.picture.begin(part);
  image->shaded.for_each_run(part, buffers, [&](const ValueRun& run) {
    lane.picture.put(run.x, run.y, painter.color(run));
  });
  lane.blend.add(std::get<color::TurnedLayer>(layer.part), lane.picture);
}

std::unique_ptr<farm::Task> KeyCountsWork::begin(std::int64_t item, int) {
  return std::make_unique<farm::OnePartTask>(
      item, [this](std::int64_t key, int) -> std::optional<base::Bytes> {
        const auto image = images_.open(key);
        ChunkReader::Buffers buffers(image->chunks);
        color::StepCounts counts(range_);
        const base::ImageSize& size = image->reader->header().size_px;
        image->chunks.for_each_run(
            {0, 0, size.width, size.height}, buffers, [&](const ChunkReader::Run& run) {
              counts.add(run.values, image->chunks.type(), static_cast<std::size_t>(run.pixels));
            });
        return packed(counts);
      });
}

}  // namespace tessera::post
