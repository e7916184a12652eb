#include "post/verify/definition_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "device/pixels/deep_block.hpp"
#include "store/image/counts.hpp"

namespace tessera::post {
namespace {

/// About a second of a core. A count of stored values decides, not a clock, so that every run
/// chooses the same pixels.
constexpr double kBudgetNs = 1e9;
/// A pixel that takes longer is left out.
constexpr double kMaxNsOfPixel = 100 * kBudgetNs;

/// Time of a step with numbers of so many bits, as measured with MPFR 4.
double ns_of_step(std::int64_t bits) {
  const double limbs = std::ceil(static_cast<double>(bits) / 64);
  return 250 + 8 * limbs * std::sqrt(limbs);
}

/// A pixel of a block and its count.
struct Stored {
  std::int64_t at = 0;
  std::uint64_t count = 0;
};

/// How many of these pixels take about kBudgetNs.
std::int64_t affordable(const std::vector<Stored>& pixels, double ns_of_step) {
  double ns = 0;
  for (const Stored& pixel : pixels) ns += static_cast<double>(pixel.count) * ns_of_step;
  const auto all = std::ssize(pixels);
  const std::int64_t most = std::min<std::int64_t>(all, kDefinedPixels);
  const double mean_ns = ns / static_cast<double>(std::max<std::int64_t>(all, 1));
  return mean_ns * static_cast<double>(most) <= kBudgetNs
             ? most
             : std::max<std::int64_t>(1, std::llround(kBudgetNs / mean_ns));
}

}  // namespace

bool has_defined_counts(const job::ImageSpec& image) {
  return image.bounded() || (image.deep() && image.exact);
}

std::vector<DefinedPixel> choose_defined(const job::ImageSpec& image, const base::PixelRect& block,
                                         std::span<const std::byte> counts, std::int64_t stride_px,
                                         std::uint64_t seed) {
  const base::ElementType type = job::iterations_type(image);
  const double ns = ns_of_step(deep::orbit_bits(device::deep_place(image, {})));
  std::vector<Stored> pixels;
  for (std::int64_t at = 0; at < block.pixels(); ++at) {
    const std::uint64_t stored =
        store::count_at(counts, type, at / block.width * stride_px + at % block.width);
    if (static_cast<double>(stored) * ns <= kMaxNsOfPixel) pixels.push_back({at, stored});
  }
  const std::int64_t count = affordable(pixels, ns);
  std::mt19937_64 random(seed);
  std::vector<DefinedPixel> chosen;
  const PixelPlace middle = middle_pixel(image.size_px);
  const auto defined = [&](const Stored& pixel) -> DefinedPixel {
    return {block.x + pixel.at % block.width, block.y + pixel.at / block.width, pixel.count};
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t first = i * std::ssize(pixels) / count;
    const std::int64_t last = (i + 1) * std::ssize(pixels) / count - 1;
    const auto place = std::uniform_int_distribution(first, last)(random);
    const Stored& pixel = pixels[static_cast<std::size_t>(place)];
    chosen.push_back(defined(pixel));
  }
  const auto has_middle = [&](const DefinedPixel& pixel) {
    return pixel.column == middle.column && pixel.row == middle.row;
  };
  if (std::ranges::any_of(chosen, has_middle)) return chosen;
  // In place of the last one, which is chance as well as any other.
  for (const Stored& pixel : pixels) {
    if (has_middle(defined(pixel))) chosen.back() = defined(pixel);
  }
  return chosen;
}

std::string compare_defined(const job::ImageSpec& image, const DefinedPixel& pixel) {
  const std::uint64_t defined =
      deep::pixel_by_definition(device::deep_place(image, {}), pixel.column, pixel.row).count;
  if (defined == pixel.stored) return {};
  return fmt::format("/iterations is {} in image row {}, column {}; MPFR counts {}", pixel.stored,
                     pixel.row, pixel.column, defined);
}

}  // namespace tessera::post
