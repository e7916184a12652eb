// The smaller scales of a field of an image, in a file of their own beside it. They can be made
// again at any time, so that nothing is lost with the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "base/geometry.hpp"
#include "job/image/render_job.hpp"

namespace tessera::store {

/// The image that a pyramid belongs to. Level n has 2^-n of the image's columns and rows, rounded
/// up; chunks have the size of the image's tiles.
struct PyramidSpec {
  std::string fingerprint;  ///< fingerprint of the image
  job::Field field = job::Field::iterations;
  base::ElementType type = base::ElementType::u16;
  base::ImageSize size_px;  ///< size of the image
  int tile_px = 0;          ///< side of a tile of the image
  int levels = 0;           ///< from 1 on

  base::ImageSize size_of(int level) const;
};

/// One thread may write at a time; any thread may read. Members throw base::Error (failed) that
/// names the file.
class PyramidFile {
 public:
  /// Uses the file `path` if it belongs to the image, else starts an empty one. Of a file that a
  /// killed process left, it keeps the chunks that are as they were at the last checkpoint, and the
  /// tiles that are in those of level 1. Throws base::Error if another process uses it or it cannot
  /// be written.
  PyramidFile(const std::string& path, const PyramidSpec& spec);
  /// A new file in `folder` that ends with this object.
  static std::unique_ptr<PyramidFile> unnamed(const std::string& folder, const PyramidSpec& spec);
  /// Saves, if nothing has failed.
  ~PyramidFile();
  PyramidFile(const PyramidFile&) = delete;
  PyramidFile& operator=(const PyramidFile&) = delete;

  const PyramidSpec& spec() const;
  /// For each tile of the image, in row-major order: the checksum with which it is in the pyramid;
  /// 0 = it is not.
  std::vector<std::uint32_t>& tiles();

  bool has(int level, std::int64_t row, std::int64_t column) const;
  /// As ImageReader::read_chunk(); false too if the chunk is not as it was written, and then has()
  /// is false from now on. If HDF5 cannot read it, a later run will not use the file.
  bool read(int level, std::int64_t row, std::int64_t column, std::vector<std::byte>& bytes,
            std::uint32_t& filter_mask) const;
  void write(int level, std::int64_t row, std::int64_t column, std::span<const std::byte> bytes,
             std::uint32_t filter_mask);
  /// A later run can use what is there now, also if this process is killed.
  void checkpoint();
  /// Everything is there.
  void save();

 private:
  struct State;
  explicit PyramidFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// "field smooth of the image FINGERPRINT" if the file is a pyramid.
std::optional<std::string> describe_pyramid(const std::string& path);

}  // namespace tessera::store
