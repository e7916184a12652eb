#include "store/image/hdf5/join.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <vector>

#include "base/file/output_name.hpp"
#include "base/file/posix_file.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/image/hdf5/axes.hpp"
#include "store/image/hdf5/hdf5_image.hpp"
#include "store/image/hdf5/state.hpp"
#include "store/image/parts.hpp"

namespace tessera::store {
namespace {

/// `count` blocks of rows, each `stride` rows after the one before.
struct Rows {
  hsize_t first = 0, stride = 1, count = 0, block = 0;
};

/// HDF5 takes %b in a name for a number of a block.
std::string escaped(std::string name) {
  for (std::size_t at = 0; (at = name.find('%', at)) != name.npos; at += 2) name.insert(at, 1, '%');
  return name;
}

Handle select(const CheckedCall& h5, std::span<const hsize_t> size, const Rows& rows) {
  const int dimensions = static_cast<int>(size.size());
  Handle space(h5("H5Screate_simple", H5Screate_simple, dimensions, size.data(), nullptr));
  std::vector<hsize_t> first(size.size()), stride(size.begin(), size.end()), count(size.size(), 1),
      block(size.begin(), size.end());
  first[0] = rows.first;
  stride[0] = rows.stride;
  count[0] = rows.count;
  block[0] = rows.block;
  h5("H5Sselect_hyperslab", H5Sselect_hyperslab, space.id(), H5S_SELECT_SET, first.data(),
     stride.data(), count.data(), block.data());
  return space;
}

}  // namespace

Handle PartRows::map(const CheckedCall& h5, const Handle& plist, const std::string& name,
                     std::span<const hsize_t> size, std::int64_t block) const {
  const auto rows = static_cast<hsize_t>(block);
  const auto every = static_cast<hsize_t>(parts);
  const hsize_t whole = size[0] / rows;
  const auto add = [&](hsize_t part, const Rows& of_part) {
    if (of_part.count == 0 || of_part.block == 0) return;
    const Handle space = select(h5, size, of_part);
    const std::string file = escaped(part_file(folder, static_cast<int>(part)));
    h5("H5Pset_virtual", H5Pset_virtual, plist.id(), space.id(), file.c_str(), name.c_str(),
       space.id());
  };
  for (hsize_t part = 0; part < every; ++part) {
    const hsize_t count = whole > part ? (whole - part - 1) / every + 1 : 0;
    add(part, {.first = part * rows, .stride = every * rows, .count = count, .block = rows});
  }
  // The last block may be shorter.
  add(whole % every, {.first = whole * rows, .count = 1, .block = size[0] % rows});
  return Handle(h5("H5Screate_simple", H5Screate_simple, static_cast<int>(size.size()), size.data(),
                   nullptr));
}

void hdf5::join(const std::string& path, const ImageHeader& header, int parts,
                std::span<const TimingRow> timing, const Attributes& closing,
                base::Replace replace) {
  const std::scoped_lock lock(hdf5_mutex());
  const std::string folder = parts_folder(path);
  const std::string name = joined_file(folder);
  const std::string folder_name = std::filesystem::path(folder).filename().string();
  base::remove_file(name);
  const CheckedCall h5(name);
  Handle file = create_image_file(h5, name, header);
  Attributes attributes = closing;
  attributes.push_back({kPartsKey, std::to_string(parts), Attribute::Type::integer});
  attributes.push_back({kPartsFolderKey, folder_name});
  attributes.push_back({kCompletedKey, utc_now()});
  for (const Attribute& attribute : attributes) {
    set_attribute(h5, file, attribute, TextLayout::fixed);
  }
  const PartRows rows{folder_name, parts};
  for (const auto& [field, type] : header.fields) {
    FieldDataset::create_joined(h5, file, header, field, type, rows);
  }
  TileTable::create_joined(h5, file, header.grid(), rows);
  write_timing(h5, file, timing);
  write_axes(h5, file, header);
  set_attribute(h5, file, {kStatusKey, kComplete}, TextLayout::fixed);
  h5("H5Fclose", H5Fclose, file.release());
  base::sync_file(name);
  base::publish_file(name, path, base::identity_of(name), replace);
}

}  // namespace tessera::store
