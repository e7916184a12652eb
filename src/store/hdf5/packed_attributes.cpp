#include "store/hdf5/packed_attributes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera::store {
namespace {

using base::ElementType;
using Kind = PackedAttribute::Kind;

/// More are no list of missing values, and would be read for nothing.
constexpr hssize_t kMaxNumbers = 1024;

std::optional<ElementType> number_type(const CheckedCall& h5, const Handle& type) {
  const H5T_class_t type_class = H5Tget_class(type.id());
  if (type_class != H5T_FLOAT && type_class != H5T_INTEGER) return std::nullopt;
  const bool is_float = type_class == H5T_FLOAT;
  const bool is_signed = !is_float && h5("H5Tget_sign", H5Tget_sign, type.id()) != H5T_SGN_NONE;
  return base::find_element(fmt::format("{}{}",
                                        is_float    ? 'f'
                                        : is_signed ? 'i'
                                                    : 'u',
                                        H5Tget_size(type.id())));
}

template <class T>
std::vector<long double> read_numbers(const CheckedCall& h5, const Handle& from, hid_t type,
                                      hssize_t count) {
  std::vector<T> numbers(static_cast<std::size_t>(count));
  h5("H5Aread", H5Aread, from.id(), type, static_cast<void*>(numbers.data()));
  return {numbers.begin(), numbers.end()};
}

std::string read_text(const CheckedCall& h5, const Handle& from, const Handle& type) {
  if (h5("H5Tis_variable_str", H5Tis_variable_str, type.id()) > 0) {
    char* text = nullptr;
    h5("H5Aread", H5Aread, from.id(), type.id(), static_cast<void*>(&text));
    std::string copy = text == nullptr ? "" : text;
    H5free_memory(text);
    return copy;
  }
  std::string text(H5Tget_size(type.id()), '\0');
  h5("H5Aread", H5Aread, from.id(), type.id(), static_cast<void*>(text.data()));
  text.resize(std::min(text.find('\0'), text.size()));
  // As programs in Fortran write it.
  if (H5Tget_strpad(type.id()) == H5T_STR_SPACEPAD) text.resize(text.find_last_not_of(' ') + 1);
  return text;
}

PackedAttribute read(const CheckedCall& h5, const Handle& dataset, const std::string& name) {
  PackedAttribute attribute{.name = name};
  const Handle from(h5("H5Aopen", H5Aopen, dataset.id(), name.c_str(), H5P_DEFAULT));
  const Handle type(h5("H5Aget_type", H5Aget_type, from.id()));
  const Handle space(h5("H5Aget_space", H5Aget_space, from.id()));
  const hssize_t count =
      h5("H5Sget_simple_extent_npoints", H5Sget_simple_extent_npoints, space.id());
  if (H5Tget_class(type.id()) == H5T_STRING) {
    attribute.kind = Kind::text;
    if (count == 1) attribute.text = read_text(h5, from, type);
    return attribute;
  }
  const auto of_numbers = number_type(h5, type);
  if (!of_numbers || count > kMaxNumbers) return attribute;
  attribute.kind = Kind::numbers;
  attribute.type = *of_numbers;
  if (count == 0) return attribute;
  if (base::is_floating(*of_numbers)) {
    attribute.numbers = read_numbers<double>(h5, from, H5T_NATIVE_DOUBLE, count);
  } else if (*of_numbers <= ElementType::i64) {
    attribute.numbers = read_numbers<std::int64_t>(h5, from, H5T_NATIVE_INT64, count);
  } else {
    attribute.numbers = read_numbers<std::uint64_t>(h5, from, H5T_NATIVE_UINT64, count);
  }
  return attribute;
}

}  // namespace

std::shared_ptr<const PackedAttributes> read_packed_attributes(const Hdf5Dataset& data) {
  PackedAttributes found{.list = {}, .of_bools = data.info.is_boolean};
  for (const std::string_view known : kPackedNames) {
    const std::string name(known);
    if (data.h5("H5Aexists", H5Aexists, data.dataset.id(), name.c_str()) <= 0) continue;
    found.list.push_back(read(data.h5, data.dataset, name));
  }
  if (found.list.empty()) return nullptr;
  return std::make_shared<const PackedAttributes>(std::move(found));
}

}  // namespace tessera::store
