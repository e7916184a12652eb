#include "store/hdf5/read_shown_attributes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/error.hpp"
#include "store/hdf5/attributes.hpp"
#include "store/hdf5/dataset.hpp"
#include "store/hdf5/element_type.hpp"

namespace tessera::store {

namespace {

using AttributeKind = ShownAttribute::Kind;

/// An attribute that is being read.
struct OpenAttribute {
  const CheckedCall& h5;
  Handle attribute;
  Handle type;  ///< in the file
  std::size_t count = 0;

  std::size_t type_bytes() const { return H5Tget_size(type.id()); }
  void read(hid_t as, void* to) const { h5("H5Aread", H5Aread, attribute.id(), as, to); }
  /// The stored bytes of all values.
  std::vector<char> bytes() const {
    std::vector<char> bytes(count * type_bytes());
    if (!bytes.empty()) read(type.id(), bytes.data());
    return bytes;
  }
};

template <class Number>
std::vector<std::string> numbers_of(const OpenAttribute& from, hid_t as) {
  std::vector<Number> numbers(from.count);
  if (!numbers.empty()) from.read(as, numbers.data());
  std::vector<std::string> texts;
  for (const Number number : numbers) texts.push_back(fmt::format("{}", number));
  return texts;
}

std::vector<std::string> integers_of(const OpenAttribute& from) {
  const bool is_signed = from.h5("H5Tget_sign", H5Tget_sign, from.type.id()) != H5T_SGN_NONE;
  return is_signed ? numbers_of<std::int64_t>(from, H5T_NATIVE_INT64)
                   : numbers_of<std::uint64_t>(from, H5T_NATIVE_UINT64);
}

std::vector<std::string> floats_of(const OpenAttribute& from) {
  return from.type_bytes() <= sizeof(float) ? numbers_of<float>(from, H5T_NATIVE_FLOAT)
                                            : numbers_of<double>(from, H5T_NATIVE_DOUBLE);
}

std::vector<std::string> variable_texts_of(const OpenAttribute& from) {
  std::vector<char*> texts(from.count, nullptr);
  if (texts.empty()) return {};
  from.read(from.type.id(), static_cast<void*>(texts.data()));
  std::vector<std::string> copies;
  for (char* const text : texts) {
    copies.emplace_back(text == nullptr ? "" : text);
    H5free_memory(text);
  }
  return copies;
}

std::vector<std::string> fixed_texts_of(const OpenAttribute& from) {
  const std::vector<char> bytes = from.bytes();
  const bool has_blanks =
      from.h5("H5Tget_strpad", H5Tget_strpad, from.type.id()) == H5T_STR_SPACEPAD;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < from.count; ++i) {
    std::string text(bytes.data() + i * from.type_bytes(), from.type_bytes());
    text.resize(std::min(text.find('\0'), text.size()));
    if (has_blanks) text.resize(text.find_last_not_of(' ') + 1);
    texts.push_back(std::move(text));
  }
  return texts;
}

/// Names of an enumeration, or the numbers that it has no name for.
std::vector<std::string> enumerated_of(const OpenAttribute& from) {
  const std::vector<char> bytes = from.bytes();
  std::vector<std::string> numbers;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < from.count; ++i) {
    char name[256] = "";
    const std::scoped_lock lock(hdf5_mutex());
    tame_hdf5();
    std::vector<char> value(bytes.data() + i * from.type_bytes(),
                            bytes.data() + (i + 1) * from.type_bytes());
    if (H5Tenum_nameof(from.type.id(), value.data(), name, sizeof name) >= 0) {
      names.emplace_back(name);
      continue;
    }
    const Handle number(from.h5("H5Tget_super", H5Tget_super, from.type.id()));
    value.resize(std::max(value.size(), sizeof(std::int64_t)));
    from.h5("H5Tconvert", H5Tconvert, number.id(), H5T_NATIVE_INT64, std::size_t{1},
            static_cast<void*>(value.data()), nullptr, H5P_DEFAULT);
    std::int64_t native = 0;
    std::memcpy(&native, value.data(), sizeof native);
    names.push_back(fmt::format("{}", native));
  }
  return names;
}

