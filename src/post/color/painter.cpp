#include "post/color/painter.hpp"

#include <algorithm>
#include <utility>

namespace tessera::post {

Painter::Painter(Colors colors, Edge edge, const color::PixelFormat& format, int scale,
                 base::ElementType type, std::optional<color::Light> light)
    : colors_(std::move(colors)),
      edge_(edge),
      light_(light),
      format_(format),
      scale_(scale),
      type_(type),
      average_(scale) {}

void Painter::begin(base::ImageSize size_px, std::int64_t x, std::int64_t y, base::Bytes& out) {
  size_px_ = size_px;
  x_ = x;
  y_ = y;
  out_ = &out;
  out.resize(static_cast<std::size_t>(size_px.pixels()) * format_.bytes());
  if (scale_ > 1) average_.begin(size_px);
}

void Painter::put(const ValueRun& run) {
  const bool direct = scale_ == 1 && format_.bytes() == 3 && !format_.dither && !run.beside.any();
  if (direct && run.values) {
    return colors_->colorize_rgb(run.values, type_, run.pixels, at(run.x, run.y));
  }
  put(run.x, run.y, color(run));
}

std::span<color::Pixel> Painter::color(const ValueRun& run) {
  const std::span<color::Pixel> pixels = row(run.pixels);
  if (run.values) {
    colors_->colorize(run.values, type_, pixels);
    const std::byte* const right = run.beside.gradient_x;
    const std::byte* const up = run.beside.gradient_y;
    if (light_ && right && up) light_->shade(right, up, pixels);
    if (edge_ && run.beside.distance) edge_->shade(run.beside.distance, pixels);
  } else {
    std::ranges::fill(pixels, color::Pixel{});
  }
  return pixels;
}

void Painter::put(std::int64_t x, std::int64_t y, std::span<const color::Pixel> pixels) {
  scale_ > 1 ? average_.add(y, x, pixels) : store(x, y, pixels);
}

void Painter::finish() {
  for (std::int64_t y = 0; scale_ > 1 && y < size_px_.height; ++y) {
    const std::span<color::Pixel> pixels = row(static_cast<std::size_t>(size_px_.width));
    average_.finish(y, pixels);
    store(0, y, pixels);
  }
}

std::span<color::Pixel> Painter::row(std::size_t pixels) {
  if (row_.size() < pixels) row_.resize(pixels);
  return std::span(row_).first(pixels);
}

std::byte* Painter::at(std::int64_t x, std::int64_t y) const {
  return out_->data() + static_cast<std::size_t>(y * size_px_.width + x) * format_.bytes();
}

void Painter::store(std::int64_t x, std::int64_t y, std::span<const color::Pixel> pixels) {
  color::store_pixels(format_, pixels, x_ + x, y_ + y, at(x, y));
}

}  // namespace tessera::post
