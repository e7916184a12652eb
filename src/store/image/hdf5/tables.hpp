// The tables /tiles and /timing. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "store/hdf5/handle.hpp"
#include "store/image/hdf5/join.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// A row of /tiles. It has the same packed layout in memory and in the file, so HDF5 converts
/// nothing. (With a conversion, writing a single row took 1 ms.)
struct [[gnu::packed]] TileRecord {
  std::uint32_t row;
  std::uint32_t column;
  std::int32_t rank;
  char device[16];
  double start_s;
  float compute_s;
  float encode_s;
  std::uint64_t bytes;
  std::uint64_t iterations;
  std::uint32_t checksum;
};
static_assert(sizeof(TileRecord) == 64);

TileRecord to_record(const TileRow& row);
TileRow to_row(const TileRecord& record);

/// /tiles while the file is written. The whole table has a fixed position in the file from the
/// start, and changed rows are written in place. So readers always find a whole table, and memory
/// holds only the rows since the last write.
class TileTable {
 public:
  /// Creates the dataset with one row for each tile of `grid`, all with rank -1.
  static void create(const CheckedCall& h5, const Handle& file, const base::ImageSize& grid);
  /// Creates a virtual dataset of the rows that lie in parts.
  static void create_joined(const CheckedCall& h5, const Handle& file, const base::ImageSize& grid,
                            const PartRows& parts);

  TileTable(const CheckedCall& h5, const Handle& file, const base::ImageSize& grid);

  void set(const TileRecord& row);
  /// Writes the rows set since the last call to HDF5, adjacent rows together.
  void write_pending();

 private:
  const CheckedCall& h5_;
  base::ImageSize grid_;
  Handle dataset_;
  Handle record_type_;
  std::vector<TileRecord> pending_;
};

/// As Hdf5ImageReader::for_each_tile(), of `count` tiles from `first` on.
void for_each_tile(const CheckedCall& h5, const Handle& file,
                   const std::function<void(const TileRow&)>& visit, std::int64_t first = 0,
                   std::int64_t count = kMaxTiles);

/// May be called once for a file.
void write_timing(const CheckedCall& h5, const Handle& file, std::span<const TimingRow> rows);
bool has_timing(const CheckedCall& h5, const Handle& file);
/// Empty if the file has no /timing (yet).
std::vector<TimingRow> read_timing(const CheckedCall& h5, const Handle& file);

}  // namespace tessera::store
