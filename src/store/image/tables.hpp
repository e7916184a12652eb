// The tables /tiles and /timing. Private to this room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "store/hdf5/handle.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// A row of /tiles, in memory as in the file: packed, so that HDF5 has nothing to convert. (With a
/// conversion, writing single rows was measured to take 1 ms each.)
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

/// /tiles while the file is written. The whole table is in the file from the start, at a fixed
/// place, and rows that changed go to their places: what a reader finds is always a whole table,
/// and memory holds only the rows since the last write, however many tiles there are.
class TileTable {
 public:
  /// Creates the dataset with `grid`'s rows, all with rank -1.
  static void create(const CheckedCall& h5, const Handle& file, const base::ImageSize& grid);

  TileTable(const CheckedCall& h5, const Handle& file, const base::ImageSize& grid);

  void set(const TileRecord& row);
  /// Rows set since the last call go to HDF5, neighbours in one piece.
  void write_pending();

 private:
  const CheckedCall& h5_;
  base::ImageSize grid_;
  Handle dataset_;
  Handle record_type_;
  std::vector<TileRecord> pending_;
};

/// As ImageReader::for_each_tile().
void for_each_tile(const CheckedCall& h5, const Handle& file,
                   const std::function<void(const TileRow&)>& visit);

/// Once a file.
void write_timing(const CheckedCall& h5, const Handle& file, std::span<const TimingRow> rows);
bool has_timing(const CheckedCall& h5, const Handle& file);
/// No rows if the file has no /timing (yet).
std::vector<TimingRow> read_timing(const CheckedCall& h5, const Handle& file);

}  // namespace tessera::store
