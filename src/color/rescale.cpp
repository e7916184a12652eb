#include "color/rescale.hpp"

#include <algorithm>
#include <cmath>

#include "color/linear_light.hpp"

namespace tessera::color {
namespace {

constexpr std::size_t kChannels = 3;
constexpr std::uint32_t kWholeWeight = 1U << Taps::kWeightBits;

}  // namespace

void set_triangle(double middle, double radius, std::int64_t begin,
                  std::span<std::uint16_t> weights) {
  const auto weight = [&](std::size_t i) {
    const auto pixel = static_cast<double>(begin + static_cast<std::int64_t>(i));
    return std::max(0.0, 1 - std::abs(pixel - middle) / radius);
  };
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weight(i);
  std::int64_t left = kWholeWeight;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t part = std::llround(weight(i) / sum * kWholeWeight);
    weights[i] = static_cast<std::uint16_t>(part);
    left -= part;
  }
  // The largest weight takes the rounding error, so that the sum is exact.
  const auto largest = std::ranges::max_element(weights);
  *largest = static_cast<std::uint16_t>(*largest + left);
}

Taps::Taps(std::int64_t source, std::int64_t target, double scale) {
  const double radius = std::max(1.0, scale);
  for (std::int64_t i = 0; i < target; ++i) {
    const double from_middle = static_cast<double>(2 * i + 1 - target) / 2;
    add_target(from_middle * scale + static_cast<double>(source - 1) / 2, radius, source);
  }
}

void Taps::add_target(double middle, double radius, std::int64_t source) {
  const double last = static_cast<double>(source) - 0.5;
  if (middle < -0.5 || middle > last) {
    spans_.push_back({middle < 0 ? 0 : source, weights_.size(), 0});
    return;
  }
  const std::int64_t begin =
      std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor(middle - radius)) + 1);
  const std::int64_t end = std::min(source, static_cast<std::int64_t>(std::ceil(middle + radius)));
  const Span span{begin, weights_.size(), static_cast<std::size_t>(end - begin)};
  weights_.resize(span.offset + span.count);
  set_triangle(middle, radius, begin, std::span(weights_).subspan(span.offset));
  spans_.push_back(span);
}

Taps::Range Taps::targets_of(std::int64_t begin, std::int64_t end) const {
  const auto low = std::partition_point(spans_.begin(), spans_.end(), [&](const Span& span) {
    return span.first + static_cast<std::int64_t>(span.count) <= begin;
  });
  const auto high = std::partition_point(
      low, spans_.end(), [&](const Span& span) { return span.first < end && span.count > 0; });
  return {low - spans_.begin(), high - spans_.begin()};
}

Taps::Range Taps::sources_of(std::int64_t begin, std::int64_t end) const {
  Range sources;
  for (std::int64_t i = begin; i < end; ++i) {
    const Span& span = at(i);
    if (span.count == 0) continue;
    if (sources.end == 0) sources.begin = span.first;
    sources.end = span.first + static_cast<std::int64_t>(span.count);
  }
  return sources;
}

void LightBlend::begin(std::int64_t first_row, base::ImageSize size) {
  first_row_ = first_row;
  size_ = size;
  sums_.assign(static_cast<std::size_t>(size.pixels()) * kChannels, 0);
}

void LightBlend::take_light(std::span<const Pixel> pixels) {
  const LightTables& tables = light_tables();
  light_.resize(pixels.size() * kChannels);
  std::uint32_t* to = light_.data();
  for (const Pixel& pixel : pixels) {
    for (std::size_t i = 0; i < kChannels; ++i) *to++ = tables.light(pixel.channel[i]);
  }
}

/// The columns from `x` to before `end` are in light_.
void LightBlend::weigh_columns(const Taps& columns, Taps::Range targets, std::int64_t x,
                               std::int64_t end) {
  row_.assign(static_cast<std::size_t>(targets.end - targets.begin) * kChannels, 0);
  std::uint64_t* to = row_.data();
  for (std::int64_t target = targets.begin; target < targets.end; ++target, to += kChannels) {
    const auto weights = columns.weights(target);
    const std::int64_t first = columns.first(target);
    const std::int64_t from = std::max(first, x);
    const std::int64_t to_before = std::min(first + static_cast<std::int64_t>(weights.size()), end);
    for (std::int64_t i = from; i < to_before; ++i) {
      const std::uint64_t weight = weights[static_cast<std::size_t>(i - first)];
      const std::uint32_t* const light =
          light_.data() + static_cast<std::size_t>(i - x) * kChannels;
      to[0] += weight * light[0];
      to[1] += weight * light[1];
      to[2] += weight * light[2];
    }
  }
}

void LightBlend::add(const Layer& layer, std::int64_t row, std::int64_t x,
                     std::span<const Pixel> pixels) {
  const std::int64_t end = x + static_cast<std::int64_t>(pixels.size());
  const Taps::Range columns = layer.columns.targets_of(x, end);
  const Taps::Range rows = layer.rows.targets_of(row, row + 1);
  const std::int64_t top = std::max(rows.begin, first_row_);
  const std::int64_t bottom = std::min(rows.end, first_row_ + size_.height);
  if (top >= bottom || columns.begin >= columns.end) return;
  take_light(pixels);
  weigh_columns(layer.columns, columns, x, end);
  for (std::int64_t y = top; y < bottom; ++y) {
    const auto place = static_cast<std::size_t>(row - layer.rows.first(y));
    const std::uint64_t weight = layer.rows.weights(y)[place];
    const std::int64_t at = (y - first_row_) * size_.width + columns.begin;
    std::uint64_t* to = sums_.data() + static_cast<std::size_t>(at) * kChannels;
    const std::uint64_t* from = row_.data();
    for (std::int64_t column = columns.begin; column < columns.end; ++column) {
      const std::uint64_t part =
          weight * layer.share(static_cast<std::size_t>(column), static_cast<std::size_t>(y));
      for (std::size_t i = 0; i < kChannels; ++i) *to++ += *from++ * part;
    }
  }
}

void LightBlend::add(const TurnedLayer& layer, const LightPicture& picture) {
  std::uint64_t* to = sums_.data();
  for (std::int64_t y = first_row_; y < first_row_ + size_.height; ++y) {
    for (std::int64_t x = 0; x < size_.width; ++x, to += kChannels) {
      const std::uint64_t share = layer.share(x, y);
      if (share > 0) layer.add(picture, x, y, share, to);
    }
  }
}

void LightBlend::finish(std::int64_t row, std::span<Pixel> out) const {
  constexpr int kBits = 2 * Taps::kWeightBits + Layer::kShareBits;
  const LightTables& tables = light_tables();
  const auto at = static_cast<std::size_t>((row - first_row_) * size_.width) * kChannels;
  const std::uint64_t* from = sums_.data() + at;
  for (Pixel& pixel : out) {
    for (std::size_t i = 0; i < kChannels; ++i) {
      const std::uint64_t light = (*from++ + (std::uint64_t{1} << (kBits - 1))) >> kBits;
      pixel.channel[i] = tables.code(static_cast<std::uint32_t>(light));
    }
    pixel.channel[3] = kFull;
  }
}

std::size_t LightBlend::memory_bytes(base::ImageSize size) {
  return static_cast<std::size_t>(size.pixels()) * kChannels * sizeof(std::uint64_t);
}

}  // namespace tessera::color
