#include "color/box_average.hpp"

#include <algorithm>
#include <bit>

#include "color/linear_light.hpp"

namespace tessera::color {

BoxAverage::BoxAverage(int factor) : factor_(static_cast<std::size_t>(factor)) {}

void BoxAverage::begin(base::ImageSize size) {
  width_ = static_cast<std::size_t>(size.width);
  sums_.assign(static_cast<std::size_t>(size.pixels()), {});
}

void BoxAverage::add(std::int64_t row, std::int64_t x, std::span<const Pixel> pixels) {
  const LightTables& tables = light_tables();
  const auto column = static_cast<std::size_t>(x);
  Sums* box = sums_.data() + static_cast<std::size_t>(row) / factor_ * width_ + column / factor_;
  // The first box may have begun in an earlier piece, and the last may continue in a later one.
  for (std::size_t count = factor_ - column % factor_; !pixels.empty(); count = factor_, ++box) {
    count = std::min(count, pixels.size());
    Sums sums = *box;
    for (const Pixel& pixel : pixels.first(count)) {
      sums.r += tables.light(pixel.channel[0]);
      sums.g += tables.light(pixel.channel[1]);
      sums.b += tables.light(pixel.channel[2]);
      sums.opaque += pixel.channel[3] & 1U;
    }
    *box = sums;
    pixels = pixels.subspan(count);
  }
}

void BoxAverage::finish(std::int64_t row, std::span<Pixel> out) const {
  const LightTables& tables = light_tables();
  const std::uint64_t area = static_cast<std::uint64_t>(factor_) * factor_;
  const bool shifts = std::has_single_bit(area);
  const Sums* box = sums_.data() + static_cast<std::size_t>(row) * width_;
  for (std::size_t i = 0; i < width_; ++i, ++box) {
    const std::uint64_t n = std::max<std::uint64_t>(box->opaque, 1);
    const bool whole = box->opaque == area;
    const auto code = [&](std::uint64_t sum) {
      const std::uint64_t rounded = sum + n / 2;
      // Most boxes are of 2 by 2 opaque pixels, and divisions are slow.
      const std::uint64_t mean = shifts && whole ? rounded >> std::countr_zero(area) : rounded / n;
      return tables.code(static_cast<std::uint32_t>(mean));
    };
    const std::uint64_t alpha = whole ? kFull : (kFull * box->opaque + area / 2) / area;
    out[i] = {{code(box->r), code(box->g), code(box->b), static_cast<std::uint16_t>(alpha)}};
  }
}

std::size_t BoxAverage::memory_bytes(base::ImageSize size) {
  return static_cast<std::size_t>(size.pixels()) * sizeof(Sums);
}

}  // namespace tessera::color
