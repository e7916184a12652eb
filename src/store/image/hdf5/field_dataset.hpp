// The datasets of pixels: /iterations, /smooth, /distance. Private to this folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "store/hdf5/handle.hpp"
#include "store/image/hdf5/join.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

/// One dataset of pixels. Chunks are written and read as their stored bytes.
class FieldDataset {
 public:
  /// Adds the dataset to a new file.
  static void create(const CheckedCall& h5, const Handle& file, const ImageHeader& header,
                     job::Field field, base::ElementType type);

  /// Adds a virtual dataset of the pixels that lie in parts.
  static void create_joined(const CheckedCall& h5, const Handle& file, const ImageHeader& header,
                            job::Field field, base::ElementType type, const PartRows& parts);

  FieldDataset(const CheckedCall& h5, const Handle& file, job::Field field);

  job::Field field() const { return field_; }
  base::ElementType type() const { return type_; }
  base::ImageSize size_px() const { return size_px_; }
  base::ImageSize chunk_px() const { return chunk_px_; }
  bool filtered() const { return filtered_; }

  void write(std::int64_t tile_row, std::int64_t tile_column, std::span<const std::byte> bytes,
             std::uint32_t filter_mask);
  /// Size of a chunk by HDF5's index; 0 if it is not there.
  std::uint64_t stored_bytes(std::int64_t tile_row, std::int64_t tile_column) const;
  /// Address of a stored chunk in the file. HDF5 1.10 searches for it: milliseconds in a file of
  /// 10^5 chunks.
  std::uint64_t address(std::int64_t tile_row, std::int64_t tile_column) const;
  /// As Hdf5ImageReader::read_chunk().
  bool read(std::int64_t tile_row, std::int64_t tile_column, std::vector<std::byte>& bytes,
            std::uint32_t& filter_mask) const;

 private:
  std::size_t chunk_bytes() const;
  /// Throws if the image has no such tile.
  void check_tile(std::int64_t tile_row, std::int64_t tile_column) const;

  const CheckedCall* h5_;
  job::Field field_;
  Handle dataset_;
  base::ElementType type_ = base::ElementType::u16;
  base::ImageSize size_px_;
  base::ImageSize chunk_px_;
  bool filtered_ = false;
};

}  // namespace tessera::store
