#include "store/zarr/zarr_array.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>
#include <utility>

#include "base/bools.hpp"
#include "base/byte_order.hpp"
#include "base/error.hpp"
#include "plan/piece_boxes.hpp"
#include "store/arrays/strided_copy.hpp"
#include "store/formats/array_names.hpp"
#include "store/formats/zip_archive.hpp"
#include "store/zarr/zarr_chunks.hpp"
#include "store/zarr/zarr_metadata.hpp"

namespace tessera::store {
namespace {

class ZarrArray : public ArraySource {
 public:
  ZarrArray(std::unique_ptr<const ZarrStore> store, const std::string& folder, ArrayInfo info,
            ZarrMetadata metadata)
      : ArraySource(std::move(info), plan::ArrayPieces::boxes(metadata.shape, metadata.chunk)),
        metadata_(std::move(metadata)),
        element_bytes_(base::element_bytes(metadata_.type)),
        chunk_bytes_(static_cast<std::size_t>(plan::element_count(metadata_.chunk)) *
                     element_bytes_),
        chunks_(std::move(store), folder, metadata_),
        stored_strides_(strides_of_stored()) {
    if (swaps()) base::swap_byte_order(metadata_.fill, element_bytes_);  // as stored
  }

  plan::Shape chunk_shape() const override { return metadata_.chunk; }
  std::uint64_t read_memory_bytes() const override {
    // Itself, what is decoded between the filters, and what is stored.
    return 3 * std::uint64_t{chunk_bytes_} + max_stored_bytes();
  }

  void read_box(const plan::Box& box, std::span<std::byte> elements) const override {
    if (elements.empty()) return;
    const plan::Shape strides = packed_strides(box.extent, element_bytes_);
    for (const std::int64_t piece : plan::pieces_meeting(pieces_, box)) {
      read_part(pieces_.box(piece), box, strides, elements);
    }
    if (swaps()) base::swap_byte_order(elements, element_bytes_);
    if (info_.is_boolean) base::make_bools(elements);
  }

 private:
  bool swaps() const { return metadata_.big_endian != (std::endian::native == std::endian::big); }
  /// More would be no chunk that shrank or stayed as it was.
  std::uint64_t max_stored_bytes() const { return 2 * std::uint64_t{chunk_bytes_} + 4096; }

  /// Strides of a decoded chunk, for the dimensions of the array.
  plan::Shape strides_of_stored() const {
    const std::vector<std::size_t>& order = metadata_.coding.order;
    plan::Shape extent;
    for (const std::size_t d : order) extent.push_back(metadata_.chunk[d]);
    const plan::Shape packed = packed_strides(extent, element_bytes_);
    plan::Shape strides(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) strides[order[i]] = packed[i];
    return strides;
  }

  /// Copies what the chunk, which is `own` of the array, has of the box.
  void read_part(const plan::Box& own, const plan::Box& box, const plan::Shape& strides,
                 std::span<std::byte> elements) const {
    const plan::Box both = plan::common(own, box);
    std::byte* const to = elements.data() + distance(box.origin, both.origin, strides);
    const bool is_all = both.extent == metadata_.chunk && both == box && strides == stored_strides_;
    thread_local std::vector<std::byte> scratch;
    if (!is_all) scratch.resize(chunk_bytes_);
    const std::span<std::byte> decoded = is_all ? elements : std::span(scratch);
    if (!decode(own.origin, decoded)) {
      copy_box(metadata_.fill.data(), plan::Shape(both.extent.size()), to, strides, both.extent,
               element_bytes_);
    } else if (!is_all) {
      copy_box(decoded.data() + distance(own.origin, both.origin, stored_strides_), stored_strides_,
               to, strides, both.extent, element_bytes_);
    }
  }

  /// False if the chunk is missing.
  bool decode(const plan::Shape& origin, std::span<std::byte> to) const {
    plan::Shape numbers = origin;
    for (std::size_t d = 0; d < numbers.size(); ++d) numbers[d] /= metadata_.chunk[d];
    try {
      const auto stored = chunks_.read(numbers, max_stored_bytes());
      if (stored) decoder().decode(*stored, codec::kAllFilters, to);
      return stored.has_value();
    } catch (const base::Error& error) {
      throw base::Error(error.code(), fmt::format("{}: chunk at [{}]: {}", info_.name,
                                                  fmt::join(origin, ", "), error.what()));
    }
  }

  /// The calling thread's. Keeps that of the array that it read last.
  codec::ChunkDecoder& decoder() const {
    struct Own {
      codec::Filters filters;
      codec::ChunkDecoder decoder;
    };
    thread_local std::optional<Own> own;
    if (!own || own->filters != metadata_.coding.filters) {
      own.emplace(Own{metadata_.coding.filters, codec::ChunkDecoder(metadata_.coding.filters)});
    }
    return own->decoder;
  }

