// Version 3: zarr.json (Zarr core specification version 3), with codecs and shards.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "store/zarr/zarr_json.hpp"
#include "store/zarr/zarr_types.hpp"

namespace tessera::store {
namespace {

void set_type3(const Json& data_type, const std::string& name, ZarrMetadata& to) {
  const auto* const found =
      std::ranges::find_if(kZarrTypes, [&](const auto& one) { return data_type == one.name; });
  if (found == kZarrTypes.end()) {
    throw base::usage_error("{}: Zarr: elements of the type {} are not numbers that are read", name,
                            base::printable(data_type.dump()));
  }
  to.type = found->type;
  to.is_boolean = found->is_boolean;
}

/// Members that a reader does not know have to say that it may ignore them.
void check_members(const Json& array, const std::string& name) {
  constexpr std::array<std::string_view, 12> kKnown = {"zarr_format",
                                                       "node_type",
                                                       "shape",
                                                       "data_type",
                                                       "chunk_grid",
                                                       "codecs",
                                                       "fill_value",
                                                       "attributes",
                                                       "dimension_names",
                                                       "chunk_key_encoding",
                                                       "storage_transformers",
                                                       "consolidated_metadata"};
  for (const auto& [key, value] : array.items()) {
    if (std::ranges::find(kKnown, key) != kKnown.end()) continue;
    if (member_of(value, "must_understand") == false) continue;
    throw base::usage_error("{}: Zarr: its member '{}' is not known", name, base::printable(key));
  }
  const Json& transformers = member_of(array, "storage_transformers");
  if (transformers.is_null() || transformers.empty()) return;
  throw base::usage_error("{}: Zarr: storage_transformers {} are not read", name,
                          base::printable(transformers.dump()));
}

/// Drafts of version 3 had "C" and "F".
std::vector<std::size_t> order_of(const Json& settings, std::size_t rank, const std::string& name) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Json& given = member_of(settings, "order");
  if (given == "C") return order;
  if (given == "F") {
    std::ranges::reverse(order);
    return order;
  }
  const job::Shape list = shape_of(given, 0, name, "order");
  std::vector<std::size_t> sorted(list.begin(), list.end());
  std::vector<std::size_t> given_order = sorted;
  std::ranges::sort(sorted);
  if (sorted == order) return given_order;
  throw base::usage_error("{}: Zarr: transpose has the order {}", name,
                          base::printable(given.dump()));
}

/// Reads codecs one after the other.
class Codecs {
 public:
  Codecs(const std::string& name, ZarrMetadata& to) : name_(name), to_(to) {}

  /// Those of the array, or of the inner chunks of its shards.
  void read(const Json& list, bool in_shards) {
    for (const Json& codec : list) {
      const std::string id = json_text(codec.is_object() ? member_of(codec, "name") : codec);
      const Json& settings = member_of(codec, "configuration");
      if (id == "transpose") {
        transpose(settings);
      } else if (id == "bytes" || id == "endian") {
        to_.big_endian = member_of(settings, "endian") == "big";
      } else if (id == "sharding_indexed") {
        if (in_shards || !to_.coding.filters.empty() || is_transposed_) throw unread(id);
        shard(settings);
      } else {
        if (!in_shards && to_.shards) throw unread(id);
        to_.coding.filters.push_back(filter_of(id, settings, base::element_bytes(to_.type), name_));
      }
    }
    check_filters(to_.coding.filters, name_);
  }

 private:
  base::Error unread(const std::string& id) const {
    return base::usage_error("{}: Zarr: the codec '{}' is not read in this place", name_,
                             base::printable(id));
  }
  /// Of several, each has the dimensions that the one before it left.
  void transpose(const Json& settings) {
    if (!to_.coding.filters.empty()) throw unread("transpose");
    is_transposed_ = true;
    const std::vector<std::size_t> before = to_.coding.order;
    const std::vector<std::size_t> order = order_of(settings, before.size(), name_);
    for (std::size_t i = 0; i < order.size(); ++i) to_.coding.order[i] = before[order[i]];
  }
  void shard(const Json& settings) {
    ZarrShards shards{.shape = to_.chunk};
    to_.chunk = shape_of(member_of(settings, "chunk_shape"), 1, name_, "chunk_shape");
    bool fits = to_.chunk.size() == shards.shape.size();
    for (std::size_t d = 0; fits && d < to_.chunk.size(); ++d) {
      fits = shards.shape[d] % to_.chunk[d] == 0;
    }
    if (!fits) {
      throw base::usage_error("{}: Zarr: shards of {} with chunks of {}", name_,
                              job::format_shape(shards.shape), job::format_shape(to_.chunk));
    }
    shards.index_at_start = member_of(settings, "index_location") == "start";
    for (const Json& codec : member_of(settings, "index_codecs")) {
      const std::string id = json_text(member_of(codec, "name"));
      if (id == "crc32c") shards.index_has_checksum = true;
      const bool is_big = member_of(member_of(codec, "configuration"), "endian") == "big";
      if ((id != "bytes" && id != "crc32c") || is_big) throw unread(id);
    }
    to_.shards = std::move(shards);
    read(member_of(settings, "codecs"), true);
  }

  const std::string& name_;
  ZarrMetadata& to_;
  bool is_transposed_ = false;
};

void set_keys(const Json& encoding, const std::string& name, ZarrMetadata& to) {
  const std::string id = json_text(member_of(encoding, "name"));
  const bool is_v2 = id == "v2";
  if (!is_v2 && id != "default") {
    throw base::usage_error("{}: Zarr: the chunk_key_encoding '{}' is not read", name,
                            base::printable(id));
  }
  const Json& separator = member_of(member_of(encoding, "configuration"), "separator");
  to.separator = separator == "." || (is_v2 && separator.is_null()) ? '.' : '/';
  if (!is_v2) to.key_prefix = fmt::format("c{}", to.separator);
}

}  // namespace

void read_zarr3(const Json& array, const std::string& name, ZarrMetadata& to) {
  to.version = 3;
  check_members(array, name);
  to.shape = shape_of(member_of(array, "shape"), 0, name, "shape");
  set_type3(member_of(array, "data_type"), name, to);
  const Json& grid = member_of(array, "chunk_grid");
  if (member_of(grid, "name") != "regular") {
    throw base::usage_error("{}: Zarr: the chunk_grid {} is not read", name,
                            base::printable(grid.dump()));
  }
  to.chunk =
      shape_of(member_of(member_of(grid, "configuration"), "chunk_shape"), 1, name, "chunk_shape");
  to.coding.order.resize(to.shape.size());
  std::iota(to.coding.order.begin(), to.coding.order.end(), std::size_t{0});
  set_keys(member_of(array, "chunk_key_encoding"), name, to);
  Codecs(name, to).read(member_of(array, "codecs"), false);
  to.fill = fill_of(member_of(array, "fill_value"), to, name);
  to.attributes = packed_of(member_of(array, "attributes"), to);
  to.attributes.of_bools = to.is_boolean;
  to.texts = texts_of(member_of(array, "attributes"));
  const Json& dimensions = member_of(array, "dimension_names");
  if (!dimensions.is_array()) return;
  for (const Json& dimension : dimensions) {
    to.dimensions.push_back(dimension.is_null() ? "" : json_text(dimension));
  }
}

}  // namespace tessera::store
