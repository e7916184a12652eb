// Version 2: .zarray and .zattrs (Zarr storage specification version 2).
#include <algorithm>
#include <numeric>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "store/zarr/zarr_json.hpp"

namespace tessera::store {
namespace {

/// "<f4", ">i2", "|b1".
void set_type2(const Json& dtype, const std::string& name, ZarrMetadata& to) {
  const std::string text = dtype.is_string() ? dtype.get<std::string>() : "";
  const std::string code = text.size() > 1 ? text.substr(1) : "";
  to.is_boolean = code == "b1";
  const auto type = to.is_boolean ? base::ElementType::u8 : base::find_element(code);
  if (!type || std::string_view("<>|").find(text[0]) == std::string_view::npos) {
    throw base::usage_error("{}: Zarr: elements of the type {} are not numbers that are read", name,
                            base::printable(dtype.dump()));
  }
  to.type = *type;
  to.big_endian = text[0] == '>';
}

void add_codec(const Json& codec, const std::string& name, ZarrMetadata& to) {
  if (codec.is_null()) return;
  const std::string id = json_text(member_of(codec, "id"));
  to.coding.filters.push_back(filter_of(id, codec, base::element_bytes(to.type), name));
}

}  // namespace

void read_zarr2(const Json& array, const Json& attributes, const std::string& name,
                ZarrMetadata& to) {
  to.version = 2;
  to.shape = shape_of(member_of(array, "shape"), 0, name, "shape");
  to.chunk = shape_of(member_of(array, "chunks"), 1, name, "chunks");
  set_type2(member_of(array, "dtype"), name, to);
  to.coding.order.resize(to.shape.size());
  std::iota(to.coding.order.begin(), to.coding.order.end(), std::size_t{0});
  if (member_of(array, "order") == "F") std::ranges::reverse(to.coding.order);
  const Json& filters = member_of(array, "filters");
  if (filters.is_array()) {
    for (const Json& filter : filters) add_codec(filter, name, to);
  }
  add_codec(member_of(array, "compressor"), name, to);
  check_filters(to.coding.filters, name);
  const Json& separator = member_of(array, "dimension_separator");
  to.separator = separator == "/" ? '/' : '.';
  const Json& fill = member_of(array, "fill_value");
  to.fill = fill_of(fill, to, name);
  to.attributes = packed_of(attributes, to);
  to.attributes.of_bools = to.is_boolean;
  to.texts = texts_of(attributes);
  const Json& dimensions = member_of(attributes, "_ARRAY_DIMENSIONS");
  if (!dimensions.is_array()) return;
  for (const Json& dimension : dimensions) to.dimensions.push_back(json_text(dimension));
  // xarray writes the value of missing elements there and nowhere else.
  if (!fill.is_null() && to.attributes.find("_FillValue") == nullptr) {
    to.attributes.list.push_back(packed_attribute("_FillValue", fill, to));
  }
}

}  // namespace tessera::store
