#include "store/zarr/zarr_writing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/checksum.hpp"
#include "base/error.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "codec/blosc_head.hpp"
#include "store/arrays/fitting_scale.hpp"
#include "store/zarr/zarr_layout.hpp"
#include "store/zarr/zarr_types.hpp"

namespace tessera::store {
namespace {

using Document = nlohmann::ordered_json;

constexpr const char* kZarrDocument = "zarr.json";

/// The names of nodes that the specification leaves out, and those of keys.
bool is_node_name(const std::string& name) {
  const auto dots = static_cast<std::size_t>(std::ranges::count(name, '.'));
  return !name.empty() && dots < name.size() && name != kZarrDocument && !name.starts_with("__") &&
         name.find('\0') == name.npos;
}

void check_name(const std::string& name) {
  const std::vector<std::string> parts = base::split(name, '/');
  if (!name.empty() && std::ranges::all_of(parts, is_node_name)) return;
  throw base::usage_error("'{}' cannot be the name of an array of Zarr; give another one",
                          base::printable(name));
}

void write_document(const std::string& folder, const Document& document) {
  const std::string text =
      document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  base::PosixFile file(folder + "/" + kZarrDocument);
  file.write(std::as_bytes(std::span(text)));
  file.sync();
  file.close();
}

Document value_of(const Attribute& attribute) {
  if (attribute.type == Attribute::Type::text) return attribute.text;
  // Infinities and NaN are no numbers of JSON.
  const Document number = Document::parse(attribute.text, nullptr, false);
  return number.is_number() ? number : Document(attribute.text);
}

Document group_document(const Attributes& attributes) {
  Document values = Document::object();
  for (const Attribute& attribute : attributes) values[attribute.name] = value_of(attribute);
  return {{"zarr_format", 3}, {"node_type", "group"}, {"attributes", values}};
}

Document little_endian_bytes(base::ElementType type) {
  Document codec = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
  if (base::element_bytes(type) == 1) codec.erase("configuration");
  return codec;
}

/// Those of the inner chunks.
Document chunk_codecs(const WrittenArray& array) {
  constexpr int kLevelOfBlosc = 3;  // for each of --compress
  Document codecs = Document::array({little_endian_bytes(array.type)});
  if (array.chunk.empty() || array.compress == 0) return codecs;
  const std::size_t bytes = base::element_bytes(array.type);
  const Document settings = {{"typesize", bytes},
                             {"cname", "zlib"},
                             {"clevel", kLevelOfBlosc * array.compress},
                             {"shuffle", bytes > 1 ? "shuffle" : "noshuffle"},
                             {"blocksize", 0}};
  codecs.push_back(Document::object({{"name", "blosc"}, {"configuration", settings}}));
  return codecs;
}

Document codecs_of(const WrittenArray& array, const ZarrLayout& layout) {
  if (array.shape.empty()) return chunk_codecs(array);
  Document index_codecs = Document::array({little_endian_bytes(base::ElementType::u64)});
  index_codecs.push_back(Document::object({{"name", "crc32c"}}));
  const Document settings = {{"chunk_shape", layout.chunk},
                             {"codecs", chunk_codecs(array)},
                             {"index_codecs", index_codecs},
                             {"index_location", "end"}};
  const Document sharding = {{"name", "sharding_indexed"}, {"configuration", settings}};
  return Document::array({sharding});
}

/// `names`: of the dimensions.
Document array_document(const WrittenArray& array, const Document& names,
                        const Document& attributes) {
  const ZarrLayout layout(array);
  Document document = {
      {"zarr_format", 3},
      {"node_type", "array"},
      {"shape", array.shape},
      {"data_type", zarr_type_name(array.type, array.is_boolean)},
      {"chunk_grid", {{"name", "regular"}, {"configuration", {{"chunk_shape", layout.shard()}}}}},
      {"chunk_key_encoding", {{"name", "default"}, {"configuration", {{"separator", "/"}}}}},
      {"fill_value", 0},
      {"codecs", codecs_of(array, layout)},
      {"attributes", attributes}};
  if (array.is_boolean) document["fill_value"] = false;
  if (base::is_floating(array.type)) document["fill_value"] = 0.0;
  document["dimension_names"] = names;
  return document;
}

/// Writes the index of an array whose elements come later, to where they all are: its shard has its
/// whole size then.
void write_elements_index(const std::string& path, const WrittenArray& array) {
  base::PosixFile file(path);
  if (array.shape.empty()) return file.cut(base::element_bytes(array.type));
  const ZarrLayout layout(array);
  const std::uint64_t bytes = static_cast<std::uint64_t>(plan::element_count(layout.chunk)) *
                              base::element_bytes(array.type);
  std::vector<ZarrEntry> entries(static_cast<std::size_t>(plan::element_count(layout.shard_grid)));
  for (std::size_t i = 0; i < entries.size(); ++i) entries[i] = {i * bytes, bytes};
  file.write_at(entries.size() * bytes, zarr_index(entries));
  file.sync();
}

/// Nodes of one folder, each once.
class ZarrGroup {
 public:
  ZarrGroup(const std::string& folder, const std::vector<WrittenArray>& arrays)
      : folder_(folder), arrays_(arrays) {
    for_each_coordinate(arrays, [this](const auto& scale, std::size_t d) { find(scale, d); });
  }

