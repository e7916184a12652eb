#include "store/image/hdf5/tables.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>

namespace tessera::store {

namespace {

constexpr const char* kTiles = "tiles";
constexpr const char* kTiming = "timing";
/// Rows written or read at a time: bounds memory, and is large enough for full speed.
// crossed by: a_long_table_is_visited_row_by_row_in_order
constexpr hsize_t kRowsAtATime = 4096;

struct [[gnu::packed]] TimingRecord {
  std::int32_t rank;
  char host[64];
  char stage[16];
  std::int32_t workers;
  double seconds;
};

struct Member {
  const char* name;
  std::size_t offset;
  hid_t type;  ///< H5T_STRING for text
  std::size_t text_bytes = 0;
};

Handle record_type(const CheckedCall& h5, std::size_t bytes, std::span<const Member> members) {
  Handle record(h5("H5Tcreate", H5Tcreate, H5T_COMPOUND, bytes));
  for (const Member& member : members) {
    const Handle type(h5("H5Tcopy", H5Tcopy, member.type));
    if (member.text_bytes > 0) {
      h5("H5Tset_size", H5Tset_size, type.id(), member.text_bytes);
      h5("H5Tset_cset", H5Tset_cset, type.id(), H5T_CSET_UTF8);
    }
    h5("H5Tinsert", H5Tinsert, record.id(), member.name, member.offset, type.id());
  }
  return record;
}

Handle tile_record_type(const CheckedCall& h5) {
  const Member members[] = {
      {"row", offsetof(TileRecord, row), H5T_NATIVE_UINT32},
      {"column", offsetof(TileRecord, column), H5T_NATIVE_UINT32},
      {"rank", offsetof(TileRecord, rank), H5T_NATIVE_INT32},
      {"device", offsetof(TileRecord, device), H5T_C_S1, sizeof(TileRecord::device)},
      {"start_s", offsetof(TileRecord, start_s), H5T_NATIVE_DOUBLE},
      {"compute_s", offsetof(TileRecord, compute_s), H5T_NATIVE_FLOAT},
      {"encode_s", offsetof(TileRecord, encode_s), H5T_NATIVE_FLOAT},
      {"bytes", offsetof(TileRecord, bytes), H5T_NATIVE_UINT64},
      {"iterations", offsetof(TileRecord, iterations), H5T_NATIVE_UINT64},
      {"checksum", offsetof(TileRecord, checksum), H5T_NATIVE_UINT32}};
  return record_type(h5, sizeof(TileRecord), members);
}

Handle timing_record_type(const CheckedCall& h5) {
  const Member members[] = {
      {"rank", offsetof(TimingRecord, rank), H5T_NATIVE_INT32},
      {"host", offsetof(TimingRecord, host), H5T_C_S1, sizeof(TimingRecord::host)},
      {"stage", offsetof(TimingRecord, stage), H5T_C_S1, sizeof(TimingRecord::stage)},
      {"workers", offsetof(TimingRecord, workers), H5T_NATIVE_INT32},
      {"seconds", offsetof(TimingRecord, seconds), H5T_NATIVE_DOUBLE}};
  return record_type(h5, sizeof(TimingRecord), members);
}

/// Copies as much as fits with a terminating 0, without splitting a UTF-8 character.
template <std::size_t N>
void copy_text(char (&to)[N], const std::string& from) {
  std::size_t bytes = std::min(from.size(), N - 1);
  while (bytes > 0 && bytes < from.size() && (from[bytes] & 0xC0) == 0x80) --bytes;
  std::memset(to, 0, N);
  std::memcpy(to, from.data(), bytes);
}

template <std::size_t N>
std::string text_of(const char (&from)[N]) {
  return {from, ::strnlen(from, N)};
}

/// Creates a one-dimensional, contiguous dataset of records without fill values: the caller writes
/// every row.
Handle create_table(const CheckedCall& h5, const Handle& file, const char* name,
                    const Handle& record, hsize_t rows) {
  const Handle space(h5("H5Screate_simple", H5Screate_simple, 1, &rows, nullptr));
  const Handle plist(h5("H5Pcreate", H5Pcreate, H5P_DATASET_CREATE));
  h5("H5Pset_alloc_time", H5Pset_alloc_time, plist.id(), H5D_ALLOC_TIME_EARLY);
  h5("H5Pset_fill_time", H5Pset_fill_time, plist.id(), H5D_FILL_TIME_NEVER);
  return Handle(h5("H5Dcreate2", H5Dcreate2, file.id(), name, record.id(), space.id(), H5P_DEFAULT,
                   plist.id(), H5P_DEFAULT));
}

/// Dataspaces for the rows [first, first + count): in memory, in the file.
std::pair<Handle, Handle> select_rows(const CheckedCall& h5, const Handle& dataset, hsize_t first,
                                      hsize_t count) {
  Handle memory(h5("H5Screate_simple", H5Screate_simple, 1, &count, nullptr));
  Handle stored(h5("H5Dget_space", H5Dget_space, dataset.id()));
  h5("H5Sselect_hyperslab", H5Sselect_hyperslab, stored.id(), H5S_SELECT_SET, &first, nullptr,
     &count, nullptr);
  return {std::move(memory), std::move(stored)};
}

template <class Record>
void write_rows(const CheckedCall& h5, const Handle& dataset, const Handle& type, hsize_t first,
                std::span<const Record> records) {
  if (records.empty()) return;
  const auto [memory, stored] = select_rows(h5, dataset, first, records.size());
  h5("H5Dwrite", H5Dwrite, dataset.id(), type.id(), memory.id(), stored.id(), H5P_DEFAULT,
     records.data());
}

/// Calls take(record) for every row of a table, or for `most` of them from `begin` on.
template <class Record, class Take>
void read_rows(const CheckedCall& h5, const Handle& file, const char* name, const Handle& type,
               Take take, hsize_t begin = 0, hsize_t most = kMaxTiles) {
  const Handle dataset(h5("H5Dopen2", H5Dopen2, file.id(), name, H5P_DEFAULT));
  const Handle space(h5("H5Dget_space", H5Dget_space, dataset.id()));
  const auto rows = static_cast<hsize_t>(
      h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id()));
  const hsize_t end = std::min(rows, begin + most);
  std::vector<Record> records(std::min(most, std::min(rows, kRowsAtATime)));
  for (hsize_t first = begin; first < end; first += kRowsAtATime) {
    const hsize_t count = std::min(kRowsAtATime, end - first);
    const auto [memory, stored] = select_rows(h5, dataset, first, count);
    h5("H5Dread", H5Dread, dataset.id(), type.id(), memory.id(), stored.id(), H5P_DEFAULT,
       records.data());
    std::for_each_n(records.begin(), count, take);
  }
}

}  // namespace

