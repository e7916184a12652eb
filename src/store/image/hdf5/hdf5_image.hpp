// Images as HDF5 files (docs/file-format.md). While it is written, a file has a log beside it,
// which lists every stored tile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "store/image/image_file.hpp"

namespace tessera::store {

struct ImageState;

/// Writes an HDF5 image. While it exists, the process must not make other HDF5 calls. The .part
/// file can be read while it is written (HDF5's SWMR mode); readers see the state of the last
/// flush() or a later one.
class Hdf5ImageWriter : public ImageWriter {
 public:
  /// As create_image(): creates the file, with a row of /tiles for every tile, and its log.
  Hdf5ImageWriter(const std::string& path, const ImageHeader& header,
                  base::Replace replace = base::Replace::nothing);
  /// As resume_image().
  Hdf5ImageWriter(const std::string& path, const ImageHeader& header, Leftover& leftover,
                  base::Replace replace = base::Replace::nothing);
  /// Without finish(): closes and keeps the .part file, as "unfinished" but for end_share().
  ~Hdf5ImageWriter() override;

  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t filter_mask) override;
  void set_tile(const TileRow& row) override;
  void flush() override;
  void sync() override;
  void end_share(const std::string& share) override;
  void end_part(const std::string& part) override;
  void finish(std::span<const TimingRow> timing, const Attributes& closing) override;

 private:
  /// A file in SWMR mode cannot take new objects, so it is opened without.
  void open_again();
  void end_as(const std::string& status);
  void publish();
  bool name_is_taken() const;
  [[noreturn]] void refuse(std::int64_t stored_tiles);

  std::unique_ptr<ImageState> state_;
  base::Replace replace_;
};

/// Reads an HDF5 image. Tiles that HDF5 does not know (yet) are taken from the log, and those of a
/// file that joins parts from the parts.
class Hdf5ImageReader : public ImageReader {
 public:
  /// As open_image().
  explicit Hdf5ImageReader(const std::string& path);
  ~Hdf5ImageReader() override;

  const std::string& path() const override;
  const ImageHeader& header() const override;
  std::string attribute(const std::string& name) const override;
  void for_each_tile(const std::function<void(const TileRow&)>& visit) const override;
  /// For every tile of a row of the grid.
  void for_each_tile_of(std::int64_t tile_row,
                        const std::function<void(const TileRow&)>& visit) const;
  std::vector<TimingRow> timing() const override;
  bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                  std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const override;
  /// Of a file that joins parts: the first one that is not there; "" if all are.
  std::string missing_part() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Removes the files that an unfinished run left.
void remove_unfinished(const std::string& path);

/// The functions of this format's row (store/image/formats.hpp).
namespace hdf5 {
std::unique_ptr<ImageWriter> create(const std::string& path, const ImageHeader& header,
                                    base::Replace replace);
std::unique_ptr<ImageWriter> resume(const std::string& path, const ImageHeader& header,
                                    Leftover& leftover, base::Replace replace);
std::unique_ptr<ImageReader> open(const std::string& path);
ImageOnDisk look(const std::string& path);
std::optional<std::int64_t> logged_tiles(const std::string& part);
void join(const std::string& path, const ImageHeader& header, int parts,
          std::span<const TimingRow> timing, const Attributes& closing, base::Replace replace);
}  // namespace hdf5

}  // namespace tessera::store
