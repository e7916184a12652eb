#include "deep/wide_tier.hpp"

#include <algorithm>
#include <limits>

#include "deep/big_orbit.hpp"
#include "deep/deep_image.hpp"
#include "deep/table_builder.hpp"
#include "kernels/fma_clones.hpp"

namespace tessera::deep {

namespace {

constexpr std::int64_t kWideStepBits = 256;

struct WideOrbit {
  const std::vector<kernels::TsWideNode>& nodes;
  // NOLINTNEXTLINE(readability-identifier-naming): as in ReferenceOrbit
  static constexpr std::int64_t first = 0;

  std::int64_t length() const { return static_cast<std::int64_t>(nodes.size()) - 1; }
  const WideComplex& at(std::int64_t m) const { return nodes[static_cast<std::size_t>(m)].z; }
};

/// The distance of pixels.
BigReal wide_step(const Place& place) {
  BigReal step(place.width, kWideStepBits);
  mpfr_div_ui(step.get(), step.get(), static_cast<unsigned long>(place.size_px.width), MPFR_RNDN);
  return step;
}

TESSERA_WITH_AND_WITHOUT_FMA std::uint32_t advance_wide(const DeepImage& image,
                                                        const WideTier& tier,
                                                        kernels::TsWidePixel& pixel) {
  return kernels::ts_wide_advance(&image.limits, tier.nodes().data(), tier.entries().data(),
                                  std::numeric_limits<std::uint64_t>::max(), &pixel);
}

}  // namespace

kernels::TsWidePixel start_wide_pixel(const DeepImage& image, std::int64_t column,
                                      std::int64_t row) {
  const Place& place = image.place;
  const BigReal step = wide_step(place);
  BigComplex c{step, step};
  const Offset offset = offset_of(place, column_offset(place, column), row_offset(place, row));
  mpfr_mul(c.re.get(), c.re.get(), offset.re.get(), MPFR_RNDN);
  mpfr_mul(c.im.get(), c.im.get(), offset.im.get(), MPFR_RNDN);
  kernels::TsWidePixel pixel{};
  pixel.c = wide_complex(c);
  if (image.limits.want_distance != 0) pixel.step = wide_complex({step, BigReal(kWideStepBits)});
  pixel.count = image.limits.limit;
  return pixel;
}

WideTier::WideTier(const DeepImage& image) {
  add_elements(image);
  add_jumps(image);
}

bool WideTier::renders(const DeepImage& image) {
  return image.place.formula.is_mandelbrot();
}

void WideTier::add_elements(const DeepImage& image) {
  const ReferenceOrbit& orbit = *image.orbit;
  nodes_.resize(orbit.re.size());
  std::optional<BigOrbit> again;
  if (!orbit.is_wide()) {
    const OrbitStart start(
        {BigReal(image.place.center_re, orbit.bits), BigReal(image.place.center_im, orbit.bits)});
    again.emplace(start.c, start.z, start.power);  // other threads have the other cores
  }
  for (std::size_t m = 0; m < nodes_.size(); ++m) {
    if (again && m > 0) again->step();
    nodes_[m].z = again ? wide_complex(again->z()) : orbit.wide[m];
    nodes_[m].levels_and_error = kernels::ts_error_exponent(image.table.nodes[m].levels_and_error)
                                 << 8;
  }
}

void WideTier::add_jumps(const DeepImage& image) {
  const JumpLimits limits{.unit_exponent = image.unit_exponent,
                          .radius = std::min(2.0, image.limits.bailout)};
  const WideOrbit orbit{nodes_};
  std::vector<std::uint64_t> places;
  const std::size_t most = image.table.entries.size() + image.table.scaled_entries.size();
  entries_.reserve(most);
  places.reserve(most);
  const auto keep = [&](std::int64_t m, const BuildEntry<WideComplex, 1>& entry) {
    ++nodes_[static_cast<std::size_t>(m)].levels_and_error;
    places.push_back(static_cast<std::uint64_t>(m));
    entries_.push_back(
        {entry.radius[0], entry.a, entry.q, entry.b, static_cast<std::uint64_t>(entry.length)});
  };
  TableBuilder<WideComplex, 1, WideOrbit, decltype(keep)>(orbit, limits, {TS_WIDE_EPSILON}, keep)
      .build();
  order_by_node(nodes_, entries_, std::move(places), [](const kernels::TsWideNode& node) {
    return kernels::ts_levels(node.levels_and_error);
  });
}

WideTier::Counted WideTier::count(const DeepImage& image, std::int64_t column,
                                  std::int64_t row) const {
  kernels::TsWidePixel pixel = start_wide_pixel(image, column, row);
  const std::uint32_t state = advance_wide(image, *this, pixel);
  if (state == TS_DEEP_UNCERTAIN) return {std::nullopt, pixel.steps};
  return {CountedPixel{pixel.count, pixel.smooth_m, pixel.smooth_radius2, pixel.smooth_slope2,
                       pixel.smooth_right, pixel.smooth_up, pixel.smooth_x, pixel.smooth_y},
          pixel.steps};
}

}  // namespace tessera::deep
