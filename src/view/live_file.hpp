// An image file that can be opened again while others read it.
#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "store/image/image_file.hpp"

namespace tessera::view {

/// HDF5 shows a process only one state of an open file. The process must close the file before it
/// can read newer contents. Any thread may use it.
class LiveFile {
 public:
  /// Throws the errors of store::open_image().
  explicit LiveFile(const std::string& path);

  /// Opens the current state of the file, perhaps under another name. Waits for running readers.
  /// After an error, read() fails until the next call.
  void reopen(const std::string& path);
  /// Calls use(reader). Throws a run error if no file is open.
  void read(const std::function<void(const store::ImageReader&)>& use) const;

 private:
  mutable std::shared_mutex mutex_;
  std::unique_ptr<store::ImageReader> reader_;
};

/// A reader of the file, with the header at the time of the constructor.
class LiveReader : public store::ImageReader {
 public:
  explicit LiveReader(std::shared_ptr<const LiveFile> file);

  const std::string& path() const override { return path_; }
  const store::ImageHeader& header() const override { return header_; }
  std::string attribute(const std::string& name) const override;
  void for_each_tile(const std::function<void(const store::TileRow&)>& visit) const override;
  std::vector<store::TimingRow> timing() const override;
  bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                  std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const override;

 private:
  std::shared_ptr<const LiveFile> file_;
  std::string path_;
  store::ImageHeader header_;
};

}  // namespace tessera::view