TileRecord to_record(const TileRow& row) {
  TileRecord record{};
  record.row = row.row;
  record.column = row.column;
  record.rank = row.rank;
  copy_text(record.device, row.device);
  record.start_s = row.start_s;
  record.compute_s = static_cast<float>(row.compute_s);
  record.encode_s = static_cast<float>(row.encode_s);
  record.bytes = row.bytes;
  record.iterations = row.iterations;
  record.checksum = row.checksum;
  return record;
}

TileRow to_row(const TileRecord& record) {
  return {record.row,       record.column,   record.rank,  text_of(record.device), record.start_s,
          record.compute_s, record.encode_s, record.bytes, record.iterations,      record.checksum};
}

void TileTable::create(const CheckedCall& h5, const Handle& file, const base::ImageSize& grid) {
  const Handle type = tile_record_type(h5);
  const auto rows = static_cast<hsize_t>(grid.pixels());
  const auto columns = static_cast<hsize_t>(grid.width);
  const Handle dataset = create_table(h5, file, kTiles, type, rows);
  std::vector<TileRecord> records;
  for (hsize_t first = 0; first < rows; first += kRowsAtATime) {
    records.clear();
    for (hsize_t i = first; i < std::min(rows, first + kRowsAtATime); ++i) {
      TileRecord record{};
      record.row = static_cast<std::uint32_t>(i / columns);
      record.column = static_cast<std::uint32_t>(i % columns);
      record.rank = -1;
      records.push_back(record);
    }
    write_rows<TileRecord>(h5, dataset, type, first, records);
  }
}

