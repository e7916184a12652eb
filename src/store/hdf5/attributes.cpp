#include "store/hdf5/attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/read_number.hpp"

namespace tessera::store {

namespace {

using Type = Attribute::Type;

Handle text_type(const CheckedCall& h5, std::size_t bytes, H5T_cset_t characters) {
  Handle type(h5("H5Tcopy", H5Tcopy, H5T_C_S1));
  h5("H5Tset_size", H5Tset_size, type.id(), bytes);
  h5("H5Tset_cset", H5Tset_cset, type.id(), characters);
  return type;
}

/// An integer that only u64 holds.
bool is_beyond_i64(const std::string& integer) {
  return integer.size() >= std::string_view("9223372036854775808").size() &&
         !integer.starts_with('-') &&
         std::stoull(integer) > std::uint64_t{std::numeric_limits<std::int64_t>::max()};
}

Handle type_in_file(const CheckedCall& h5, const Attribute& attribute, TextLayout layout) {
  if (attribute.type == Type::integer) {
    return Handle(
        h5("H5Tcopy", H5Tcopy, is_beyond_i64(attribute.text) ? H5T_STD_U64LE : H5T_STD_I64LE));
  }
  if (attribute.type == Type::real) return Handle(h5("H5Tcopy", H5Tcopy, H5T_IEEE_F64LE));
  const std::size_t with_its_zero = attribute.text.size() + 1;
  return text_type(h5, layout == TextLayout::fixed ? with_its_zero : H5T_VARIABLE, H5T_CSET_UTF8);
}

void write(const CheckedCall& h5, const Handle& to, const Handle& type, const Attribute& attribute,
           TextLayout layout) {
  const auto put = [&](hid_t memory, const void* value) {
    h5("H5Awrite", H5Awrite, to.id(), memory, value);
  };
  if (attribute.type == Type::integer && is_beyond_i64(attribute.text)) {
    const std::uint64_t value = std::stoull(attribute.text);
    return put(H5T_NATIVE_UINT64, &value);
  }
  if (attribute.type == Type::integer) {
    const std::int64_t value = base::read_integer(attribute.text).value();
    return put(H5T_NATIVE_INT64, &value);
  }
  if (attribute.type == Type::real) {
    const double value = base::read_real(attribute.text).value();
    return put(H5T_NATIVE_DOUBLE, &value);
  }
  const char* const text = attribute.text.c_str();
  if (layout == TextLayout::fixed) return put(type.id(), text);
  put(type.id(), static_cast<const void*>(&text));
}

template <class Number>
std::string read_number(const CheckedCall& h5, const Handle& from, hid_t type) {
  Number value{};
  h5("H5Aread", H5Aread, from.id(), type, &value);
  return fmt::format("{}", value);
}

std::string read_integer(const CheckedCall& h5, const Handle& from, const Handle& in_file) {
  return h5("H5Tget_sign", H5Tget_sign, in_file.id()) == H5T_SGN_NONE
             ? read_number<std::uint64_t>(h5, from, H5T_NATIVE_UINT64)
             : read_number<std::int64_t>(h5, from, H5T_NATIVE_INT64);
}

std::string read_fixed_text(const CheckedCall& h5, const Handle& from, const Handle& type) {
  std::string text(H5Tget_size(type.id()), '\0');
  h5("H5Aread", H5Aread, from.id(), type.id(), text.data());
  text.resize(std::min(text.find('\0'), text.size()));
  return text;
}

/// HDF5 does not convert ASCII, as h5py writes Python's bytes, to UTF-8.
std::string read_variable_text(const CheckedCall& h5, const Handle& from, const Handle& in_file) {
  const Handle type = text_type(h5, H5T_VARIABLE, h5("H5Tget_cset", H5Tget_cset, in_file.id()));
  char* text = nullptr;
  h5("H5Aread", H5Aread, from.id(), type.id(), static_cast<void*>(&text));
  std::string copy = text == nullptr ? "" : text;
  H5free_memory(text);
  return copy;
}

base::Error unreadable_attribute(const std::string& name, const base::Error& error) {
  return {error.code(), fmt::format("{}; the attribute '{}' is damaged, or of an unknown kind",
                                    error.what(), name)};
}

/// Nothing for an attribute of another type.
std::optional<Attribute> read(const CheckedCall& h5, const Handle& from, const std::string& name) {
  const Handle type(h5("H5Aget_type", H5Aget_type, from.id()));
  const Handle space(h5("H5Aget_space", H5Aget_space, from.id()));
  if (h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id()) != 1) {
    return std::nullopt;
  }
  switch (h5("H5Tget_class", H5Tget_class, type.id())) {
    case H5T_STRING:
      return Attribute{name, h5("H5Tis_variable_str", H5Tis_variable_str, type.id()) > 0
                                 ? read_variable_text(h5, from, type)
                                 : read_fixed_text(h5, from, type)};
    case H5T_INTEGER:
      return Attribute{name, read_integer(h5, from, type), Type::integer};
    case H5T_FLOAT:
      return Attribute{name, read_number<double>(h5, from, H5T_NATIVE_DOUBLE), Type::real};
    default:
      return std::nullopt;
  }
}

herr_t take_name(hid_t, const char* name, const H5A_info_t*, void* names) noexcept {
  static_cast<std::vector<std::string>*>(names)->emplace_back(name);
  return 0;
}

}  // namespace

