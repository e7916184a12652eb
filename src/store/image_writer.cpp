#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/posix_file.hpp"
#include "store/attributes.hpp"
#include "store/field_dataset.hpp"
#include "store/hdf5_handle.hpp"
#include "store/image_file.hpp"
#include "store/tables.hpp"

namespace tessera::store {

namespace {

/// 2^28 rows of /tiles are 17 GB.
constexpr std::int64_t kMaxTiles = std::int64_t{1} << 28;

constexpr std::size_t kMebibyte = std::size_t{1} << 20;

/// Room in the file for the index of chunks while it is changed. Tiles come in any order, and with
/// HDF5's default of 2 MiB a million of them in random order go five times slower. It is a bound:
/// a file with a small index takes no more memory for it than that index.
void set_metadata_cache(const CheckedCall& h5, const Handle& access) {
  H5AC_cache_config_t cache{};
  cache.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  h5("H5Pget_mdc_config", H5Pget_mdc_config, access.id(), &cache);
  cache.set_initial_size = true;
  cache.initial_size = 64 * kMebibyte;
  cache.min_size = 64 * kMebibyte;
  cache.max_size = 128 * kMebibyte;
  cache.decr_mode = H5C_decr__off;
  h5("H5Pset_mdc_config", H5Pset_mdc_config, access.id(), &cache);
}

Handle file_access(const CheckedCall& h5) {
  Handle access(h5("H5Pcreate", H5Pcreate, H5P_FILE_ACCESS));
  // The newest format that HDF5 1.10 reads; with it come the fixed-array index and reading while
  // writing.
  h5("H5Pset_libver_bounds", H5Pset_libver_bounds, access.id(), H5F_LIBVER_V110, H5F_LIBVER_V110);
  // A reader's lock must not keep the run from finishing, and some cluster file systems have no
  // locks. Two writers keep apart by base::FileLock; each creates a file of its own.
  h5("H5Pset_file_locking", H5Pset_file_locking, access.id(), false, true);
  set_metadata_cache(h5, access);
  return access;
}

Handle create_file(const CheckedCall& h5) {
  const Handle creation(h5("H5Pcreate", H5Pcreate, H5P_FILE_CREATE));
  h5("H5Pset_attr_creation_order", H5Pset_attr_creation_order, creation.id(),
     static_cast<unsigned>(H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  const Handle access = file_access(h5);
  return Handle(h5("H5Fcreate", H5Fcreate, h5.file().c_str(), static_cast<unsigned>(H5F_ACC_EXCL),
                   creation.id(), access.id()));
}

void write_header(const CheckedCall& h5, const Handle& file, const ImageHeader& header) {
  for (const auto& [name, text] : header.attributes) set_attribute(h5, file, name, text);
  const std::string now = utc_now();
  set_attribute(h5, file, kFormatKey, kFormatName);
  set_attribute(h5, file, kVersionKey, std::to_string(kFormatVersion));
  set_attribute(h5, file, kStatusKey, kUnfinished);
  set_attribute(h5, file, kCreatedKey, now);
  // Empty, with room for a date: finish() then changes both in place.
  set_attribute(h5, file, kCompletedKey, std::string(now.size(), '\0'));
  for (const auto& [field, type] : header.fields) {
    FieldDataset::create(h5, file, header, field, type);
  }
  TileTable::create(h5, file, header.grid());
}

void check_header(const std::string& path, const ImageHeader& header) {
  const base::ImageSize grid = header.grid();
  if (grid.height > kMaxTiles / grid.width) {
    throw base::usage_error("{}: more than {} tiles; --tile {} is too small for {} x {} pixels",
                            path, kMaxTiles, header.tile_px, header.size_px.width,
                            header.size_px.height);
  }
}

}  // namespace

struct ImageWriter::State {
  State(const std::string& path_, const ImageHeader& header)
      : path(path_), h5(base::part_path(path_)) {
    // A new file, never an old one made empty: a reader may still have that open.
    if (std::filesystem::exists(h5.file())) const base::FileLock nobody_else(h5.file());
    base::remove_file(h5.file());
    file = create_file(h5);
    lock.emplace(h5.file());
    identity = base::identity_of(h5.file());
    write_header(h5, file, header);
    h5("H5Fstart_swmr_write", H5Fstart_swmr_write, file.id());
    for (const auto& [field, type] : header.fields) fields.emplace_back(h5, file, field);
    tiles.emplace(h5, file, header.grid());
  }

  FieldDataset& dataset(job::Field field) {
    for (FieldDataset& candidate : fields) {
      if (candidate.field() == field) return candidate;
    }
    throw base::run_error("{}: has no field '{}'", h5.file(), job::field_name(field));
  }

  void close() {
    tiles.reset();
    fields.clear();
    h5("H5Fclose", H5Fclose, file.release());
  }

  std::string path;
  CheckedCall h5;
  base::FileIdentity identity;
  std::optional<base::FileLock> lock;  ///< tells other runs to keep off, until the end
  Handle file;                         // before what lives in it, so that it is closed last
  std::vector<FieldDataset> fields;
  std::optional<TileTable> tiles;
};

ImageWriter::ImageWriter(const std::string& path, const ImageHeader& header) {
  check_header(path, header);
  state_ = std::make_unique<State>(path, header);
}

ImageWriter::~ImageWriter() {
  try {
    if (state_->tiles) state_->tiles->write_pending();
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): nobody is left to be told
  }
}

void ImageWriter::write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                              std::span<const std::byte> bytes, std::uint32_t filter_mask) {
  state_->dataset(field).write(tile_row, tile_column, bytes, filter_mask);
}

void ImageWriter::set_tile(const TileRow& row) {
  state_->tiles->set(row);
}

void ImageWriter::flush() {
  State& s = *state_;
  s.tiles->write_pending();
  s.h5("H5Fflush", H5Fflush, s.file.id(), H5F_SCOPE_LOCAL);
}

void ImageWriter::finish(std::span<const TimingRow> timing, const Attributes& closing) {
  State& s = *state_;
  s.tiles->write_pending();
  s.close();
  // What is written for concurrent readers cannot take new objects; opened again, it can.
  const Handle access = file_access(s.h5);
  s.file = Handle(s.h5("H5Fopen", H5Fopen, s.h5.file().c_str(), static_cast<unsigned>(H5F_ACC_RDWR),
                       access.id()));
  write_timing(s.h5, s.file, timing);
  for (const auto& [name, text] : closing) set_attribute(s.h5, s.file, name, text);
  s.h5("H5Fflush", H5Fflush, s.file.id(), H5F_SCOPE_LOCAL);
  // Only now, with all else in the file: a full disk must not leave a file that calls itself
  // complete.
  set_attribute(s.h5, s.file, kCompletedKey, utc_now());
  set_attribute(s.h5, s.file, kStatusKey, kComplete);
  s.close();
  base::sync_file(s.h5.file());
  base::publish_file(s.h5.file(), s.path, s.identity);
}

}  // namespace tessera::store
