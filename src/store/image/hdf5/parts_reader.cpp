#include "store/image/hdf5/parts_reader.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/file/open_files.hpp"
#include "base/file/posix_file.hpp"
#include "store/hdf5/attributes.hpp"

namespace tessera::store {
namespace {

/// Files that the process has open besides the parts.
constexpr std::uint64_t kOtherFiles = 256;

}  // namespace

PartsReader::PartsReader(const std::string& folder, Missing missing)
    : folder_(folder), missing_(missing) {
  const std::optional<PartsFacts> facts = read_parts_facts(folder);
  if (!facts) {
    throw base::missing_error("{}: is not there, or has no parts of an image", folder);
  }
  facts_ = *facts;
  readers_.resize(static_cast<std::size_t>(facts_.parts));
  const Hdf5ImageReader* any = nullptr;
  base::allow_open_files(static_cast<std::uint64_t>(facts_.parts) + kOtherFiles);
  for (int number = 0; number < facts_.parts && !any; ++number) any = try_to_open(number);
  if (!any) throw base::missing_error("{}: no part of the image is there yet", folder);
  header_ = any->header();
  std::ranges::find(header_.attributes, kStatusKey, &Attribute::name)->text = kUnfinished;
}

/// Null also if the part is only being created.
const Hdf5ImageReader* PartsReader::try_to_open(int number) const {
  try {
    return is_there(number) ? open(number) : nullptr;
  } catch (const base::Error&) {
    if (number + 1 == facts_.parts) throw;
    return nullptr;
  }
}

std::string PartsReader::attribute(const std::string& name) const {
  return find_attribute(header_.attributes, name);
}

void PartsReader::for_each_tile(const std::function<void(const TileRow&)>& visit) const {
  const base::ImageSize grid = header_.grid();
  for (std::int64_t row = 0; row < grid.height; ++row) {
    if (const Hdf5ImageReader* const part = part_of(row)) {
      part->for_each_tile_of(row, visit);
      continue;
    }
    for (std::int64_t column = 0; column < grid.width; ++column) {
      visit({.row = static_cast<std::uint32_t>(row), .column = static_cast<std::uint32_t>(column)});
    }
  }
}

bool PartsReader::read_chunk(job::Field field, std::int64_t tile_row, std::int64_t tile_column,
                             std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const {
  const Hdf5ImageReader* const part = part_of(tile_row);
  return part && part->read_chunk(field, tile_row, tile_column, bytes, filter_mask);
}

std::string PartsReader::missing_part() const {
  for (int number = 0; number < facts_.parts; ++number) {
    std::string file = part_file(folder_, number);
    if (!base::exists(file)) return file;
  }
  return "";
}

const Hdf5ImageReader* PartsReader::part_of(std::int64_t tile_row) const {
  return open(part_of_row(tile_row, facts_.parts));
}

bool PartsReader::is_there(int number) const {
  const std::string file = part_file(folder_, number);
  return base::exists(file) ||
         (missing_ == Missing::is_not_rendered && base::exists(base::part_path(file)));
}

const Hdf5ImageReader* PartsReader::open(int number) const {
  const std::scoped_lock lock(mutex_);
  auto& reader = readers_[static_cast<std::size_t>(number)];
  if (reader) return reader.get();
  const std::string finished = part_file(folder_, number);
  if (!base::exists(finished) && missing_ == Missing::is_damage) {
    throw base::run_error("{}: is missing; it is a part of the image", finished);
  }
  if (!is_there(number)) return nullptr;
  auto opened = std::make_unique<Hdf5ImageReader>(
      base::exists(finished) ? finished : base::part_path(finished));
  if (opened->attribute("fingerprint") != facts_.fingerprint) {
    throw base::run_error("{}: is a part of another image", opened->path());
  }
  reader = std::move(opened);
  return reader.get();
}

}  // namespace tessera::store
