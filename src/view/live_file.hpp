// An image file that can be opened again while others read it.
#pragma once

#include <functional>
#include <memory>
#include <shared_mutex>
#include <string>
#include <vector>

#include "store/image/image_file.hpp"

namespace tessera::view {

/// HDF5 gives a process one state of a file however often it opens it, so the file has to be closed
/// before newer contents are seen. Any thread may use it.
class LiveFile {
 public:
  /// Throws the errors of store::open_image().
  explicit LiveFile(const std::string& path);

  /// Shows the file as it is now, perhaps under another name. Waits for those who read it. After an
  /// error nothing can be read until the next call.
  void reopen(const std::string& path);
  /// Calls use(reader). Throws a run error if there is none.
  void read(const std::function<void(const store::ImageReader&)>& use) const;

 private:
  mutable std::shared_mutex mutex_;
  std::unique_ptr<store::ImageReader> reader_;
};

/// The file as a reader whose header stays as it was when this object was made.
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
