#include "view/open_image.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/hash.hpp"
#include "post/job_of_file.hpp"
#include "view/http/target.hpp"

namespace tessera::view {

OpenImage::OpenImage(const std::shared_ptr<const LiveFile>& file, std::int64_t max_tiles)
    : reader_(file), job_(post::job_of(reader_, reader_.path())) {
  complete_ = reader_.attribute("status") == "complete";
  grid_ = {header().size_px, header().tile_px};
  if (grid_.count() > max_tiles) {
    throw base::usage_error("{}: its {} tiles need more --memory", path(), grid_.count());
  }
  for (const auto& [field, type] : header().fields) {
    chunks_[field] = std::make_unique<post::ChunkReader>(reader_, field);
  }
  read_tiles();
  const base::FileIdentity identity = base::identity_of(path());
  const std::string changed = complete_ ? base::describe_status(path()) : "";
  const std::string fingerprint = reader_.attribute("fingerprint");
  generation_ = base::fnv1a(fmt::format("{} {} {}", fingerprint, identity.device, identity.inode));
  version_ = base::fnv1a(fmt::format("{} {} {}", generation_, changed, tiles_done_));
}

void OpenImage::read_tiles() {
  tiles_.reserve(static_cast<std::size_t>(grid_.count()));
  reader_.for_each_tile([&](const store::TileRow& row) {
    TileFacts& tile = tiles_.emplace_back();
    if (row.rank < 0) return;
    ++tiles_done_;
    auto device = std::ranges::find(devices_, row.device);
    if (device == devices_.end()) device = devices_.insert(device, row.device);
    tile = {.rank = row.rank,
            .device = static_cast<std::uint16_t>(device - devices_.begin()),
            .seconds = static_cast<float>(row.compute_s),
            .checksum = row.checksum,
            .iterations = row.iterations};
  });
  tiles_.resize(static_cast<std::size_t>(grid_.count()));
}

job::Field OpenImage::field(const std::string& name) const {
  for (const job::Field field : {job::Field::smooth, job::Field::iterations}) {
    if (chunks_.contains(field) && (name.empty() || name == job::field_name(field))) return field;
  }
  throw HttpError(400, fmt::format("field: the image has no {}", name));
}

}  // namespace tessera::view
