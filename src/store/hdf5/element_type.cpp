#include "store/hdf5/element_type.hpp"

#include <array>
#include <bit>
#include <optional>

#include "base/element.hpp"
#include "base/error.hpp"
#include "base/text.hpp"

namespace tessera::store {

namespace {

using base::ElementType;

/// IEEE binary16, for which HDF5 has no name.
Handle half_type(const CheckedCall& h5, H5T_order_t order) {
  Handle type(h5("H5Tcopy", H5Tcopy, H5T_IEEE_F32LE));
  h5("H5Tset_fields", H5Tset_fields, type.id(), std::size_t{15}, std::size_t{10}, std::size_t{5},
     std::size_t{0}, std::size_t{10});
  h5("H5Tset_size", H5Tset_size, type.id(), std::size_t{2});
  h5("H5Tset_ebias", H5Tset_ebias, type.id(), std::size_t{15});
  h5("H5Tset_order", H5Tset_order, type.id(), order);
  return type;
}

Handle stored_type(const CheckedCall& h5, ElementType type, bool big_endian) {
  const H5T_order_t order = big_endian ? H5T_ORDER_BE : H5T_ORDER_LE;
  if (type == ElementType::f16) return half_type(h5, order);
  Handle copy(h5("H5Tcopy", H5Tcopy, memory_type(h5, type).id()));
  h5("H5Tset_order", H5Tset_order, copy.id(), order);
  return copy;
}

/// A pair of floats named r and i, as h5py stores them.
bool is_complex(const CheckedCall& h5, const Handle& type) {
  if (H5Tget_class(type.id()) != H5T_COMPOUND) return false;
  if (h5("H5Tget_nmembers", H5Tget_nmembers, type.id()) != 2) return false;
  const auto has = [&](const char* name) { return H5Tget_member_index(type.id(), name) >= 0; };
  return has("r") && has("i") && H5Tget_member_class(type.id(), 0) == H5T_FLOAT;
}

/// The smallest type that holds every value of an integer or float of unusual layout.
std::optional<ElementType> widened(const CheckedCall& h5, const Handle& type) {
  const H5T_class_t type_class = H5Tget_class(type.id());
  const std::size_t bytes = H5Tget_size(type.id());
  const bool is_signed =
      type_class == H5T_INTEGER && h5("H5Tget_sign", H5Tget_sign, type.id()) != H5T_SGN_NONE;
  if (type_class == H5T_INTEGER && bytes <= 8) {
    return is_signed ? ElementType::i64 : ElementType::u64;
  }
  if (type_class == H5T_FLOAT && bytes <= 8) return ElementType::f64;
  return std::nullopt;
}

/// FALSE = 0 or TRUE = 1 of any integer type, as h5py stores bool in one byte.
bool is_boolean(const CheckedCall& h5, const Handle& type) {
  if (H5Tget_class(type.id()) != H5T_ENUM || H5Tget_size(type.id()) > 8) return false;
  if (h5("H5Tget_nmembers", H5Tget_nmembers, type.id()) != 2) return false;
  const Handle integer(h5("H5Tget_super", H5Tget_super, type.id()));
  std::int64_t requested = 0;
  for (const char* name : {"FALSE", "TRUE"}) {
    std::int64_t value = -1;
    if (H5Tenum_valueof(type.id(), name, &value) < 0) return false;
    h5("H5Tconvert", H5Tconvert, integer.id(), H5T_NATIVE_INT64, std::size_t{1}, &value, nullptr,
       H5P_DEFAULT);
    if (value != requested++) return false;
  }
  return true;
}

/// Elements of so many bytes that use all of their bits.
bool is_whole(const Handle& type, std::size_t bytes) {
  return H5Tget_size(type.id()) == bytes && H5Tget_precision(type.id()) == 8 * bytes;
}

/// As h5py, an unsigned integer; one of unusual layout becomes u64.
bool set_bitfield(Hdf5Dataset& data, const Handle& type) {
  const std::size_t bytes = H5Tget_size(type.id());
  if (H5Tget_class(type.id()) != H5T_BITFIELD || bytes > 8) return false;
  data.is_bitfield = true;
  data.plain = std::has_single_bit(bytes) && is_whole(type, bytes);
  const int step = data.plain ? std::countr_zero(bytes) : 3;
  data.info.type = static_cast<ElementType>(static_cast<int>(ElementType::u8) + step);
  data.big_endian = H5Tget_order(type.id()) == H5T_ORDER_BE;
  return true;
}

/// A record of one member counts as that member.
Handle value_type(Hdf5Dataset& data, const Handle& stored) {
  const bool is_one = H5Tget_class(stored.id()) == H5T_COMPOUND &&
                      data.h5("H5Tget_nmembers", H5Tget_nmembers, stored.id()) == 1;
  if (!is_one) return Handle(data.h5("H5Tcopy", H5Tcopy, stored.id()));
  char* const name = H5Tget_member_name(stored.id(), 0);
  if (name != nullptr) data.member = name;
  H5free_memory(name);
  return Handle(data.h5("H5Tget_member_type", H5Tget_member_type, stored.id(), 0U));
}

/// The type in memory of elements that are `stored`. Bools of one byte are read as they are,
/// because a conversion would change bytes that are none of their values; wider ones become signed
/// integers, as all enumerations do. HDF5 converts bitfields to bitfields only.
Handle value_in_memory(const Hdf5Dataset& data, const Handle& stored) {
  const CheckedCall& h5 = data.h5;
  if (data.info.is_boolean && H5Tget_size(stored.id()) == 1) {
    return Handle(h5("H5Tcopy", H5Tcopy, stored.id()));
  }
  if (data.info.is_boolean) return memory_type(h5, ElementType::i8);
  if (!data.is_bitfield) return memory_type(h5, data.info.type);
  const std::array<hid_t, 4> bits = {H5T_NATIVE_B8, H5T_NATIVE_B16, H5T_NATIVE_B32, H5T_NATIVE_B64};
  const auto bytes = static_cast<unsigned>(base::element_bytes(data.info.type));
  return Handle(h5("H5Tcopy", H5Tcopy, bits[static_cast<std::size_t>(std::countr_zero(bytes))]));
}

}  // namespace

std::string content_name(const CheckedCall& h5, const Handle& type) {
  if (is_complex(h5, type)) return "complex numbers";
  switch (H5Tget_class(type.id())) {
    case H5T_INTEGER:
    case H5T_FLOAT:
    case H5T_BITFIELD:
      return "numbers wider than 64 bits";
    case H5T_STRING:
      return "strings";
    case H5T_COMPOUND:
      return "records of " + base::count_of(H5Tget_nmembers(type.id()), "member");
    case H5T_ENUM:
      return "an enumeration";
    case H5T_ARRAY:
      return "arrays";
    case H5T_VLEN:
      return "sequences";
    case H5T_REFERENCE:
      return "references";
    case H5T_OPAQUE:
      return "opaque bytes";
    default:
      return "no numbers";
  }
}

Handle memory_type(const CheckedCall& h5, ElementType type) {
  if (type == ElementType::f16) {
    return half_type(h5, H5Tget_order(H5T_NATIVE_FLOAT));
  }
  const std::array<hid_t, 11> native = {H5T_NATIVE_INT8,   H5T_NATIVE_INT16,  H5T_NATIVE_INT32,
                                        H5T_NATIVE_INT64,  H5T_NATIVE_UINT8,  H5T_NATIVE_UINT16,
                                        H5T_NATIVE_UINT32, H5T_NATIVE_UINT64, H5I_INVALID_HID,
                                        H5T_NATIVE_FLOAT,  H5T_NATIVE_DOUBLE};
  return Handle(h5("H5Tcopy", H5Tcopy, native[static_cast<std::size_t>(type)]));
}

void set_type(Hdf5Dataset& data, const job::ArrayInput& input) {
  const Handle stored(data.h5("H5Dget_type", H5Dget_type, data.dataset.id()));
  const Handle type = value_type(data, stored);
  const bool is_padded = H5Tget_size(stored.id()) != H5Tget_size(type.id());
  if (is_boolean(data.h5, type)) {
    data.info.type = ElementType::u8;
    data.info.is_boolean = true;
    data.plain = !is_padded && is_whole(type, 1);
    return;
  }
  if (set_bitfield(data, type)) {
    data.plain = data.plain && !is_padded;
    return;
  }
  for (std::size_t i = 0; i <= static_cast<std::size_t>(ElementType::f64); ++i) {
    for (const bool big_endian : {false, true}) {
      const auto candidate = static_cast<ElementType>(i);
      const Handle requested = stored_type(data.h5, candidate, big_endian);
      if (data.h5("H5Tequal", H5Tequal, type.id(), requested.id()) <= 0) continue;
      data.info.type = candidate;
      data.plain = !is_padded;
      data.big_endian = big_endian;
      return;
    }
  }
  const auto wide = widened(data.h5, type);
  if (!wide) {
    throw base::usage_error("{}: {} holds {}; reduce takes b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8",
                            input.path, input.dataset, content_name(data.h5, stored));
  }
  data.info.type = *wide;
}

Handle read_type(const Hdf5Dataset& data) {
  const CheckedCall& h5 = data.h5;
  const Handle stored(h5("H5Dget_type", H5Dget_type, data.dataset.id()));
  if (data.member.empty()) return value_in_memory(data, stored);
  const Handle member(h5("H5Tget_member_type", H5Tget_member_type, stored.id(), 0U));
  const Handle value = value_in_memory(data, member);
  Handle record(h5("H5Tcreate", H5Tcreate, H5T_COMPOUND, base::element_bytes(data.info.type)));
  h5("H5Tinsert", H5Tinsert, record.id(), data.member.c_str(), std::size_t{0}, value.id());
  return record;
}

}  // namespace tessera::store
