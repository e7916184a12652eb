// A TIFF file through libtiff: its directories, and a handle that decodes strips and tiles. Private
// to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "base/error.hpp"
#include "job/arrays/array_input.hpp"

struct tiff;

namespace tessera::store {

/// One page: how its pixels are stored.
struct TiffPage {
  std::uint64_t directory = 0;  ///< its offset
  std::int64_t rows = 0, columns = 0;
  std::int64_t samples = 1;
  bool are_planes = false;  ///< each sample is a plane of its own
  std::optional<base::ElementType> type;
  std::string problem;  ///< why it cannot be read; "" if it can
  bool is_tiled = false;
  std::int64_t chunk_rows = 0, chunk_columns = 0;  ///< of a tile or strip
  bool is_compressed = false;
  std::uint64_t first_byte = 0;  ///< of the first strip
  std::string no_data;           ///< GDAL's missing value, as text; "" = none

  /// Whether the pages lie in one array.
  bool is_like(const TiffPage& other) const;
};

struct TiffLayout {
  std::vector<TiffPage> pages;  ///< without reduced ones and masks
  bool big_endian = false;
  std::string description;  ///< of the first page
};

/// Not thread-safe. Errors of libtiff become base::Error (failed) that name the file.
class TiffHandle {
 public:
  explicit TiffHandle(std::string path);
  ~TiffHandle();
  TiffHandle(const TiffHandle&) = delete;
  TiffHandle& operator=(const TiffHandle&) = delete;

  TiffLayout layout();
  /// Decodes a strip or a tile of the page into `bytes`. A strip at the end may have fewer. False
  /// if the file has none there, as GDAL leaves out those that have missing values only.
  bool read(const TiffPage& page, std::uint32_t chunk, std::span<std::byte> bytes);

 private:
  TiffPage page();
  base::Error error(const std::string& what) const;

  std::string path_;
  std::string message_;  ///< the last one of libtiff
  tiff* tiff_ = nullptr;
  std::optional<std::uint64_t> directory_;  ///< that is read
};

}  // namespace tessera::store
