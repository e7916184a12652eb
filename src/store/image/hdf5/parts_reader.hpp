// Reads the parts of an image as one. Private to this folder.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/parts.hpp"

namespace tessera::store {

/// The image in a folder of parts, finished or not. A part is opened when it is needed.
class PartsReader : public ImageReader {
 public:
  /// What it means that the file of a part is not there.
  enum class Missing { is_not_rendered, is_damage };
  /// Throws a usage error if the folder is not one of parts, or none of them can be read yet.
  PartsReader(const std::string& folder, Missing missing);

  const std::string& path() const override { return folder_; }
  const ImageHeader& header() const override { return header_; }
  std::string attribute(const std::string& name) const override;
  void for_each_tile(const std::function<void(const TileRow&)>& visit) const override;
  std::vector<TimingRow> timing() const override { return {}; }
  bool read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                  std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const override;
  /// The first file that is not there; "" if all are.
  std::string missing_part() const;

 private:
  /// Null if it is not there, and may be missing.
  const Hdf5ImageReader* open(int number) const;
  const Hdf5ImageReader* part_of(std::int64_t tile_row) const;
  bool is_there(int number) const;
  const Hdf5ImageReader* try_to_open(int number) const;

  std::string folder_;
  Missing missing_;
  PartsFacts facts_;
  ImageHeader header_;
  mutable std::mutex mutex_;  ///< guards readers_
  mutable std::vector<std::unique_ptr<Hdf5ImageReader>> readers_;
};

}  // namespace tessera::store
