#include "store/image/hdf5/field_dataset.hpp"

#include <array>
#include <limits>
#include <optional>
#include <string>

#include "base/text.hpp"

namespace tessera::store {

namespace {

using Pair = std::array<hsize_t, 2>;  // rows, columns: HDF5's order

constexpr std::uint32_t kFiltersSkipped = 0b11;
constexpr std::uint32_t kDeflateSkipped = 0b10;

Pair to_pair(const base::ImageSize& size) {
  return {static_cast<hsize_t>(size.height), static_cast<hsize_t>(size.width)};
}

base::ImageSize to_size(const Pair& pair) {
  return {static_cast<std::int64_t>(pair[1]), static_cast<std::int64_t>(pair[0])};
}

hid_t stored_type(base::ElementType type) {
  switch (type) {
    case base::ElementType::u16:
      return H5T_STD_U16LE;
    case base::ElementType::u32:
      return H5T_STD_U32LE;
    case base::ElementType::u64:
      return H5T_STD_U64LE;
    case base::ElementType::f32:
      return H5T_IEEE_F32LE;
    default:  // no field has another type
      return H5I_INVALID_HID;
  }
}

std::optional<base::ElementType> element_type(const CheckedCall& h5, const Handle& type) {
  using enum base::ElementType;
  for (const base::ElementType candidate : {u16, u32, u64, f32}) {
    if (h5("H5Tequal", H5Tequal, type.id(), stored_type(candidate)) > 0) return candidate;
  }
  return std::nullopt;
}

/// The fill value: h5py shows it for pixels that are not rendered yet. An orbit that starts outside
/// has a count of 0, too: only the table of tiles says what is missing.
void set_missing_value(const CheckedCall& h5, const Handle& plist, base::ElementType type) {
  const float not_a_number = std::numeric_limits<float>::quiet_NaN();
  const std::uint32_t zero = 0;
  if (type == base::ElementType::f32) {
    h5("H5Pset_fill_value", H5Pset_fill_value, plist.id(), H5T_NATIVE_FLOAT, &not_a_number);
  } else {
    h5("H5Pset_fill_value", H5Pset_fill_value, plist.id(), H5T_NATIVE_UINT32, &zero);
  }
}

}  // namespace

void FieldDataset::create(const CheckedCall& h5, const Handle& file, const ImageHeader& header,
                          job::Field field, base::ElementType type) {
  const Pair size = to_pair(header.size_px);
  const Pair chunk = to_pair(header.chunk_px());
  // Without maximum sizes, the dataset is fixed and its chunk index is an array: 18 bytes a chunk,
  // found without a search, and readable while it is written.
  const Handle space(h5("H5Screate_simple", H5Screate_simple, 2, size.data(), nullptr));
  const Handle plist(h5("H5Pcreate", H5Pcreate, H5P_DATASET_CREATE));
  h5("H5Pset_chunk", H5Pset_chunk, plist.id(), 2, chunk.data());
  set_missing_value(h5, plist, type);
  if (header.compress > 0) {
    h5("H5Pset_shuffle", H5Pset_shuffle, plist.id());
    h5("H5Pset_deflate", H5Pset_deflate, plist.id(), static_cast<unsigned>(header.compress));
  }
  const std::string name(job::field_name(field));
  const Handle dataset(h5("H5Dcreate2", H5Dcreate2, file.id(), name.c_str(), stored_type(type),
                          space.id(), H5P_DEFAULT, plist.id(), H5P_DEFAULT));
}

void FieldDataset::create_joined(const CheckedCall& h5, const Handle& file,
                                 const ImageHeader& header, job::Field field,
                                 base::ElementType type, const PartRows& parts) {
  const std::string name(job::field_name(field));
  const Handle plist(h5("H5Pcreate", H5Pcreate, H5P_DATASET_CREATE));
  set_missing_value(h5, plist, type);
  const Handle space =
      parts.map(h5, plist, name, to_pair(header.size_px), header.chunk_px().height);
  const Handle dataset(h5("H5Dcreate2", H5Dcreate2, file.id(), name.c_str(), stored_type(type),
                          space.id(), H5P_DEFAULT, plist.id(), H5P_DEFAULT));
}

FieldDataset::FieldDataset(const CheckedCall& h5, const Handle& file, job::Field field)
    : h5_(&h5), field_(field) {
  const std::string name(job::field_name(field));
  dataset_ = Handle(h5("H5Dopen2", H5Dopen2, file.id(), name.c_str(), H5P_DEFAULT));
  const Handle type(h5("H5Dget_type", H5Dget_type, dataset_.id()));
  const Handle space(h5("H5Dget_space", H5Dget_space, dataset_.id()));
  const Handle plist(h5("H5Dget_create_plist", H5Dget_create_plist, dataset_.id()));
  const auto known_type = element_type(h5, type);
  if (!known_type ||
      h5("H5Sget_simple_extent_ndims", H5Sget_simple_extent_ndims, space.id()) != 2 ||
      h5("H5Pget_layout", H5Pget_layout, plist.id()) != H5D_CHUNKED) {
    throw base::usage_error("{}: /{} is not a chunked image of u16, u32, u64 or f32", h5.file(),
                            name);
  }
  Pair size{};
  Pair chunk{};
  h5("H5Sget_simple_extent_dims", H5Sget_simple_extent_dims, space.id(), size.data(), nullptr);
  h5("H5Pget_chunk", H5Pget_chunk, plist.id(), 2, chunk.data());
  type_ = *known_type;
  size_px_ = to_size(size);
  chunk_px_ = to_size(chunk);
  filtered_ = h5("H5Pget_nfilters", H5Pget_nfilters, plist.id()) > 0;
}

void FieldDataset::write(std::int64_t tile_row, std::int64_t tile_column,
                         std::span<const std::byte> bytes, std::uint32_t filter_mask) {
  check_tile(tile_row, tile_column);
  const bool raw = !filtered_ || (filter_mask & kDeflateSkipped) != 0;
  if (bytes.empty() || (raw && bytes.size() != chunk_bytes())) {
    throw base::run_error("{}: tile ({}, {}) of /{} has {}, a raw chunk has {}", h5_->file(),
                          tile_row, tile_column, job::field_name(field_),
                          base::count_of(std::ssize(bytes), "byte"), chunk_bytes());
  }
  const Pair offset = to_pair({tile_column * chunk_px_.width, tile_row * chunk_px_.height});
  (*h5_)("H5Dwrite_chunk", H5Dwrite_chunk, dataset_.id(), H5P_DEFAULT, filtered_ ? filter_mask : 0,
         offset.data(), bytes.size(), bytes.data());
}

std::uint64_t FieldDataset::stored_bytes(std::int64_t tile_row, std::int64_t tile_column) const {
  check_tile(tile_row, tile_column);
  const Pair offset = to_pair({tile_column * chunk_px_.width, tile_row * chunk_px_.height});
  hsize_t stored = 0;  // stays 0 while the dataset has no chunk at all
  const bool found = h5_->unless("chunk storage is not allocated", "H5Dget_chunk_storage_size",
                                 H5Dget_chunk_storage_size, dataset_.id(), offset.data(), &stored);
  return found ? stored : 0;
}

std::uint64_t FieldDataset::address(std::int64_t tile_row, std::int64_t tile_column) const {
  check_tile(tile_row, tile_column);
  const Pair offset = to_pair({tile_column * chunk_px_.width, tile_row * chunk_px_.height});
  unsigned filter_mask = 0;
  haddr_t address = 0;
  hsize_t bytes = 0;
  (*h5_)("H5Dget_chunk_info_by_coord", H5Dget_chunk_info_by_coord, dataset_.id(), offset.data(),
         &filter_mask, &address, &bytes);
  return address;
}

bool FieldDataset::read(std::int64_t tile_row, std::int64_t tile_column,
                        std::vector<std::byte>& bytes, std::uint32_t& filter_mask) const {
  const std::uint64_t stored = stored_bytes(tile_row, tile_column);
  if (stored == 0) return false;
  const Pair offset = to_pair({tile_column * chunk_px_.width, tile_row * chunk_px_.height});
  // Chunks that would not shrink are stored raw; other writers may store a little more than that.
  if (stored > 2 * chunk_bytes() + 4096) {
    throw base::run_error("{}: chunk ({}, {}) of /{} claims {}: the file is damaged", h5_->file(),
                          tile_row, tile_column, job::field_name(field_),
                          base::count_of(static_cast<std::int64_t>(stored), "byte"));
  }
  bytes.resize(stored);
  std::uint32_t mask = 0;
  (*h5_)("H5Dread_chunk", H5Dread_chunk, dataset_.id(), H5P_DEFAULT, offset.data(), &mask,
         bytes.data());
  filter_mask = filtered_ ? mask : kFiltersSkipped;
  return true;
}

std::size_t FieldDataset::chunk_bytes() const {
  return static_cast<std::size_t>(chunk_px_.pixels()) * base::element_bytes(type_);
}

void FieldDataset::check_tile(std::int64_t tile_row, std::int64_t tile_column) const {
  const bool inside = tile_row >= 0 && tile_column >= 0 &&
                      tile_row <= (size_px_.height - 1) / chunk_px_.height &&
                      tile_column <= (size_px_.width - 1) / chunk_px_.width;
  if (!inside) {
    throw base::run_error("{}: /{} has no tile ({}, {})", h5_->file(), job::field_name(field_),
                          tile_row, tile_column);
  }
}

}  // namespace tessera::store