void set_attribute(const CheckedCall& h5, const Handle& file, const Attribute& attribute,
                   TextLayout layout) {
  const char* key = attribute.name.c_str();
  if (h5("H5Aexists", H5Aexists, file.id(), key) > 0) {
    h5("H5Adelete", H5Adelete, file.id(), key);
  }
  const Handle type = type_in_file(h5, attribute, layout);
  const Handle space(h5("H5Screate", H5Screate, H5S_SCALAR));
  const Handle created(h5("H5Acreate2", H5Acreate2, file.id(), key, type.id(), space.id(),
                          H5P_DEFAULT, H5P_DEFAULT));
  write(h5, created, type, attribute, layout);
}

std::vector<std::string> attribute_names(const CheckedCall& h5, const Handle& file) {
  const Handle root(h5("H5Gopen2", H5Gopen2, file.id(), "/", H5P_DEFAULT));
  const Handle plist(h5("H5Gget_create_plist", H5Gget_create_plist, root.id()));
  unsigned order = 0;
  h5("H5Pget_attr_creation_order", H5Pget_attr_creation_order, plist.id(), &order);
  const bool tracked = (order & H5P_CRT_ORDER_TRACKED) != 0;
  std::vector<std::string> names;
  h5("H5Aiterate2", H5Aiterate2, file.id(), tracked ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME,
     H5_ITER_INC, nullptr, take_name, &names);
  return names;
}

Attributes read_attributes(const CheckedCall& h5, const Handle& file) {
  Attributes attributes;
  for (const std::string& name : attribute_names(h5, file)) {
    const Handle attribute(h5("H5Aopen", H5Aopen, file.id(), name.c_str(), H5P_DEFAULT));
    try {
      if (auto found = read(h5, attribute, name)) attributes.push_back(std::move(*found));
    } catch (const base::Error& error) {
      throw unreadable_attribute(name, error);
    }
  }
  return attributes;
}

std::string find_attribute(const Attributes& attributes, const std::string& name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  return found == attributes.end() ? "" : found->text;
}

bool is_image(const CheckedCall& h5, const Handle& file) noexcept {
  try {
    if (h5("H5Aexists", H5Aexists, file.id(), kFormatKey) == 0) return false;
    const Handle attribute(h5("H5Aopen", H5Aopen, file.id(), kFormatKey, H5P_DEFAULT));
    const auto format = read(h5, attribute, kFormatKey);
    return format && format->text == kFormatName;
  } catch (const base::Error&) {
    return false;
  }
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace tessera::store
