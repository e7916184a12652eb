#include <filesystem>
#include <string>

#include "base/file/posix_file.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/writing_access.hpp"
#include "store/image/hdf5/axes.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/hdf5/leftover_files.hpp"
#include "store/image/hdf5/state.hpp"

namespace tessera::store {

namespace {

/// Text has fixed length: HDF5 keeps strings of variable length without a checksum, and a damaged
/// one can hang or crash it.
void write_closing(const ImageState& state, Attributes attributes) {
  attributes.push_back({kCompletedKey, utc_now()});
  for (const Attribute& attribute : attributes) {
    set_attribute(state.h5, state.file, attribute, TextLayout::fixed);
  }
}

}  // namespace

Hdf5ImageWriter::Hdf5ImageWriter(const std::string& path, const ImageHeader& header,
                                 base::Replace replace)
    : state_(std::make_unique<ImageState>(path, header)), replace_(replace) {
  const std::scoped_lock lock(hdf5_mutex());
  // A new file instead of an emptied one: a reader may still have the old one open.
  state_->create(state_->h5.file(), replace);
  remove_copy(state_->h5.file());
  if (name_is_taken()) refuse(0);
}

Hdf5ImageWriter::Hdf5ImageWriter(const std::string& path, const ImageHeader& header,
                                 Leftover& leftover, base::Replace replace)
    : state_(std::make_unique<ImageState>(path, header)), replace_(replace) {
  const std::scoped_lock lock(hdf5_mutex());
  // Checked first, because resume() may take minutes to read all stored bytes.
  if (name_is_taken()) refuse(stored_tiles(part_path(path)));
  leftover = resume(*state_);
  if (name_is_taken()) refuse(leftover.tiles);
}

/// Another run may have finished the image since the caller looked. While this run holds the lock
/// on the .part file, a false stays false.
bool Hdf5ImageWriter::name_is_taken() const {
  return replace_ == base::Replace::nothing && base::exists(state_->path);
}

/// Also removes a .part file without tiles.
void Hdf5ImageWriter::refuse(std::int64_t stored_tiles) {
  const std::string path = state_->path;
  state_.reset();
  if (stored_tiles == 0) remove_unfinished(path);
  throw base::NameTaken(path);
}

Hdf5ImageWriter::~Hdf5ImageWriter() {
  const std::scoped_lock lock(hdf5_mutex());
  try {
    if (state_->tiles) state_->tiles->write_pending();
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): nobody can handle it
  }
}

void Hdf5ImageWriter::write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                                  std::span<const std::byte> bytes, std::uint32_t filter_mask) {
  state_->write_chunk(field, tile_row, tile_column, bytes, filter_mask);
}

void Hdf5ImageWriter::set_tile(const TileRow& row) {
  const std::scoped_lock lock(hdf5_mutex());
  state_->set_tile(to_record(row));
}

void Hdf5ImageWriter::flush() {
  const std::scoped_lock lock(hdf5_mutex());
  state_->flush();
}

void Hdf5ImageWriter::sync() {
  // The order does not matter: each log record that reached the disk shows whether its tile did
  // too.
  state_->lock->check();
  state_->raw->sync();
  state_->log->sync();
}

void Hdf5ImageWriter::open_again() {
  ImageState& s = *state_;
  s.tiles->write_pending();
  s.close();
  const Handle access = writing_access(s.h5, false);
  s.file = Handle(s.h5("H5Fopen", H5Fopen, s.h5.file().c_str(), static_cast<unsigned>(H5F_ACC_RDWR),
                       access.id()));
}

void Hdf5ImageWriter::end_as(const std::string& status) {
  ImageState& s = *state_;
  sync();
  open_again();
  set_attribute(s.h5, s.file, {kStatusKey, status}, TextLayout::fixed);
  s.close();
  sync();
}

void Hdf5ImageWriter::end_share(const std::string& share) {
  const std::scoped_lock lock(hdf5_mutex());
  end_as(kShare + share);
}

void Hdf5ImageWriter::end_part(const std::string& part) {
  const std::scoped_lock lock(hdf5_mutex());
  end_as(kPartStatus + part);
  publish();
}

void Hdf5ImageWriter::finish(std::span<const TimingRow> timing, const Attributes& closing) {
  const std::scoped_lock lock(hdf5_mutex());
  ImageState& s = *state_;
  open_again();
  write_timing(s.h5, s.file, timing);
  write_axes(s.h5, s.file, s.header);
  write_closing(s, closing);
  s.h5("H5Fflush", H5Fflush, s.file.id(), H5F_SCOPE_LOCAL);
  // Last, after everything else is in the file: with a full disk, no file must say that it is
  // complete.
  set_attribute(s.h5, s.file, {kStatusKey, kComplete}, TextLayout::fixed);
  s.close();
  publish();
}

void Hdf5ImageWriter::publish() {
  const ImageState& s = *state_;
  s.lock->check();
  base::sync_file(s.h5.file());
  base::publish_file(s.h5.file(), s.path, s.identity, replace_);
  base::remove_file(log_path(s.h5.file()));
}

std::unique_ptr<ImageWriter> hdf5::create(const std::string& path, const ImageHeader& header,
                                          base::Replace replace) {
  return std::make_unique<Hdf5ImageWriter>(path, header, replace);
}

std::unique_ptr<ImageWriter> hdf5::resume(const std::string& path, const ImageHeader& header,
                                          Leftover& leftover, base::Replace replace) {
  return std::make_unique<Hdf5ImageWriter>(path, header, leftover, replace);
}

}  // namespace tessera::store
