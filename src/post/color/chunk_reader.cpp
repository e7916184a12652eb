#include "post/color/chunk_reader.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "codec/chunk.hpp"

namespace tessera::post {

std::pair<job::Field, base::ElementType> choose_field(const store::ImageReader& reader,
                                                      const std::string& asked) {
  for (const job::Field field : {job::Field::smooth, job::Field::iterations}) {
    if (!asked.empty() && asked != job::field_name(field)) continue;
    for (const auto& [name, type] : reader.header().fields) {
      if (name == field) return {field, type};
    }
  }
  throw base::missing_error("--field {}: {} has no such dataset", asked, reader.path());
}

ChunkReader::Buffers::Buffers(const ChunkReader& reader) : decoder(reader.type()) {
  const auto pixels = static_cast<std::size_t>(reader.chunk_px().pixels());
  const std::size_t bytes = pixels * base::element_bytes(reader.type());
  // Reserved exactly: a vector that grows may allocate twice its size. And first: whoever keeps the
  // values leaves a gap that the next buffers fill, and no end of the heap that is given back.
  stored.reserve(bytes);
  values.resize(bytes);
  alongside.reserve(pixels * widest_alongside(reader.reader_.header(), reader.field_));
}

ChunkReader::ChunkReader(const store::ImageReader& reader, job::Field field)
    : reader_(reader),
      field_(field),
      tiles_{reader.header().size_px, reader.header().tile_px},
      complete_(reader.attribute("status") == "complete") {
  for (const auto& [name, type] : reader.header().fields) {
    if (name == field) type_ = type;
  }
}

std::size_t ChunkReader::widest_alongside(const store::ImageHeader& header, job::Field field) {
  std::size_t bytes = 0;
  for (const auto& [name, type] : header.fields) {
    if (name != field) bytes = std::max(bytes, base::element_bytes(type));
  }
  return bytes;
}

std::vector<std::int64_t> ChunkReader::tiles_of(const base::PixelRect& part) const {
  std::vector<std::int64_t> tiles;
  const std::int64_t last_row = (part.y + part.height - 1) / tiles_.tile_px;
  const std::int64_t last_column = (part.x + part.width - 1) / tiles_.tile_px;
  for (std::int64_t row = part.y / tiles_.tile_px; row <= last_row; ++row) {
    for (std::int64_t column = part.x / tiles_.tile_px; column <= last_column; ++column) {
      tiles.push_back(row * tiles_.columns() + column);
    }
  }
  return tiles;
}

void ChunkReader::for_each_run(const base::PixelRect& part, Buffers& buffers,
                               const std::function<void(const Run&)>& use) {
  for (const std::int64_t tile : tiles_of(part)) for_each_run_of(tile, part, buffers, use);
}

void ChunkReader::for_each_run_of(std::int64_t tile, const base::PixelRect& part, Buffers& buffers,
                                  const std::function<void(const Run&)>& use) {
  const bool there = read(buffers, tile);
  const base::PixelRect rect = tiles_.rect(tile);
  const std::int64_t left = std::max(rect.x, part.x);
  const std::int64_t right = std::min(rect.x + rect.width, part.x + part.width);
  const std::int64_t bottom = std::min(rect.y + rect.height, part.y + part.height);
  for (std::int64_t y = std::max(rect.y, part.y); y < bottom; ++y) {
    const std::int64_t first = (y - rect.y) * tiles_.chunk_px().width + left - rect.x;
    const std::byte* const values =
        buffers.values.data() + static_cast<std::size_t>(first) * base::element_bytes(type_);
    use({.x = left, .y = y, .pixels = right - left, .values = there ? values : nullptr});
  }
}

base::Error ChunkReader::damaged(std::int64_t tile, const std::string& why) const {
  return base::run_error(
      "{0}: tile row {1}, column {2} of /{3}: {4}; run: tessera verify --repair {0}",
      reader_.path(), tiles_.row_of(tile), tiles_.column_of(tile), job::field_name(field_), why);
}

bool ChunkReader::read(Buffers& buffers, std::int64_t tile) {
  std::uint32_t filter_mask = 0;
  try {
    if (!reader_.read_chunk(field_, tiles_.row_of(tile), tiles_.column_of(tile), buffers.stored,
                            filter_mask)) {
      if (!complete_) return false;
      throw base::run_error("is not in the file");
    }
    // Deflated data have a checksum of their own, which the decoder verifies. The checksums of an
    // unfinished file may be newer than what is read.
    const bool has_checksum = !complete_ || (filter_mask & codec::kDeflateSkipped) == 0;
    if (!has_checksum && !is_sound(buffers, tile)) {
      throw base::run_error("checksum mismatch: its stored bytes are damaged");
    }
    buffers.decoder.decode(buffers.stored, filter_mask, buffers.values);
  } catch (const base::Error& error) {
    throw damaged(tile, error.what());
  }
  return true;
}

/// Called with checking_ locked.
void ChunkReader::read_checksums() {
  const auto tiles = static_cast<std::size_t>(tiles_.count());
  checksums_.reserve(tiles);
  reader_.for_each_tile([&](const store::TileRow& row) {
    if (checksums_.size() < tiles) checksums_.push_back(row.checksum);
  });
  checksums_.resize(tiles);
  checked_.resize(tiles);
}

/// /tiles has one checksum for the chunks of all fields of a tile. If several bands need a tile,
/// the first of them checks it.
bool ChunkReader::is_sound(Buffers& buffers, std::int64_t tile) {
  const auto number = static_cast<std::size_t>(tile);
  {
    const std::scoped_lock lock(checking_);
    if (checksums_.empty()) read_checksums();
    if (checked_[number]) return true;
  }
  std::uint32_t checksum = 0;
  for (const auto& [field, type] : reader_.header().fields) {
    if (field != field_) read_alongside(buffers, field, tile);
    checksum = codec::crc32c(field == field_ ? buffers.stored : buffers.alongside, checksum);
  }
  if (checksum != checksums_[number]) return false;
  const std::scoped_lock lock(checking_);
  checked_[number] = true;
  return true;
}

void ChunkReader::read_alongside(Buffers& buffers, job::Field field, std::int64_t tile) {
  std::uint32_t filter_mask = 0;
  const bool found = reader_.read_chunk(field, tiles_.row_of(tile), tiles_.column_of(tile),
                                        buffers.alongside, filter_mask);
  if (!found) buffers.alongside.clear();
}

}  // namespace tessera::post
