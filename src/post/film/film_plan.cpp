#include "post/film/film_plan.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "color/pixel.hpp"
#include "color/rescale.hpp"

namespace tessera::post {
namespace {

/// The soft edge takes this part of the width at most.
constexpr double kMaxEdge = 1.0 / 16;
/// Frames on their way to the one that is written next.
constexpr std::int64_t kFramesPerLane = 2;
constexpr std::uint64_t kColors = std::uint64_t{2} << 20;
/// A chunk in three forms, as in band_plan.cpp.
constexpr std::uint64_t kFormsOfChunk = 3;
constexpr std::uint64_t kBytesBeside = (kFormsOfChunk + 1) * 4;

/// 0 to 1, level at both ends.
double eased(double t) {
  return t * t * (3 - 2 * t);
}

/// The part of the way after `step` of `steps`, if the speed rises evenly within `ease` steps, and
/// falls within the last ones.
double eased_way(double step, double steps, double ease) {
  const double speed = 1 / (steps - ease);
  if (step > steps - ease) return 1 - speed * (steps - step) * (steps - step) / (2 * ease);
  return speed * (step < ease ? step * step / (2 * ease) : step - ease / 2);
}

std::uint64_t frame_bytes(const FilmRequest& request) {
  return static_cast<std::uint64_t>(request.film_px.pixels()) * request.pixel_bytes +
         static_cast<std::uint64_t>(request.film_px.height);
}

/// The frame itself, and what is sent, of which noise would be a little more.
std::uint64_t lane_bytes_of_film(const FilmRequest& request, std::int64_t rows) {
  const auto chunk = static_cast<std::uint64_t>(request.chunk_px.pixels()) *
                     (kFormsOfChunk * base::element_bytes(request.type) + request.alongside_bytes +
                      static_cast<std::uint64_t>(request.beside) * kBytesBeside);
  const auto row =
      static_cast<std::uint64_t>(std::max(request.chunk_px.width, request.film_px.width)) *
      (sizeof(color::Pixel) + 3 * sizeof(std::uint32_t));
  const std::uint64_t frame = frame_bytes(request);
  return job::kImageFileBytes + chunk + row + request.color_bytes + request.picture_bytes +
         color::LightBlend::memory_bytes({request.film_px.width, rows}) + 2 * frame + frame / 4096 +
         (request.in_order ? 0 : request.file->encoder_bytes(frame));
}

std::uint64_t fixed_bytes_of_film() {
  return job::kProgramBytes + job::kImageFileBytes + kColors;
}

/// For one lane: half of the rest for lanes, a quarter each for queues and early frames.
std::uint64_t least_bytes_of_film(const FilmRequest& request, std::int64_t rows) {
  return fixed_bytes_of_film() + std::max(2 * lane_bytes_of_film(request, rows),
                                          4 * job::kCopiesOnTheWay * frame_bytes(request));
}

std::optional<FilmBudget> fit_film(const FilmRequest& request, std::int64_t rows) {
  if (least_bytes_of_film(request, rows) > request.memory_bytes) return std::nullopt;
  const std::uint64_t rest = request.memory_bytes - fixed_bytes_of_film();
  const std::uint64_t lanes = rest / 2 / lane_bytes_of_film(request, rows);
  const auto early = static_cast<std::int64_t>(rest / 4 / frame_bytes(request));
  return FilmBudget{
      .rows = rows,
      .lanes = static_cast<int>(std::min<std::uint64_t>(request.lanes, lanes)),
      .window = request.in_order ? std::min(early, kFramesPerLane * request.lanes_of_all + 2) : 0,
      .queue_bytes = rest / 4 / job::kCopiesOnTheWay};
}

}  // namespace

FilmPlace FilmFrames::at(std::int64_t frame) const {
  const std::int64_t steps = count - 1 - 2 * hold;
  const std::int64_t step = std::clamp<std::int64_t>(frame - hold, 0, steps);
  const std::int64_t way = step * (keys - 1);
  if (ease == 0 || step == steps) {
    return {way / steps, static_cast<double>(way % steps) / static_cast<double>(steps)};
  }
  const double place = eased_way(static_cast<double>(step), static_cast<double>(steps), ease) *
                       static_cast<double>(keys - 1);
  const auto key = std::min<std::int64_t>(static_cast<std::int64_t>(place), keys - 2);
  return {key, std::min(place - static_cast<double>(key), std::nextafter(1.0, 0.0))};
}

FilmFrames frames_of(const job::FilmJob& job, std::int64_t keys) {
  const std::int64_t per_key =
      job.frames_per_key > 0 ? job.frames_per_key : std::max(1LL, std::llround(job.fps));
  const std::int64_t hold = std::llround(job.hold_s * job.fps);
  const double ease = job.ease_s * job.fps;
  // At full speed, an image takes the frames of a key.
  const std::int64_t moving = (keys - 1) * per_key + std::llround(ease);
  const std::int64_t count =
      job.seconds > 0 ? std::max(2LL, std::llround(job.seconds * job.fps)) : moving + 1 + 2 * hold;
  if (count > kMaxFilmFrames) {
    throw base::usage_error("{}: makes {} frames; {} are possible",
                            job.seconds > 0 ? "--seconds" : "--frames-per-key", count,
                            kMaxFilmFrames);
  }
  const std::int64_t steps = count - 1 - 2 * hold;
  if (steps < 1) {
    throw base::usage_error("--hold {}: twice as long leaves no time of --seconds {}", job.hold_s,
                            job.seconds);
  }
  if (2 * ease > static_cast<double>(steps)) {
    throw base::usage_error("--ease {}: the film moves for {:.3g} s; take half of that or less",
                            job.ease_s, static_cast<double>(steps) / job.fps);
  }
  return {keys, count, hold, ease};
}

FilmBlend blend_at(const base::ImageSize& key_px, const base::ImageSize& film_px, double zoom,
                   double beyond) {
  const auto columns = static_cast<double>(film_px.width);
  const double whole =
      std::min(static_cast<double>(key_px.width) / columns,
               static_cast<double>(key_px.height) / static_cast<double>(film_px.height));
  FilmBlend blend{.wide_scale = whole * std::pow(zoom, -beyond), .narrow_weight = eased(beyond)};
  blend.narrow_scale = blend.wide_scale * zoom;
  const double outside = std::max(0.0, 1 - whole / blend.narrow_scale);
  blend.edge_px = columns * std::min(kMaxEdge, outside / 4);
  return blend;
}

FilmBudget plan_film(const FilmRequest& request) {
  for (std::int64_t rows = request.film_px.height;; rows = (rows + 1) / 2) {
    const auto budget = fit_film(request, rows);
    // Each part of a frame inflates its chunks again; idle lanes cost more.
    if (budget && (budget->lanes == request.lanes || rows <= request.film_px.height / 4 + 1)) {
      return *budget;
    }
    if (rows == 1 && budget) return *budget;
    if (rows == 1) break;
  }
  const auto [given, needed] =
      base::format_different_bytes(static_cast<double>(request.memory_bytes),
                                   static_cast<double>(least_bytes_of_film(request, 1)));
  throw base::usage_error("--memory {}: frames of {} x {} pixels need {} a rank", given,
                          request.film_px.width, request.film_px.height, needed);
}

}  // namespace tessera::post