  ZarrMetadata metadata_;
  std::size_t element_bytes_;
  std::size_t chunk_bytes_;
  ZarrChunks chunks_;
  plan::Shape stored_strides_;
};

/// "/a/b" of the folder "a/b/".
std::string name_of(std::string_view folder) {
  if (!folder.empty()) folder.remove_suffix(1);
  return fmt::format("/{}", folder);
}

/// Adds the arrays in a folder of the store, and below it.
void add_arrays(const ZarrStore& store, const std::string& folder,
                std::vector<std::string>& names) {
  if (has_zarr_array(store, folder)) {
    names.push_back(name_of(folder));
    return;
  }
  if (!folder.empty() && !has_zarr_group(store, folder)) return;
  for (const std::string& name : store.folders_in(folder)) {
    add_arrays(store, folder + name + "/", names);
  }
}

std::vector<std::string> list_arrays(const ZarrStore& store) {
  std::vector<std::string> names;
  add_arrays(store, "", names);
  return names;
}

/// The folder of the array that the input names.
std::string find_folder(const ZarrStore& store, const job::ArrayInput& input) {
  std::string folder = input.dataset.empty() ? "" : input.dataset.substr(1);
  if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  if (has_zarr_array(store, folder)) return folder;
  const std::vector<std::string> names = list_arrays(store);
  return fmt::format("{}/", std::string_view(names[find_array(input, names)]).substr(1));
}

/// What the coordinates of the array are beside: the folder above, if the input names the array's.
job::ArrayInput place_of(const job::ArrayInput& input, const std::string& folder) {
  std::filesystem::path path = input.path;
  if (!folder.empty() || !std::filesystem::is_directory(path)) return input;
  if (!path.has_filename()) path = path.parent_path();
  return {.path = path.has_parent_path() ? path.parent_path().string() : "."};
}

/// The folder of the group above: "a/" of "a/b/", "" of "a/".
std::string group_above(const std::string& folder) {
  const std::size_t slash = folder.substr(0, folder.size() - 1).rfind('/');
  return slash == folder.npos ? "" : folder.substr(0, slash + 1);
}

/// With coordinates of the array's group, or of the nearest group above that has them.
std::vector<Dimension> dimensions_of(const ZarrStore& store, const std::string& folder,
                                     const job::ArrayInput& input,
                                     const std::vector<std::string>& names) {
  const job::ArrayInput place = place_of(input, folder);
  std::vector<Dimension> dimensions = dimensions_named(names);
  for (Dimension& dimension : dimensions) {
    if (dimension.name.empty()) continue;
    std::string group = folder.empty() ? "" : group_above(folder);
    while (!group.empty() && !has_zarr_array(store, group + dimension.name + "/")) {
      group = group_above(group);
    }
    dimension.coordinates = {beside(place, group + dimension.name, dimension.name)};
  }
  return dimensions;
}

}  // namespace

bool is_zarr_folder(const PathHead& head) {
  return head.has("zarr.json") || head.has(".zarray") || head.has(".zgroup") ||
         head.has(".zmetadata");
}

bool is_zarr_archive(const std::string& path) {
  const ZipArchive archive(path);
  return std::ranges::any_of(archive.members(), [](const ZipMember& member) {
    const std::string& name = member.name;
    return name.ends_with("zarr.json") || name.ends_with(".zarray") || name.ends_with(".zgroup");
  });
}

std::vector<std::string> list_zarr(const std::string& path) {
  return list_arrays(*open_zarr_store(path));
}

std::unique_ptr<ArraySource> open_zarr(const job::ArrayInput& input, std::int64_t /*piece_bytes*/) {
  auto store = open_zarr_store(input.path);
  const std::string folder = find_folder(*store, input);
  ZarrMetadata metadata = read_zarr_metadata(*store, folder, input.text);
  ArrayInfo info{
      .name = input.text,
      .dataset = name_of(folder),
      .kind = fmt::format("Zarr {}{}", metadata.version, metadata.shards ? ", shards" : ""),
      .type = metadata.type,
      .shape = metadata.shape,
      .is_boolean = metadata.is_boolean};
  if (!input.decoding.raw && !metadata.attributes.list.empty()) {
    info.packed = std::make_shared<const PackedAttributes>(metadata.attributes);
  }
  std::vector<Dimension> dimensions;
  if (metadata.dimensions.size() == metadata.shape.size()) {
    dimensions = dimensions_of(*store, folder, input, metadata.dimensions);
  }
  std::vector<TextAttribute> texts = metadata.texts;
  auto array =
      std::make_unique<ZarrArray>(std::move(store), folder, std::move(info), std::move(metadata));
  array->set_dimensions(std::move(dimensions));
  array->set_texts(std::move(texts));
  return array;
}

}  // namespace tessera::store
