// The messages between a rank and the process that drives a device for it. Both run the same
// executable, so numbers and structs are sent as they are in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "device/gpu/arrays/stream/array_stream.hpp"
#include "device/gpu/pixels/pixel_stream.hpp"

namespace tessera::device::process {

/// The requests of the rank to the process.
enum class Request : std::uint8_t {
  list,    ///< name of a backend, Placement, optional Fault; answer: its devices
  open,    ///< name of a device, Placement, optional Fault; answer: DeviceInfo, lanes, Opening
  connect  ///< ConnectionKind, and a descriptor: a connection to a stream of the open device
};

/// The purpose of a connection. To a `meter`, each message is answered by a base::Reading.
enum class ConnectionKind : std::uint8_t { pixels, arrays, meter };

/// Whether a message expects an answer. If a message without an answer fails, the next one that
/// expects an answer returns the failure; messages in between are ignored.
enum class Reply : std::uint8_t { none, requested };

/// After the Reply, a message holds a list of commands, which are executed in order. The answer is
/// that of the last one. The comments list the arguments in their order.
enum class Command : std::uint8_t {
  share,    ///< number, bytes, and a descriptor: registers shared memory under this number
  unshare,  ///< number
  fail,     ///< Fault: fails in this way, for tests
  call      ///< number in Calls, arguments; answer: the result of the call
};

template <auto... kCalls>
struct CallList {};

/// The functions of the two kinds of streams that a rank may call. Bytes in host memory are sent as
/// their SharedRegion, all other arguments and the result as base::ByteWriter writes them.
using Calls =
    CallList<&gpu::DeviceQueue::grow, &gpu::DeviceQueue::peak_memory_bytes, &gpu::DeviceQueue::wait,
             &gpu::Stream::clear, &gpu::Stream::begin_stats, &gpu::Stream::launch,
             &gpu::Stream::read_stats, &gpu::Stream::launch_cut_for_a_while, &gpu::Stream::copy_out,
             &gpu::Stream::copy_in, &gpu::Stream::use_deep, &gpu::Stream::make_deep,
             &gpu::Stream::copy_deep, &gpu::Stream::share_deep, &gpu::ArrayStream::copy_in,
             &gpu::ArrayStream::clear, &gpu::ArrayStream::map, &gpu::ArrayStream::copy_out,
             &gpu::ArrayStream::set_bins, &gpu::ArrayStream::set_logarithms,
             &gpu::ArrayStream::set_cells, &gpu::ArrayStream::launch,
             &gpu::ArrayStream::read_records, &gpu::ArrayStream::read_cells,
             &gpu::ArrayStream::read_spill, &gpu::ArrayStream::read_bins>;

template <auto>
struct Named {};

/// Position of a call in the list.
template <auto kCall, auto... kCalls>
consteval std::uint8_t number_of(CallList<kCalls...>) {
  std::uint8_t number = 0;
  const auto found = [&](bool same) { return same || (++number, false); };
  if (!(found(std::is_same_v<Named<kCall>, Named<kCalls>>) || ...)) throw "not in the list";
  return number;
}

/// A range of bytes in shared memory.
struct SharedRegion {
  std::uint64_t number = 0;
  std::uint64_t offset_bytes = 0;
  std::uint64_t bytes = 0;
};

template <class T>
inline constexpr bool kIsHostMemory =
    std::is_same_v<T, std::span<std::byte>> || std::is_same_v<T, std::span<const std::byte>>;

/// The type in which an argument is sent.
template <class T>
using Sent = std::conditional_t<kIsHostMemory<T>, SharedRegion, std::remove_cvref_t<T>>;

/// The first byte of an answer.
enum class Answer : std::uint8_t {
  done,          ///< followed by the result of the command
  failed,        ///< exit code and text of a base::Error
  lost,          ///< text of a DeviceError
  context_lost,  ///< text of a ContextLostError
  busy,          ///< text of a DeviceBusyError
};

}  // namespace tessera::device::process
