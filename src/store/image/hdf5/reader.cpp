#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file/file_lock.hpp"
#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/handle.hpp"
#include "store/hdf5/open_file.hpp"
#include "store/image/hdf5/field_dataset.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/hdf5/logged_tiles.hpp"
#include "store/image/hdf5/parts_reader.hpp"
#include "store/image/hdf5/tables.hpp"
#include "store/image/parts.hpp"

namespace tessera::store {

namespace {

void check_format(const std::string& path, const Attributes& attributes) {
  const std::string format = find_attribute(attributes, kFormatKey);
  if (format != kFormatName) {
    throw base::usage_error("{}: not an image of Tessera: its attribute '{}' is not '{}'", path,
                            kFormatKey, kFormatName);
  }
  const std::string version = find_attribute(attributes, kVersionKey);
  for (int known = kOldestFormatVersion; known <= kFormatVersion; ++known) {
    if (version == std::to_string(known)) return;
  }
  throw base::usage_error("{}: has format version '{}', this Tessera reads versions {} to {}", path,
                          version, kOldestFormatVersion, kFormatVersion);
}

std::vector<FieldDataset> open_fields(const CheckedCall& h5, const Handle& file) {
  std::vector<FieldDataset> fields;
  for (const job::Field field : job::kFields) {
    const std::string name(job::field_name(field));
    if (h5("H5Lexists", H5Lexists, file.id(), name.c_str(), H5P_DEFAULT) > 0) {
      fields.emplace_back(h5, file, field);
    }
  }
  if (fields.empty()) {
    throw base::usage_error("{}: has neither /iterations nor /smooth", h5.file());
  }
  for (const FieldDataset& field : fields) {
    if (field.size_px() != fields[0].size_px() || field.chunk_px() != fields[0].chunk_px()) {
      throw base::usage_error("{}: its fields differ in size or chunks", h5.file());
    }
  }
  return fields;
}

ImageHeader make_header(const std::string& path, const std::vector<FieldDataset>& fields,
                        Attributes attributes) {
  ImageHeader header;
  header.size_px = fields[0].size_px();
  const base::ImageSize chunk = fields[0].chunk_px();
  header.tile_px = static_cast<int>(std::max(chunk.width, chunk.height));
  if (header.chunk_px() != chunk) {
    throw base::usage_error("{}: its chunks of {} x {} pixels are no square tiles", path,
                            chunk.width, chunk.height);
  }
  for (const FieldDataset& field : fields) header.fields.emplace_back(field.field(), field.type());
  header.compress = fields[0].filtered() ? 1 : 0;
  if (header.compress != 0) {
    // Levels 1 to 3 write the same pipeline; the job's keys name the level.
    const std::string text = find_attribute(attributes, "compress");
    int level = 0;
    std::from_chars(text.data(), text.data() + text.size(), level);
    header.compress = std::max(header.compress, level);
  }
  header.attributes = std::move(attributes);
  return header;
}

/// Damaged metadata of a file whose writer was killed are not read repeatedly.
Handle open_image(const CheckedCall& h5) {
  return base::may_be_locked(h5.file()) ? open_hdf5(h5) : open_settled_hdf5(h5);
}

}  // namespace

struct Hdf5ImageReader::State {
  explicit State(const std::string& path) : h5(path), file(open_image(h5)) {
    Attributes attributes = read_attributes(h5, file);
    check_format(path, attributes);
    if (!find_attribute(attributes, kPartsKey).empty()) {
      open_parts(std::move(attributes));
      return;
    }
    fields = open_fields(h5, file);
    header = make_header(path, fields, std::move(attributes));
    if (read_log_header(log_path(path))) find_logged();
  }

  void open_parts(Attributes attributes) {
    const std::string name = find_attribute(attributes, kPartsFolderKey);
    const auto path = std::filesystem::path(base::target_of(h5.file()));
    parts = std::make_unique<PartsReader>((path.parent_path() / name).string(),
                                          PartsReader::Missing::is_damage);
    header = parts->header();
    if (find_attribute(attributes, "fingerprint") !=
        find_attribute(header.attributes, "fingerprint")) {
      throw base::run_error("{}: {} has the parts of another image", h5.file(), parts->path());
    }
    header.attributes = std::move(attributes);
  }

