// Images as HDF5 files (docs/file-format.md). While it is written, a file has a log beside it,
// which knows of every stored tile.
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

/// Only one thread at a time, and while it lives no other HDF5 call in the process. The .part file
/// can be read while it is written (HDF5's single writer, many readers mode); what readers see is
/// the state of the last flush() or later. A tile is stored once set_tile() has returned: nothing
/// that ends the process can then take it away, and after a sync() no power cut. Throws base::Error
/// (failed) naming the file, with the space left where a disk is full; after that only the
/// destructor makes sense.
class Hdf5ImageWriter : public ImageWriter {
 public:
  /// Creates `path`.part (replacing an old one) with a row of /tiles for the whole grid, and its
  /// log. Usage error for a grid of more than kMostTiles tiles, and if another process writes it.
  /// `replace` says what may become of a file called `path`. Where it must stay:
  /// base::NameTaken if it is there now, as no other run can finish it any more; a usage error if
  /// it is there at finish().
  Hdf5ImageWriter(const std::string& path, const ImageHeader& header,
                  base::Replace replace = base::Replace::nothing);
  /// Goes on with the `path`.part that an earlier run with the same header left, whatever ended
  /// that, and tells what is in it; begins anew if there is nothing to go on with. Checks every
  /// stored byte. Usage error if another process writes it; stopped if that was requested.
  Hdf5ImageWriter(const std::string& path, const ImageHeader& header, Leftover& leftover,
                  base::Replace replace = base::Replace::nothing);
  /// Without finish(): closes and leaves the .part file, which says status = "unfinished".
  ~Hdf5ImageWriter() override;

  void write_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                   std::span<const std::byte> bytes, std::uint32_t filter_mask) override;
  void set_tile(const TileRow& row) override;
  void flush() override;
  void sync() override;
  void finish(std::span<const TimingRow> timing, const Attributes& closing) override;

 private:
  bool name_is_taken() const;
  [[noreturn]] void refuse(std::int64_t stored_tiles);

  std::unique_ptr<ImageState> state_;
  base::Replace replace_;
};

/// Reads finished files and .part files, also while they are being written or after their writer
/// was killed, and never changes one. Shows a growing file as it was when it was opened, or later;
/// open it again for news. What HDF5 does not know yet, or never got to know, it takes from the
/// log. One thread at a time.
class Hdf5ImageReader : public ImageReader {
 public:
  /// missing error if there is no such file (names a .part beside it if there is one); usage error
  /// if it is not HDF5 or not one of ours (says what is lacking).
  explicit Hdf5ImageReader(const std::string& path);
  ~Hdf5ImageReader() override;

  const std::string& path() const override;
  const ImageHeader& header() const override;
  std::string attribute(const std::string& name) const override;
  void for_each_tile(const std::function<void(const TileRow&)>& visit) const override;
  std::vector<TimingRow> timing() const override;
  bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                  std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Removes what an unfinished run left.
void remove_unfinished(const std::string& path);

/// The row of this format (store/image/formats.hpp).
namespace hdf5 {
std::unique_ptr<ImageWriter> create(const std::string& path, const ImageHeader& header,
                                    base::Replace replace);
std::unique_ptr<ImageWriter> resume(const std::string& path, const ImageHeader& header,
                                    Leftover& leftover, base::Replace replace);
std::unique_ptr<ImageReader> open(const std::string& path);
FoundImage find(const std::string& path, const std::string& fingerprint);
std::optional<std::int64_t> logged_tiles(const std::string& part);
}  // namespace hdf5

}  // namespace tessera::store
