#include "device/gpu/arrays/stream/launch_arguments.hpp"

#include <algorithm>
#include <cmath>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "kernels/gpu/generate.hpp"

namespace tessera::device::gpu {

std::uint32_t flags_of(const statistics::ReductionSpec& spec) {
  std::uint32_t flags = 0;
  const auto want = [&](bool requested, std::uint32_t flag) { flags |= requested ? flag : 0; };
  want(spec.sum, TS_WANT_SUM);
  want(spec.absolute, TS_WANT_ABSOLUTE);
  want(spec.squares, TS_WANT_SQUARES);
  want(spec.extremes, TS_WANT_EXTREMES);
  want(spec.places, TS_WANT_INDICES);
  want(spec.nonzero, TS_WANT_NONZERO);
  want(spec.skip_nan, TS_SKIP_NAN);
  return flags;
}

kernels::TsMake make_of(const statistics::GeneratedElements& generated, std::size_t at_byte) {
  const job::ArrayInput& input = generated.input;
  const std::int64_t all = input.shape.front();
  const bool spaced = input.format == job::ArrayInput::Format::linspace;
  kernels::TsMake make{};
  make.first = static_cast<std::uint64_t>(generated.first);
  make.count = static_cast<std::uint64_t>(generated.count);
  make.all = static_cast<std::uint64_t>(all);
  make.seed = input.seed;
  make.start = input.start;
  make.stop = input.stop;
  make.step = spaced ? kernels::ts_spacing(make.all, input.start, input.stop) : 0.0;
  make.what = spaced ? TS_MAKE_SPACED : input.normal ? TS_MAKE_NORMAL : TS_MAKE_UNIFORM;
  make.to_vector = static_cast<std::uint32_t>(at_byte / TS_VECTOR_BYTES);
  make.element_bytes = static_cast<std::uint32_t>(base::element_bytes(input.type));
  make.is_float = input.type == base::ElementType::f32 || input.type == base::ElementType::f64;
  return make;
}

kernels::TsMap map_of(const statistics::MappedElements& elements, base::ElementType type,
                      std::size_t at_byte, std::size_t end_byte) {
  kernels::TsMap call{};
  call.elements = static_cast<std::uint64_t>(elements.count);
  call.steps = static_cast<std::uint32_t>(elements.steps.size());
  const kernels::TsMapResult last{at_byte, type_of(type), elements.steps.back().result};
  std::ranges::copy(elements.results, call.results);
  if (elements.results.empty()) call.results[0] = last;
  call.result_count = static_cast<std::uint32_t>(std::max<std::size_t>(1, elements.results.size()));
  for (kernels::TsMapResult& result : std::span(call.results).first(call.result_count)) {
    result.to = at_byte;
    const auto bytes_each = base::element_bytes(static_cast<base::ElementType>(result.type));
    at_byte = aligned(at_byte + static_cast<std::size_t>(elements.count) * bytes_each);
  }
  for (std::size_t i = 0; i < elements.arrays.size(); ++i) {
    const statistics::MappedArray& array = elements.arrays[i];
    if (array.kind == statistics::MappedArray::Kind::counted) {
      call.arrays[i] = static_cast<std::uint64_t>(array.first);
      call.counts |= 1U << i;
    } else {
      call.arrays[i] = end_byte;
      end_byte = aligned(end_byte + static_cast<std::size_t>(elements.count * array.bytes_each()));
    }
  }
  return call;
}

double bins_per_unit(std::span<const double> edges) {
  const double scale = static_cast<double>(edges.size() - 1) / (edges.back() - edges.front());
  return std::isfinite(scale) ? scale : 0;
}

}  // namespace tessera::device::gpu
