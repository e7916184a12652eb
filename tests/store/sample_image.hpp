// An image of 70 x 50 pixels in tiles of 32, both fields, that every test can check: a pixel's
// count follows from its coordinates.
#pragma once

#include <zlib.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "store/image/hdf5/hdf5_image.hpp"

namespace tessera::store {

inline std::string size_text(const base::ImageSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

inline ImageHeader sample_header(int compress = 1, base::ImageSize size_px = {70, 50}) {
  ImageHeader header;
  header.size_px = size_px;
  header.tile_px = 32;
  header.fields = {{job::Field::iterations, base::ElementType::u16},
                   {job::Field::smooth, base::ElementType::f32}};
  header.compress = compress;
  header.attributes = {{"view", "whole"},
                       {"center", "-0.75,0"},
                       {"compress", std::to_string(compress), Attribute::Type::integer},
                       {"bailout", "2.5", Attribute::Type::real},
                       {"note", "größer als 1"},
                       {"empty", ""}};
  return header;
}

inline std::uint16_t sample_count(std::int64_t row, std::int64_t column) {
  return static_cast<std::uint16_t>(1 + row * 256 + column);
}

/// The chunk of a tile before any filter: `value(row, column)` of each pixel, 0 beyond the image.
template <class Element>
std::vector<std::byte> raw_chunk(const ImageHeader& header, std::int64_t tile_row,
                                 std::int64_t tile_column) {
  const base::ImageSize chunk = header.chunk_px();
  std::vector<std::byte> raw(static_cast<std::size_t>(chunk.pixels()) * sizeof(Element));
  for (std::int64_t i = 0; i < chunk.pixels(); ++i) {
    const std::int64_t row = tile_row * chunk.height + i / chunk.width;
    const std::int64_t column = tile_column * chunk.width + i % chunk.width;
    const bool inside = row < header.size_px.height && column < header.size_px.width;
    const auto value = static_cast<Element>(inside ? sample_count(row, column) : 0);
    std::memcpy(raw.data() + i * sizeof(Element), &value, sizeof value);
  }
  return raw;
}

inline std::vector<std::byte> raw_chunk_of(const ImageHeader& header, job::Field field,
                                           std::int64_t tile_row, std::int64_t tile_column) {
  return field == job::Field::smooth ? raw_chunk<float>(header, tile_row, tile_column)
                                     : raw_chunk<std::uint16_t>(header, tile_row, tile_column);
}

/// What HDF5's stock filters shuffle and deflate would store.
inline std::vector<std::byte> filtered(const std::vector<std::byte>& raw, std::size_t width) {
  std::vector<std::byte> shuffled(raw.size());
  const std::size_t n = raw.size() / width;
  for (std::size_t i = 0; i < raw.size(); ++i) shuffled[i % width * n + i / width] = raw[i];
  uLongf bytes = compressBound(raw.size());
  std::vector<std::byte> out(bytes);
  compress2(reinterpret_cast<Bytef*>(out.data()), &bytes,
            reinterpret_cast<const Bytef*>(shuffled.data()), raw.size(), 1);
  out.resize(bytes);
  return out;
}

inline std::vector<std::byte> stored_chunk(const ImageHeader& header, job::Field field,
                                           std::int64_t tile_row, std::int64_t tile_column) {
  const auto raw = raw_chunk_of(header, field, tile_row, tile_column);
  if (header.compress == 0) return raw;
  return filtered(raw, field == job::Field::smooth ? 4 : 2);
}

inline TileRow sample_row(std::uint32_t tile_row, std::uint32_t tile_column) {
  const std::uint32_t number = tile_row * 100 + tile_column;
  return {tile_row,   tile_column,    static_cast<std::int32_t>(number % 3),
          "cpu:avx2", 0.125 * number, 0.5,
          0.25,       1000 + number,  std::uint64_t{1} << 40,
          0xDEADBEEF};
}

inline std::vector<TileRow> tiles_of(const Hdf5ImageReader& reader) {
  std::vector<TileRow> rows;
  reader.for_each_tile([&](const TileRow& row) { rows.push_back(row); });
  return rows;
}

/// The chunks of a tile and then its row.
inline void store_tile(Hdf5ImageWriter& writer, const ImageHeader& header, const TileRow& tile) {
  const std::uint32_t mask = header.compress == 0 ? 0b11 : 0;
  for (const auto& [field, type] : header.fields) {
    writer.write_chunk(field, tile.row, tile.column,
                       stored_chunk(header, field, tile.row, tile.column), mask);
  }
  writer.set_tile(tile);
}

/// Tiles [first, end) in row order.
inline void write_tiles(Hdf5ImageWriter& writer, const ImageHeader& header, std::int64_t first,
                        std::int64_t end) {
  for (std::int64_t tile = first; tile < end; ++tile) {
    store_tile(writer, header,
               sample_row(static_cast<std::uint32_t>(tile / header.grid().width),
                          static_cast<std::uint32_t>(tile % header.grid().width)));
  }
}

}  // namespace tessera::store
