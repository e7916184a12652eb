#include "store/image/hdf5/state.hpp"

#include <algorithm>

#include "base/file/unfinished_file.hpp"
#include "base/text.hpp"
#include "codec/chunk.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/writing_access.hpp"
#include "store/image/hdf5/additions.hpp"
#include "store/image/hdf5/leftover_files.hpp"

namespace tessera::store {

namespace {

/// Most tiles that a kill can leave out of HDF5's index: restoring them takes a fraction of a
/// second.
// crossed by: test_as_many_as_chunks_that_are_flushed_together
constexpr std::int64_t kMaxUnflushed = std::int64_t{1} << 15;

constexpr unsigned kMaxAttributes = 1000;

/// Attributes of an unfinished file.
Attributes attributes_of(const ImageHeader& header) {
  Attributes attributes = header.attributes;
  attributes.insert(attributes.end(),
                    {{kFormatKey, kFormatName},
                     {kVersionKey, std::to_string(kFormatVersion), Attribute::Type::integer},
                     {kStatusKey, kUnfinished}});
  return attributes;
}

}  // namespace

Handle create_image_file(const CheckedCall& h5, const std::string& name,
                         const ImageHeader& header) {
  const Handle creation(h5("H5Pcreate", H5Pcreate, H5P_FILE_CREATE));
  h5("H5Pset_attr_creation_order", H5Pset_attr_creation_order, creation.id(),
     static_cast<unsigned>(H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED));
  // All in the object header, which has a checksum and is read as a whole.
  h5("H5Pset_attr_phase_change", H5Pset_attr_phase_change, creation.id(), kMaxAttributes, 0U);
  const Handle access = writing_access(h5, false);
  Handle file(h5("H5Fcreate", H5Fcreate, name.c_str(), static_cast<unsigned>(H5F_ACC_TRUNC),
                 creation.id(), access.id()));
  Attributes attributes = attributes_of(header);
  attributes.push_back({kCreatedKey, utc_now()});
  attributes.push_back({kCompletedKey, ""});
  for (const Attribute& attribute : attributes) {
    set_attribute(h5, file, attribute, TextLayout::fixed);
  }
  return file;
}

namespace {

void create_contents(const CheckedCall& h5, const Handle& file, const ImageHeader& header) {
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

haddr_t end_of(const CheckedCall& h5, const Handle& file) {
  haddr_t end = 0;
  h5("H5Fget_eoa", H5Fget_eoa, file.id(), &end);
  return end;
}

}  // namespace

ImageState::ImageState(const std::string& path_, const ImageHeader& header_)
    : path(path_), header(header_), h5(base::part_path(path_)) {
  check_header(path, header);
}

std::string ImageState::fingerprint() const {
  return find_attribute(header.attributes, "fingerprint");
}

void ImageState::create(const std::string& part_name, base::Replace replace,
                        const std::string& additions_of) {
  const bool any = replace == base::Replace::what_is_there;
  // The log of a file that is there is its own, however damaged.
  const bool alone = base::front_of(part_name, 1).empty();
  if (!any && alone) base::check_left_over(log_path(part_name), is_log);
  lock = base::create_locked(part_name, base::mode_for(base::exists(path) ? path : h5.file()),
                             any ? base::anything : is_unfinished_image,
                             [&] { return owner_of(part_name); });
  identity = base::identity_of(part_name);
  raw = std::make_unique<base::PosixFile>(part_name, base::PosixFile::Start::as_it_is);
  create_log(part_name);
  // The log says whose the file is, so it is on the disk before the file has contents.
  log->sync();
  base::sync_folder(base::folder_of(part_name));  // or a power cut could lose the files' names
  file = create_image_file(h5, part_name, header);
  create_contents(h5, file, header);
  if (!additions_of.empty()) copy_additions(additions_of, h5, file, header);
  open_contents(part_name);
}

/// A run that has just given its file the final name may still hold the log; then this one leaves
/// nothing.
void ImageState::create_log(const std::string& part_name) {
  try {
    log = std::make_unique<TileLog>(log_path(part_name),
                                    make_log_header(fingerprint(), header.fields.size(), identity),
                                    TileLog::Start::from_scratch);
  } catch (const base::Error&) {
    base::remove_file(part_name);
    throw;
  }
}

void ImageState::resume() {
  const Handle access = writing_access(h5, true);
  file = Handle(
      h5("H5Fopen", H5Fopen, h5.file().c_str(), static_cast<unsigned>(H5F_ACC_RDWR), access.id()));
  // A killed writer may have written beyond the end that the file records. Those bytes are kept.
  h5("H5Fincrement_filesize", H5Fincrement_filesize, file.id(), hsize_t{0});
  update_attributes();
  open_contents(h5.file());
}

/// Updates the attributes to this run's options, as a copy or a new file would have them.
void ImageState::update_attributes() {
  const Attributes there = read_attributes(h5, file);
  for (const Attribute& attribute : attributes_of(header)) {
    if (std::ranges::find(there, attribute) != there.end()) continue;
    set_attribute(h5, file, attribute, TextLayout::fixed);
  }
}

/// Opens the file again, in SWMR write mode, under whatever name it has. H5Fstart_swmr_write would
/// not need that, but it sets the number of attempts to read damaged metadata to 100, whatever
/// `writing_access()` says, and the pauses between them double without end.
void ImageState::open_contents(const std::string& name) {
  h5("H5Fclose", H5Fclose, file.release());
  const Handle access = writing_access(h5, false);
  file = Handle(h5("H5Fopen", H5Fopen, name.c_str(),
                   static_cast<unsigned>(H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE), access.id()));
  for (const auto& [field, type] : header.fields) fields.emplace_back(h5, file, field);
  tiles.emplace(h5, file, header.grid());
}

FieldDataset& ImageState::dataset(job::Field field) {
  for (FieldDataset& candidate : fields) {
    if (candidate.field() == field) return candidate;
  }
  throw base::run_error("{}: has no field '{}'", h5.file(), job::field_name(field));
}

LogRecord& ImageState::open_record(std::int64_t tile) {
  const auto found = std::ranges::find(open, tile, &std::pair<std::int64_t, LogRecord>::first);
  if (found != open.end()) return found->second;
  return open.emplace_back(tile, LogRecord{}).second;
}

void ImageState::write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                             std::span<const std::byte> bytes, std::uint32_t filter_mask) {
  FieldDataset& chunks = dataset(field);
  const haddr_t before = end_of(h5, file);
  chunks.write(tile_row, tile_column, bytes, filter_mask);
  // The chunk is at the end of the file, unless HDF5 has written something of its own there first.
  const bool appended = end_of(h5, file) == before + bytes.size();
  LogRecord& record = open_record(tile_row * header.grid().width + tile_column);
  record.chunks[static_cast<std::size_t>(&chunks - fields.data())] = {
      .address = appended ? before : chunks.address(tile_row, tile_column),
      .bytes = bytes.size(),
      .checksum = codec::crc32c(bytes),
      .filter_mask = filter_mask};
  ++record.fields;
}

void ImageState::index_again(const LogRecord& record, std::size_t field,
                             std::span<const std::byte> bytes) {
  fields[field].write(record.tile.row, record.tile.column, bytes, record.chunks[field].filter_mask);
}

void ImageState::set_tile(const TileRecord& row) {
  tiles->set(row);
  const std::int64_t tile = number_of(row);
  LogRecord& record = open_record(tile);
  if (record.fields != fields.size()) {
    throw base::run_error("{}: tile ({}, {}) has {} of {}", h5.file(), row.row, row.column,
                          record.fields, base::count_of(std::ssize(fields), "chunk"));
  }
  record.tile = row;
  log->append(record);
  std::erase_if(open, [&](const auto& entry) { return entry.first == tile; });
  if (++unflushed >= kMaxUnflushed) flush();
}

void ImageState::flush() {
  tiles->write_pending();
  h5("H5Fflush", H5Fflush, file.id(), H5F_SCOPE_LOCAL);
  unflushed = 0;
}

void ImageState::close() {
  tiles.reset();
  fields.clear();
  h5("H5Fclose", H5Fclose, file.release());
}

}  // namespace tessera::store
