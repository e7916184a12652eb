#include <filesystem>
#include <string>

#include "base/file/posix_file.hpp"
#include "store/image/attributes.hpp"
#include "store/image/image_file.hpp"
#include "store/image/state.hpp"
#include "store/image/leftover_files.hpp"

namespace tessera::store {

ImageWriter::ImageWriter(const std::string& path, const ImageHeader& header, base::Replace replace)
    : state_(std::make_unique<ImageState>(path, header)), replace_(replace) {
  // A new file, never an old one made empty: a reader may still have that open.
  remove_unfinished(path);
  state_->create(state_->h5.file());
  if (name_is_taken()) refuse(0);
}

ImageWriter::ImageWriter(const std::string& path, const ImageHeader& header, Leftover& leftover,
                         base::Replace replace)
    : state_(std::make_unique<ImageState>(path, header)), replace_(replace) {
  // To look through all that is stored may take minutes.
  if (name_is_taken()) refuse(stored_tiles(part_path(path)));
  leftover = resume(*state_);
  if (name_is_taken()) refuse(leftover.tiles);
}

/// Another run may have finished the image since the caller looked for it. While this one holds the
/// lock on the .part file, "no" stays true.
bool ImageWriter::name_is_taken() const {
  return replace_ == base::Replace::nothing && base::exists(state_->path);
}

/// A .part file without tiles is removed.
void ImageWriter::refuse(std::int64_t stored_tiles) {
  const std::string path = state_->path;
  state_.reset();
  if (stored_tiles == 0) remove_unfinished(path);
  throw base::NameTaken(path);
}

ImageWriter::~ImageWriter() {
  try {
    if (state_->tiles) state_->tiles->write_pending();
  } catch (const base::Error&) {  // NOLINT(bugprone-empty-catch): nobody is left to be told
  }
}

void ImageWriter::write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                              std::span<const std::byte> bytes, std::uint32_t filter_mask) {
  state_->write_chunk(field, tile_row, tile_column, bytes, filter_mask);
}

void ImageWriter::set_tile(const TileRow& row) {
  state_->set_tile(to_record(row));
}

void ImageWriter::flush() {
  state_->flush();
}

void ImageWriter::sync() {
  // In any order: of each record that reached the disk it can be told whether its tile did too.
  state_->lock->check();
  state_->raw->sync();
  state_->log->sync();
}

void ImageWriter::finish(std::span<const TimingRow> timing, const Attributes& closing) {
  ImageState& s = *state_;
  s.tiles->write_pending();
  s.close();
  // What is written for concurrent readers cannot take new objects; opened again, it can.
  const Handle access = writing_access(s.h5, false);
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
  s.lock->check();
  base::sync_file(s.h5.file());
  base::publish_file(s.h5.file(), s.path, s.identity, replace_);
  base::remove_file(log_path(s.h5.file()));
}

}  // namespace tessera::store
