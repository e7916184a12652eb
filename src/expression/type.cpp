#include "expression/type.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tessera::expression {
namespace {

using base::ElementType;

struct TypeRow {
  std::string_view name;
  ElementType element;
};

/// In the order of Type.
constexpr std::array<TypeRow, 12> kTypes = {{{"bool", ElementType::u8},
                                             {"i1", ElementType::i8},
                                             {"i2", ElementType::i16},
                                             {"i4", ElementType::i32},
                                             {"i8", ElementType::i64},
                                             {"u1", ElementType::u8},
                                             {"u2", ElementType::u16},
                                             {"u4", ElementType::u32},
                                             {"u8", ElementType::u64},
                                             {"f2", ElementType::f16},
                                             {"f4", ElementType::f32},
                                             {"f8", ElementType::f64}}};

const TypeRow& type_row(Type type) {
  return kTypes[static_cast<std::size_t>(type)];
}

std::size_t bytes_of(Type type) {
  return base::element_bytes(type_row(type).element);
}

Type signed_of(std::size_t bytes) {
  return bytes == 1 ? Type::i1 : bytes == 2 ? Type::i2 : bytes == 4 ? Type::i4 : Type::i8;
}

Type promote_integers(Type a, Type b) {
  if (is_signed(a) == is_signed(b)) return bytes_of(a) < bytes_of(b) ? b : a;
  if (is_signed(b)) std::swap(a, b);  // a is signed
  if (bytes_of(a) > bytes_of(b)) return a;
  return bytes_of(b) == 8 ? Type::f8 : signed_of(2 * bytes_of(b));
}

}  // namespace

std::string_view name_of(Type type) {
  return type_row(type).name;
}

std::optional<Type> find_type(std::string_view name) {
  const auto* const found = std::ranges::find(kTypes, name, &TypeRow::name);
  if (found == kTypes.end()) return std::nullopt;
  return static_cast<Type>(found - kTypes.begin());
}

Type type_of(ElementType element) {
  // From the back: u1 and bool have the same elements.
  std::size_t row = kTypes.size() - 1;
  while (kTypes[row].element != element) --row;
  return static_cast<Type>(row);
}

ElementType element_of(Type type) {
  return type_row(type).element;
}

ElementType lane_of(Type type) {
  return type == Type::f2 ? ElementType::f32 : element_of(type);
}

bool is_real(Type type) {
  return type >= Type::f2;
}

bool is_signed(Type type) {
  return is_real(type) || (type >= Type::i1 && type <= Type::i8);
}

Type promote(Type a, Type b) {
  if (a == b || b == Type::b1) return a;
  if (a == Type::b1) return b;
  if (is_integer(a) && is_integer(b)) return promote_integers(a, b);
  return std::max(real_of(a), real_of(b));
}

Type real_of(Type type) {
  if (is_real(type)) return type;
  const std::size_t bytes = bytes_of(type);
  return bytes == 1 ? Type::f2 : bytes == 2 ? Type::f4 : Type::f8;
}

}  // namespace tessera::expression