  void find_logged() {
    std::vector<bool> known(static_cast<std::size_t>(header.grid().pixels()));
    std::size_t tile = 0;
    store::for_each_tile(h5, file, [&](const TileRow& row) {
      if (tile < known.size()) known[tile++] = row.rank >= 0;
    });
    logged.emplace(h5.file(), header, known);
  }

  void visit_tiles(const std::function<void(const TileRow&)>& visit, std::int64_t first,
                   std::int64_t count) const {
    const std::scoped_lock lock(hdf5_mutex());
    store::for_each_tile(
        h5, file,
        [&](const TileRow& row) {
          const LogRecord* const record = find_logged(row.row, row.column);
          visit(record ? to_row(record->tile) : row);
        },
        first, count);
  }

  const LogRecord* find_logged(std::int64_t tile_row, std::int64_t tile_column) const {
    return logged ? logged->find(tile_row * header.grid().width + tile_column) : nullptr;
  }

  CheckedCall h5;
  Handle file;
  std::vector<FieldDataset> fields;
  ImageHeader header;
  std::optional<LoggedTiles> logged;
  std::unique_ptr<PartsReader> parts;  ///< of a file that joins parts; it has no fields then
};

Hdf5ImageReader::Hdf5ImageReader(const std::string& path) {
  const std::scoped_lock lock(hdf5_mutex());
  check_readable_hdf5(path);
  state_ = std::make_unique<State>(path);
}

Hdf5ImageReader::~Hdf5ImageReader() = default;

const std::string& Hdf5ImageReader::path() const {
  return state_->h5.file();
}

const ImageHeader& Hdf5ImageReader::header() const {
  return state_->header;
}

std::string Hdf5ImageReader::attribute(const std::string& name) const {
  return find_attribute(state_->header.attributes, name);
}

void Hdf5ImageReader::for_each_tile(const std::function<void(const TileRow&)>& visit) const {
  if (state_->parts) return state_->parts->for_each_tile(visit);
  state_->visit_tiles(visit, 0, kMaxTiles);
}

void Hdf5ImageReader::for_each_tile_of(std::int64_t tile_row,
                                       const std::function<void(const TileRow&)>& visit) const {
  const std::int64_t columns = header().grid().width;
  state_->visit_tiles(visit, tile_row * columns, columns);
}

std::vector<TimingRow> Hdf5ImageReader::timing() const {
  const std::scoped_lock lock(hdf5_mutex());
  return read_timing(state_->h5, state_->file);
}

bool Hdf5ImageReader::read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                                 std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const {
  if (state_->parts)
    return state_->parts->read_chunk(field, tile_row, tile_column, bytes, filter_mask);
  for (std::size_t i = 0; i < state_->fields.size(); ++i) {
    if (state_->fields[i].field() != field) continue;
    const LogRecord* const record = state_->find_logged(tile_row, tile_column);
    if (!record) return state_->fields[i].read(tile_row, tile_column, bytes, filter_mask);
    state_->logged->read(record->chunks[i], bytes);
    filter_mask = state_->header.compress > 0 ? record->chunks[i].filter_mask : 0b11;
    return true;
  }
  throw base::usage_error("{}: has no field '{}'", state_->h5.file(), job::field_name(field));
}

std::string Hdf5ImageReader::missing_part() const {
  return state_->parts ? state_->parts->missing_part() : "";
}

std::unique_ptr<ImageReader> hdf5::open(const std::string& path) {
  if (read_parts_facts(path)) {
    return std::make_unique<PartsReader>(path, PartsReader::Missing::is_not_rendered);
  }
  return std::make_unique<Hdf5ImageReader>(path);
}

}  // namespace tessera::store
