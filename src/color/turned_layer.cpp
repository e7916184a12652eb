#include "color/turned_layer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "color/linear_light.hpp"
#include "color/rescale.hpp"

namespace tessera::color {
namespace {

constexpr std::size_t kLights = 3;
constexpr std::int64_t kPhases = 256;
constexpr std::uint64_t kAllShares = std::uint64_t{1} << Layer::kShareBits;

}  // namespace

void LightPicture::begin(const base::PixelRect& part) {
  part_ = part;
  light_.resize(static_cast<std::size_t>(part.width * part.height) * kLights);
}

void LightPicture::put(std::int64_t x, std::int64_t y, std::span<const Pixel> pixels) {
  const LightTables& tables = light_tables();
  const std::int64_t first = (y - part_.y) * part_.width + x - part_.x;
  std::uint32_t* to = light_.data() + static_cast<std::size_t>(first) * kLights;
  for (const Pixel& pixel : pixels) {
    for (std::size_t i = 0; i < kLights; ++i) *to++ = tables.light(pixel.channel[i]);
  }
}

const std::uint32_t* LightPicture::at(std::int64_t x, std::int64_t y) const {
  const std::int64_t column = std::clamp<std::int64_t>(x - part_.x, 0, part_.width - 1);
  const std::int64_t row = std::clamp<std::int64_t>(y - part_.y, 0, part_.height - 1);
  return light_.data() + static_cast<std::size_t>(row * part_.width + column) * kLights;
}

std::size_t LightPicture::memory_bytes(base::ImageSize size) {
  return static_cast<std::size_t>(size.pixels()) * kLights * sizeof(std::uint32_t);
}

PhaseWeights::PhaseWeights(double scale) {
  const double radius = std::max(1.0, scale);
  first_ = static_cast<std::int64_t>(std::floor(-radius)) + 1;
  count_ = static_cast<std::size_t>(static_cast<std::int64_t>(std::ceil(1 + radius)) - first_);
  weights_.resize(static_cast<std::size_t>(kPhases) * count_);
  for (std::int64_t phase = 0; phase < kPhases; ++phase) {
    const auto begin = weights_.begin() + phase * static_cast<std::int64_t>(count_);
    set_triangle(static_cast<double>(phase) / kPhases, radius, first_, std::span(begin, count_));
  }
}

PhaseWeights::Place PhaseWeights::at(double middle) const {
  const auto phases = static_cast<std::int64_t>(std::floor(middle * kPhases + 0.5));
  const std::int64_t phase = phases & (kPhases - 1);
  return {(phases - phase) / kPhases + first_,
          std::span(weights_).subspan(static_cast<std::size_t>(phase) * count_, count_)};
}

Pose::Pose(base::ImageSize source_px, base::ImageSize target_px, double pixels, double turn_deg)
    : source(source_px),
      target(target_px),
      scale(pixels),
      right(std::cos(turn_deg * std::numbers::pi / 180) * pixels),
      up(std::sin(turn_deg * std::numbers::pi / 180) * pixels) {}

Pose::Place Pose::from_middle(std::int64_t x, std::int64_t y) const {
  const double column = static_cast<double>(2 * x + 1 - target.width) / 2;
  const double row = static_cast<double>(2 * y + 1 - target.height) / 2;
  return {right * column + up * row, right * row - up * column};
}

base::PixelRect Pose::sources_of(std::int64_t first, std::int64_t rows, double reach) const {
  Place low{static_cast<double>(source.width), static_cast<double>(source.height)};
  Place high{-low.x, -low.y};
  for (const std::int64_t x : {std::int64_t{0}, target.width - 1}) {
    for (const std::int64_t y : {first, first + rows - 1}) {
      const Place place = from_middle(x, y);
      low = {std::min(low.x, place.x), std::min(low.y, place.y)};
      high = {std::max(high.x, place.x), std::max(high.y, place.y)};
    }
  }
  const auto from = [&](double value, std::int64_t side) {
    const double pixel = value + static_cast<double>(side - 1) / 2 - reach;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(pixel)), 0, side - 1);
  };
  const auto to = [&](double value, std::int64_t side) {
    const double pixel = value + static_cast<double>(side - 1) / 2 + reach;
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(pixel)) + 1, 1, side);
  };
  const std::int64_t left = from(low.x, source.width);
  const std::int64_t top = from(low.y, source.height);
  return {left, top, to(high.x, source.width) - left, to(high.y, source.height) - top};
}

std::uint64_t SoftEdge::share(std::int64_t x, std::int64_t y) const {
  if (most == 0) return 0;
  const Pose::Place place = pose.from_middle(x, y);
  const double edge = std::max(edge_px, 1e-9);
  const auto inside = [&](std::int64_t side, double from_middle) {
    const double beyond = static_cast<double>(side) / 2 - std::abs(from_middle);
    return std::clamp(beyond / pose.scale / edge, 0.0, 1.0);
  };
  const double part = inside(pose.source.width, place.x) * inside(pose.source.height, place.y);
  return static_cast<std::uint64_t>(std::lround(static_cast<double>(kAllShares) * most * part));
}

TurnedLayer::TurnedLayer(const Pose& pose, const SoftEdge& edge, bool rest)
    : pose_(pose), edge_(edge), rest_(rest), weights_(pose.scale) {}

base::PixelRect TurnedLayer::sources_of(std::int64_t first, std::int64_t rows) const {
  return pose_.sources_of(first, rows, std::max(1.0, pose_.scale) + 1);
}

std::uint64_t TurnedLayer::share(std::int64_t x, std::int64_t y) const {
  return rest_ ? kAllShares - edge_.share(x, y) : edge_.share(x, y);
}

void TurnedLayer::add(const LightPicture& picture, std::int64_t x, std::int64_t y,
                      std::uint64_t share, std::uint64_t* sums) const {
  const Pose::Place place = pose_.from_middle(x, y);
  const auto column = weights_.at(place.x + static_cast<double>(pose_.source.width - 1) / 2);
  const auto row = weights_.at(place.y + static_cast<double>(pose_.source.height - 1) / 2);
  for (std::size_t j = 0; j < row.weights.size(); ++j) {
    if (row.weights[j] == 0) continue;
    std::uint64_t weighed[kLights] = {};
    for (std::size_t i = 0; i < column.weights.size(); ++i) {
      const std::uint32_t* const light = picture.at(column.first + static_cast<std::int64_t>(i),
                                                    row.first + static_cast<std::int64_t>(j));
      const std::uint64_t weight = column.weights[i];
      for (std::size_t k = 0; k < kLights; ++k) weighed[k] += weight * light[k];
    }
    for (std::size_t k = 0; k < kLights; ++k) sums[k] += weighed[k] * row.weights[j] * share;
  }
}

}  // namespace tessera::color
