#include "device/gpu/launch_arguments.hpp"

#include <cmath>

#include "kernels/gpu/generate.hpp"

namespace tessera::device::gpu {

std::uint32_t flags_of(const statistics::ReductionSpec& spec) {
  std::uint32_t flags = 0;
  const auto want = [&](bool wanted, std::uint32_t flag) { flags |= wanted ? flag : 0; };
  want(spec.sum, TS_WANT_SUM);
  want(spec.absolute, TS_WANT_ABSOLUTE);
  want(spec.squares, TS_WANT_SQUARES);
  want(spec.extremes, TS_WANT_EXTREMES);
  want(spec.places, TS_WANT_INDICES);
  want(spec.nonzero, TS_WANT_NONZERO);
  want(spec.skip_nan, TS_SKIP_NAN);
  return flags;
}

kernels::TsMake describe_part(const statistics::GeneratedElements& generated, std::int64_t first,
                              std::int64_t count) {
  const job::ArrayInput& input = generated.input;
  const std::int64_t all = input.shape.front();
  const bool spaced = input.format == job::ArrayInput::Format::linspace;
  kernels::TsMake make{};
  make.first = static_cast<std::uint64_t>(generated.first + first);
  make.count = static_cast<std::uint64_t>(count);
  make.all = static_cast<std::uint64_t>(all);
  make.seed = input.seed;
  make.start = input.start;
  make.stop = input.stop;
  make.step = spaced ? kernels::ts_spacing(make.all, input.start, input.stop) : 0.0;
  make.what = spaced ? TS_MAKE_SPACED : input.normal ? TS_MAKE_NORMAL : TS_MAKE_UNIFORM;
  make.element_bytes = static_cast<std::uint32_t>(base::element_bytes(input.type));
  make.is_float = input.type == base::ElementType::f32 || input.type == base::ElementType::f64;
  return make;
}

double bins_per_unit(std::span<const double> edges) {
  const double scale = static_cast<double>(edges.size() - 1) / (edges.back() - edges.front());
  return std::isfinite(scale) ? scale : 0;
}

}  // namespace tessera::device::gpu