/// The paths of the objects that references lead to.
std::vector<std::string> targets_of(const OpenAttribute& from) {
  const bool is_region = from.h5("H5Tequal", H5Tequal, from.type.id(), H5T_STD_REF_DSETREG) > 0;
  const bool is_object = from.h5("H5Tequal", H5Tequal, from.type.id(), H5T_STD_REF_OBJ) > 0;
  if (!is_region && !is_object) return {"references"};
  const std::vector<char> bytes = from.bytes();
  std::vector<std::string> targets;
  for (std::size_t i = 0; i < from.count; ++i) {
    const std::scoped_lock lock(hdf5_mutex());
    tame_hdf5();
    char name[1024] = "";
    const ssize_t length = H5Rget_name(
        from.attribute.id(), is_region ? H5R_DATASET_REGION : H5R_OBJECT,
        static_cast<const void*>(bytes.data() + i * from.type_bytes()), name, sizeof name);
    const std::string target = length > 0 ? name : "nothing";
    targets.push_back((is_region ? "region of " : "reference to ") + target);
  }
  return targets;
}

bool is_true_or_false(const std::vector<std::string>& names) {
  return std::ranges::all_of(
      names, [](const std::string& name) { return name == "TRUE" || name == "FALSE"; });
}

void read_values(const OpenAttribute& from, ShownAttribute& to) {
  switch (from.h5("H5Tget_class", H5Tget_class, from.type.id())) {
    case H5T_INTEGER:
      if (from.type_bytes() > sizeof(std::int64_t)) break;
      to.kind = AttributeKind::number;
      to.values = integers_of(from);
      return;
    case H5T_FLOAT:
      to.kind = AttributeKind::number;
      to.values = floats_of(from);
      return;
    case H5T_STRING:
      to.kind = AttributeKind::text;
      to.values = from.h5("H5Tis_variable_str", H5Tis_variable_str, from.type.id()) > 0
                      ? variable_texts_of(from)
                      : fixed_texts_of(from);
      return;
    case H5T_ENUM:
      to.values = enumerated_of(from);
      to.kind = is_true_or_false(to.values) ? AttributeKind::boolean : AttributeKind::text;
      for (std::string& value : to.values) {
        if (to.kind == AttributeKind::boolean) value = value == "TRUE" ? "true" : "false";
      }
      return;
    case H5T_BITFIELD:
      if (from.type_bytes() > sizeof(std::uint64_t)) break;
      to.kind = AttributeKind::number;
      to.values = numbers_of<std::uint64_t>(from, H5T_NATIVE_B64);
      return;
    case H5T_REFERENCE:
      to.values = targets_of(from);
      return;
    default:
      break;
  }
  to.shape = {};
  to.values = {content_name(from.h5, from.type)};
}

ShownAttribute read_shown(const CheckedCall& h5, const Handle& object, const std::string& name) {
  ShownAttribute shown{.name = name};
  OpenAttribute from{
      .h5 = h5,
      .attribute = Handle(h5("H5Aopen", H5Aopen, object.id(), name.c_str(), H5P_DEFAULT))};
  from.type = Handle(h5("H5Aget_type", H5Aget_type, from.attribute.id()));
  const Handle space(h5("H5Aget_space", H5Aget_space, from.attribute.id()));
  if (h5("H5Sget_simple_extent_type", H5Sget_simple_extent_type, space.id()) == H5S_NULL) {
    shown.is_empty = true;
    return shown;
  }
  std::vector<hsize_t> sides(static_cast<std::size_t>(
      h5("H5Sget_simple_extent_ndims", H5Sget_simple_extent_ndims, space.id())));
  h5("H5Sget_simple_extent_dims", H5Sget_simple_extent_dims, space.id(), sides.data(), nullptr);
  shown.shape.assign(sides.begin(), sides.end());
  from.count = static_cast<std::size_t>(
      h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id()));
  read_values(from, shown);
  return shown;
}

}  // namespace

std::vector<ShownAttribute> read_shown_attributes(const CheckedCall& h5, const Handle& object) {
  std::vector<ShownAttribute> all;
  for (const std::string& name : attribute_names(h5, object)) {
    try {
      all.push_back(read_shown(h5, object, name));
    } catch (const base::Error& error) {
      all.push_back({.name = name, .values = {std::string("cannot be read: ") + error.what()}});
    }
  }
  return all;
}

}  // namespace tessera::store
