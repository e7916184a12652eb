// Memory that a rank uses before its first item, as part of --memory.
#pragma once

#include <cstdint>

namespace tessera::job {

/// The program, its libraries and MPI: 20 to 60 MiB are resident under Open MPI 4.1.
inline constexpr std::uint64_t kProgramBytes = std::uint64_t{64} << 20;

/// Beside it, for the file of an image: HDF5's metadata cache and its buffers.
inline constexpr std::uint64_t kImageFileBytes = std::uint64_t{32} << 20;

/// A result of the farm exists three times on its way: it is queued, packed into a message and
/// received.
inline constexpr std::uint64_t kCopiesOnTheWay = 3;

}  // namespace tessera::job