void TileTable::create_joined(const CheckedCall& h5, const Handle& file,
                              const base::ImageSize& grid, const PartRows& parts) {
  const Handle type = tile_record_type(h5);
  const auto rows = static_cast<hsize_t>(grid.pixels());
  const Handle plist(h5("H5Pcreate", H5Pcreate, H5P_DATASET_CREATE));
  const TileRecord missing{.rank = -1};
  h5("H5Pset_fill_value", H5Pset_fill_value, plist.id(), type.id(), &missing);
  const Handle space = parts.map(h5, plist, kTiles, std::array{rows}, grid.width);
  const Handle dataset(h5("H5Dcreate2", H5Dcreate2, file.id(), kTiles, type.id(), space.id(),
                          H5P_DEFAULT, plist.id(), H5P_DEFAULT));
}

TileTable::TileTable(const CheckedCall& h5, const Handle& file, const base::ImageSize& grid)
    : h5_(h5),
      grid_(grid),
      dataset_(h5("H5Dopen2", H5Dopen2, file.id(), kTiles, H5P_DEFAULT)),
      record_type_(tile_record_type(h5)) {}

void TileTable::set(const TileRecord& row) {
  if (row.row >= grid_.height || row.column >= grid_.width) {
    throw base::run_error("{}: there is no tile ({}, {})", h5_.file(), row.row, row.column);
  }
  pending_.push_back(row);
  if (pending_.size() >= kRowsAtATime) write_pending();
}

void TileTable::write_pending() {
  const auto index = [this](const TileRecord& record) {
    return static_cast<hsize_t>(record.row) * static_cast<hsize_t>(grid_.width) + record.column;
  };
  std::ranges::stable_sort(pending_, {}, index);
  for (std::size_t begin = 0, end = 0; begin < pending_.size(); begin = end) {
    // A tile that was set twice ends the run, so that its later row is written later.
    end = begin + 1;
    while (end < pending_.size() && index(pending_[end]) == index(pending_[end - 1]) + 1) ++end;
    write_rows<TileRecord>(h5_, dataset_, record_type_, index(pending_[begin]),
                           std::span(pending_).subspan(begin, end - begin));
  }
  pending_.clear();
}

void for_each_tile(const CheckedCall& h5, const Handle& file,
                   const std::function<void(const TileRow&)>& visit, std::int64_t first,
                   std::int64_t count) {
  read_rows<TileRecord>(
      h5, file, kTiles, tile_record_type(h5),
      [&](const TileRecord& record) { visit(to_row(record)); }, static_cast<hsize_t>(first),
      static_cast<hsize_t>(count));
}

void write_timing(const CheckedCall& h5, const Handle& file, std::span<const TimingRow> rows) {
  std::vector<TimingRecord> records;
  for (const TimingRow& row : rows) {
    TimingRecord record{};
    record.rank = row.rank;
    copy_text(record.host, row.host);
    copy_text(record.stage, row.stage);
    record.workers = row.workers;
    record.seconds = row.seconds;
    records.push_back(record);
  }
  const Handle type = timing_record_type(h5);
  const Handle dataset = create_table(h5, file, kTiming, type, records.size());
  write_rows<TimingRecord>(h5, dataset, type, 0, records);
}

bool has_timing(const CheckedCall& h5, const Handle& file) {
  return h5("H5Lexists", H5Lexists, file.id(), kTiming, H5P_DEFAULT) > 0;
}

std::vector<TimingRow> read_timing(const CheckedCall& h5, const Handle& file) {
  std::vector<TimingRow> rows;
  if (!has_timing(h5, file)) return rows;
  read_rows<TimingRecord>(h5, file, kTiming, timing_record_type(h5),
                          [&](const TimingRecord& record) {
                            rows.push_back({record.rank, text_of(record.host),
                                            text_of(record.stage), record.workers, record.seconds});
                          });
  return rows;
}

}  // namespace tessera::store
