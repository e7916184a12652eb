#include "reduce/axes/axis_state.hpp"

namespace tessera::reduce {
namespace {

template <class T>
void put_vector(base::ByteWriter& to, const std::vector<T>& values) {
  to.put(values.size()).put_bytes(std::as_bytes(std::span(values)));
}

template <class T>
std::vector<T> get_vector(base::ByteReader& from) {
  std::vector<T> values(from.get<std::size_t>());
  for (T& value : values) value = from.get<T>();
  return values;
}

}  // namespace

base::Bytes encode(const AxisState& state) {
  base::ByteWriter out;
  out.put(state.layout.head);
  put_vector(out, state.layout.offsets);
  out.put(state.specials);
  put_vector(out, state.checksums);
  out.put(state.open.size());
  for (const auto& [tile, gathering] : state.open) {
    out.put(tile).put(gathering.shares);
    gathering.partials.write(out);
  }
  return out.take();
}

AxisState decode_axis_state(std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  AxisState state;
  state.layout.head = in.get<std::uint32_t>();
  state.layout.offsets = get_vector<std::uint64_t>(in);
  state.specials = in.get<statistics::SpecialCounts>();
  state.checksums = get_vector<std::uint32_t>(in);
  for (auto left = in.get<std::size_t>(); left > 0; --left) {
    AxisState::Gathering& gathering = state.open[in.get<std::int64_t>()];
    gathering.shares = in.get<std::int64_t>();
    gathering.partials.read(in);
  }
  return state;
}

}  // namespace tessera::reduce
