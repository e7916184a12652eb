#include "view/live_file.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "store/image/formats.hpp"

namespace tessera::view {

LiveFile::LiveFile(const std::string& path) : reader_(store::open_image(path)) {}

void LiveFile::reopen(const std::string& path) {
  const std::unique_lock lock(mutex_);
  reader_ = nullptr;
  reader_ = store::open_image(path);
}

void LiveFile::read(const std::function<void(const store::ImageReader&)>& use) const {
  const std::shared_lock lock(mutex_);
  if (!reader_) throw base::run_error("the image cannot be read now");
  use(*reader_);
}

LiveReader::LiveReader(std::shared_ptr<const LiveFile> file) : file_(std::move(file)) {
  file_->read([&](const store::ImageReader& reader) {
    path_ = reader.path();
    header_ = reader.header();
  });
}

std::string LiveReader::attribute(const std::string& name) const {
  const auto found = std::ranges::find(header_.attributes, name, &store::Attribute::name);
  return found == header_.attributes.end() ? "" : found->text;
}

void LiveReader::for_each_tile(const std::function<void(const store::TileRow&)>& visit) const {
  file_->read([&](const store::ImageReader& reader) { reader.for_each_tile(visit); });
}

std::vector<store::TimingRow> LiveReader::timing() const {
  std::vector<store::TimingRow> rows;
  file_->read([&](const store::ImageReader& reader) { rows = reader.timing(); });
  return rows;
}

bool LiveReader::read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                            std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const {
  bool found = false;
  file_->read([&](const store::ImageReader& reader) {
    found = reader.read_chunk(field, tile_row, tile_column, bytes, filter_mask);
  });
  return found;
}

}  // namespace tessera::view
