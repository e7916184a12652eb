// The types of values in an expression, and NumPy 2's rules for combining them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/element.hpp"

namespace tessera::expression {

/// In the order of NumPy's type codes.
enum class Type : std::uint8_t { b1, i1, i2, i4, i8, u1, u2, u4, u8, f2, f4, f8 };

/// "f4"; "bool" for b1.
std::string_view name_of(Type type);
std::optional<Type> find_type(std::string_view name);

Type type_of(base::ElementType element);
/// The type in memory. Bools are u8 of 0 and 1.
base::ElementType element_of(Type type);
/// The type in registers: as element_of(), but halves are f32.
base::ElementType lane_of(Type type);

bool is_real(Type type);
bool is_signed(Type type);
inline bool is_integer(Type type) {
  return type != Type::b1 && !is_real(type);
}

/// numpy.promote_types(): the smallest type that holds all values of both.
Type promote(Type a, Type b);
/// The type of functions such as sqrt: the smallest real type that holds all values of `type`, or
/// f8.
Type real_of(Type type);

}  // namespace tessera::expression
