// A snapshot of an image file: its facts for the viewer, and its tiles.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/file/posix_file.hpp"
#include "job/image/render_job.hpp"
#include "plan/tile_grid.hpp"
#include "post/color/chunk_reader.hpp"
#include "view/live_file.hpp"

namespace tessera::view {

/// Facts about a stored tile.
struct TileFacts {
  std::int32_t rank = -1;    ///< -1 = not stored yet
  std::uint16_t device = 0;  ///< in OpenImage::devices()
  float seconds = 0;         ///< to compute it
  std::uint32_t checksum = 0;
  std::uint64_t iterations = 0;  ///< sum of its counts

  bool stored() const { return rank >= 0; }
};

/// Immutable. Any thread may use it.
class OpenImage {
 public:
  /// The current state of the image in `file`, finished or not. Throws the errors of
  /// post::job_of(), and a usage error for more than `max_tiles`.
  OpenImage(const std::shared_ptr<const LiveFile>& file, std::int64_t max_tiles);

  const std::string& path() const { return reader_.path(); }
  const store::ImageReader& reader() const { return reader_; }
  const store::ImageHeader& header() const { return reader_.header(); }
  const job::RenderJob& job() const { return job_; }
  bool complete() const { return complete_; }
  const plan::TileGrid& grid() const { return grid_; }
  const std::vector<TileFacts>& tiles() const { return tiles_; }
  const std::vector<std::string>& devices() const { return devices_; }
  std::int64_t tiles_done() const { return tiles_done_; }
  /// Changes with the pixels of the file.
  std::uint64_t version() const { return version_; }
  /// Equal for files whose chunks may be kept in the same cache.
  std::uint64_t generation() const { return generation_; }

  /// The field of that name; "" is smooth if the file has it. Throws HttpError 400 for a field that
  /// the image lacks.
  job::Field field(const std::string& name) const;
  bool has(job::Field field) const { return chunks_.contains(field); }
  /// For one of the fields of the file.
  post::ChunkReader& chunks(job::Field field) const { return *chunks_.at(field); }

 private:
  void read_tiles();

  LiveReader reader_;
  job::RenderJob job_;
  bool complete_ = false;
  plan::TileGrid grid_;
  std::vector<TileFacts> tiles_;
  std::vector<std::string> devices_;
  std::int64_t tiles_done_ = 0;
  std::uint64_t version_ = 0;
  std::uint64_t generation_ = 0;
  std::map<job::Field, std::unique_ptr<post::ChunkReader>> chunks_;
};

}  // namespace tessera::view
