#include "reduce/axes/axis_state.hpp"

namespace tessera::reduce {

base::Bytes encode(const AxisState& state) {
  base::ByteWriter out;
  out.put(state.layout.head, state.layout.offsets, state.specials, state.checksums);
  out.put(state.open.size());
  for (const auto& [tile, gathering] : state.open) {
    out.put(tile, gathering.shares);
    gathering.partials.write(out);
  }
  return out.take();
}

AxisState decode_axis_state(std::span<const std::byte> bytes) {
  base::ByteReader in(bytes);
  AxisState state;
  in.read(state.layout.head);
  in.read(state.layout.offsets);
  in.read(state.specials);
  in.read(state.checksums);
  for (auto left = in.get<std::size_t>(); left > 0; --left) {
    AxisState::Gathering& gathering = state.open[in.get<std::int64_t>()];
    in.read(gathering.shares);
    gathering.partials.read(in);
  }
  return state;
}

}  // namespace tessera::reduce