  void add(const WrittenArray& array) {
    check_name(array.name);
    add_groups_above(array.name);
    Document names = Document::array();
    for (std::size_t d = 0; d < array.shape.size(); ++d) {
      const WrittenScale unnamed{.name = fmt::format("dim_{}", d), .length = array.shape[d]};
      const auto scale =
          array.scales.empty() ? std::make_shared<const WrittenScale>(unnamed) : array.scales[d];
      names.push_back(is_own_scale(array) ? array.name : find(scale, d)->name);
    }
    add_array(array, names, Document::object());
    if (!array.edges.empty()) add_edges(array);
  }

  /// The document of the folder itself. It has those of all nodes too, as zarr-python's
  /// consolidated metadata: who opens it over a network need not ask for each.
  void end(const Attributes& attributes) {
    Document document = group_document(attributes);
    document["consolidated_metadata"] = {
        {"kind", "inline"}, {"must_understand", false}, {"metadata", nodes_}};
    write_document(folder_, document);
  }

 private:
  std::string path_of(const std::string& name) const { return folder_ + "/" + name; }

  void add_groups_above(const std::string& name) {
    for (auto end = name.find('/'); end != name.npos; end = name.find('/', end + 1)) {
      const std::string group = name.substr(0, end);
      if (!nodes_.contains(group)) add_node(group, group_document({}));
    }
  }

  void add_node(const std::string& name, const Document& document) {
    nodes_[name] = document;
    write_document(path_of(name), document);
  }

  void add_array(const WrittenArray& array, const Document& names, const Document& attributes) {
    add_node(array.name, array_document(array, names, attributes));
    const std::string file = zarr_element_file(folder_, array);
    if (!file.empty()) write_elements_index(file, array);
  }

  void add_values(const WrittenArray& array, std::span<const std::byte> values,
                  const Document& names, const Document& attributes) {
    if (nodes_.contains(array.name)) return;
    add_array(array, names, attributes);
    base::PosixFile file(zarr_element_file(folder_, array), base::PosixFile::Start::as_it_is);
    file.write_at(0, values);
    file.sync();
  }

  void add_edges(const WrittenArray& array) {
    const WrittenArray edges{.name = array.name + "_edges", .shape = {std::ssize(array.edges)}};
    add_values(edges, std::as_bytes(std::span(array.edges)), Document::array({edges.name}),
               Document::object());
  }

  /// What the dimension gets. Also writes the coordinates. xarray opens no group with a dimension
  /// that has no name, or with two of one name and of other lengths.
  std::shared_ptr<const WrittenScale> find(const std::shared_ptr<const WrittenScale>& scale,
                                           std::size_t d) {
    auto found = fitting_scale(scale, d, [this](const auto& fitting) { return fits(fitting); });
    if (found->values.empty() || !is_node_name(found->name)) return found;
    Document attributes = Document::object();
    for (const auto& [key, text] : found->texts) attributes[key] = text;
    add_values({.name = found->name, .type = found->type, .shape = {found->length}}, found->values,
               Document::array({found->name}), attributes);
    return found;
  }

  bool fits(const std::shared_ptr<const WrittenScale>& scale) {
    if (is_taken(scale->name, arrays_)) return false;
    const auto [known, is_new] = scales_.try_emplace(scale->name, scale);
    const WrittenScale& there = *known->second;
    if (is_new || there.length != scale->length) return is_new;
    if (scale->values.empty()) return serves_by_name(*scale, !there.values.empty());
    return there.type == scale->type && there.values == scale->values &&
           there.texts == scale->texts;
  }

  const std::string& folder_;
  const std::vector<WrittenArray>& arrays_;
  std::map<std::string, Document> nodes_;
  std::map<std::string, std::shared_ptr<const WrittenScale>> scales_;  ///< by their names
};

void check_chunks(const WrittenArray& array) {
  if (array.chunk.empty() || array.compress == 0) return;
  const auto bytes =
      static_cast<std::size_t>(plan::element_count(array.chunk)) * base::element_bytes(array.type);
  if (bytes <= codec::kMaxBloscBlockBytes) return;
  throw base::usage_error("--chunk: a compressed chunk of Zarr has {} at most",
                          base::format_bytes(static_cast<double>(codec::kMaxBloscBlockBytes)));
}

}  // namespace

std::vector<std::uint64_t> create_zarr_arrays(const std::string& folder,
                                              const std::vector<WrittenArray>& arrays,
                                              const Attributes& attributes) {
  std::ranges::for_each(arrays, check_chunks);
  ZarrGroup group(folder, arrays);
  for (const WrittenArray& array : arrays) group.add(array);
  group.end(attributes);
  return std::vector<std::uint64_t>(arrays.size());
}

std::string zarr_element_file(const std::string& folder, const WrittenArray& array) {
  if (!array.chunk.empty() || bytes_each(array, 0) == 0) return "";
  return folder + "/" + array.name + "/" + zarr_shard_key(plan::Shape(array.shape.size()));
}

std::uint32_t checksum_zarr_head(const std::string& folder,
                                 const std::vector<WrittenArray>& arrays) {
  std::string heads = base::contents_of(folder + "/" + kZarrDocument);
  std::uint32_t checksum = 0;
  for (const WrittenArray& array : arrays) {
    heads += base::contents_of(folder + "/" + array.name + "/" + kZarrDocument);
    const std::string path = zarr_element_file(folder, array);
    if (path.empty()) continue;
    const base::InputFile file(path);
    const std::uint64_t elements = bytes_each(array, 0);
    if (file.size_bytes() < elements) throw base::run_error("{}: is cut off", path);
    std::vector<std::byte> behind(file.size_bytes() - elements);
    file.read_at(elements, behind);
    checksum = base::crc32c(behind, checksum);
  }
  return base::crc32c(std::as_bytes(std::span(heads)), checksum);
}

}  // namespace tessera::store
