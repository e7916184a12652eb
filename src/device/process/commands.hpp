// The messages between a rank and the process that drives a device for it. Both run the same
// executable, so numbers and structs are sent as they are in memory.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace tessera::device::process {

/// The purpose of a connection. It is sent first.
enum class ConnectionKind : std::uint8_t { pixels, arrays };

/// Whether a message expects an answer. If a message without an answer fails, the next one that
/// expects an answer returns the failure; messages in between are ignored.
enum class Reply : std::uint8_t { none, wanted };

/// After the Reply, a message holds a list of commands, which are executed in order. The answer is
/// that of the last one. The comments list the arguments in their order.
enum class Command : std::uint8_t {
  share,    ///< number, bytes, and a descriptor: registers shared memory under this number
  unshare,  ///< number
  grow,     ///< bytes; answer: whether there was enough memory
  wait,     ///< answer: empty
  fail,     ///< Fault: fails in this way, for tests
  // commands of gpu::Stream
  clear,  ///< bytes
  begin_stats,
  launch_tile,  ///< gpu::Tile
  read_stats,   ///< answer: gpu::StatsSlots
  copy_out,     ///< from, SharedRegion
  // commands of gpu::ArrayStream
  copy_in,            ///< SharedRegion, at_byte
  make,               ///< kernels::TsMake
  set_bins,           ///< number of edges, edges, outputs
  set_logarithms,     ///< number of words, words
  set_cells,          ///< cells, limbs
  launch_elements,    ///< kernels::TsReduce, kernels::ReduceKernel, bytes
  launch_along_axes,  ///< kernels::TsAxis
  read_cells,         ///< count; answer: number of cells, cells
  read_records,       ///< answer: the values of the stream, as for the next two commands
  read_spill,
  read_bins,
};

/// A range of bytes in shared memory.
struct SharedRegion {
  std::uint64_t number = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t bytes = 0;
};

/// The first byte of an answer.
enum class Answer : std::uint8_t {
  done,    ///< followed by the result of the command
  failed,  ///< exit code and text of a base::Error
  lost,    ///< text of a DeviceError
};

}  // namespace tessera::device::process
