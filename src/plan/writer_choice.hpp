// How many ranks write an image, for --writers auto. Pure.
#pragma once

#include <cstdint>

namespace tessera::plan {

/// The time of a writer for each tile, whatever its bytes: a message, a record and a chunk.
/// Measured: docs/benchmarks/2026-11-scale.md.
// not crossed: a measured time
inline constexpr double kStoreSeconds = 8e-6;
/// The rate of a file system for one writer, if nothing else is known.
// not crossed: a rate
inline constexpr std::uint64_t kDiskBytesPerSecond = std::uint64_t{1} << 30;

/// Seconds of a writer for a tile.
double store_seconds(double tile_bytes, std::uint64_t disk_bytes_per_s);

/// The least number of writers that are busy for half of the time at most; 1 to `most`. `render_s`:
/// what all workers take for the tiles together; `store_s`: what one writer takes for all of them.
int auto_writers(double render_s, double store_s, std::int64_t most);

}  // namespace tessera::plan
