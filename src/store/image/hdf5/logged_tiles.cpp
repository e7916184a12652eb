#include "store/image/hdf5/logged_tiles.hpp"

#include "base/element.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::store {

LoggedTiles::LoggedTiles(const std::string& part, const ImageHeader& header,
                         const std::vector<bool>& known) {
  const auto log = read_log_header(log_path(part));
  if (!log) return;
  file_ = std::make_unique<base::InputFile>(part);
  const base::FileIdentity file = base::identity_of(file_->descriptor());
  if (log->part_device != file.device || log->part_inode != file.inode) return;
  const base::ImageSize grid = header.grid();
  for_each_record(log_path(part), [&](const LogRecord& record) {
    const bool ours = record.tile.row < grid.height && record.tile.column < grid.width &&
                      record.fields == header.fields.size();
    if (!ours) return;
    const std::int64_t tile =
        static_cast<std::int64_t>(record.tile.row) * grid.width + record.tile.column;
    if (!known[static_cast<std::size_t>(tile)]) records_.insert_or_assign(tile, record);
  });
}

const LogRecord* LoggedTiles::find(std::int64_t tile) const {
  const auto found = records_.find(tile);
  return found == records_.end() ? nullptr : &found->second;
}

void LoggedTiles::read(const ChunkRecord& chunk, std::vector<std::byte>& bytes) const {
  bytes.resize(chunk.bytes);
  file_->read_at(chunk.address, bytes);
}

}  // namespace tessera::store
