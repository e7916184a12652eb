// What a rank and the process that drives a device for it say to each other. Both are the same
// executable, so numbers and structs travel as they are.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"

namespace tessera::device::process {

/// What a line is for; the first message on it.
enum class LineKind : std::uint8_t { pixels, arrays };

/// Whether a message wants an answer. What fails in one that wants none is told to the next one
/// that does, and what comes between is left out.
enum class Reply : std::uint8_t { none, wanted };

/// Behind that, a message is a row of commands, carried out in order; the answer is that of the
/// last one. Arguments in the order in which they follow.
enum class Command : std::uint8_t {
  share,    ///< number, bytes; with a descriptor: from now on that is memory of this number
  unshare,  ///< number
  grow,     ///< bytes; answer: whether there was room
  wait,     ///< answer: nothing
  fail,     ///< Fault: for tests of what then happens
  // of gpu::Stream
  clear,  ///< bytes
  begin_stats,
  launch_tile,  ///< gpu::Tile
  read_stats,   ///< answer: gpu::StatsSlots
  copy_out,     ///< from, SharedRegion
  // of gpu::ArrayStream
  copy_in,            ///< SharedRegion, at_byte
  make,               ///< kernels::TsMake
  set_bins,           ///< edges and how many, outputs
  set_logarithms,     ///< words and how many
  set_cells,          ///< cells, limbs
  launch_elements,    ///< kernels::TsReduce, kernels::ReduceKernel, bytes
  launch_along_axes,  ///< kernels::TsAxis
  read_cells,         ///< how many
  read_records,       ///< answer: what the stream answers; so are the next two
  read_spill,
  read_bins,
};

/// Bytes of memory that both have.
struct SharedRegion {
  std::uint64_t number = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t bytes = 0;
};

/// How an answer begins.
enum class Answer : std::uint8_t {
  done,    ///< what the command answers
  failed,  ///< exit code, text: a base::Error
  lost,    ///< text: a DeviceError
};

}  // namespace tessera::device::process
