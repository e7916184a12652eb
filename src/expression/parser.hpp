// Parses an expression such as "sqrt(u*u + v*v)": Python's grammar and precedences, NumPy's
// functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "expression/program.hpp"

namespace tessera::expression {

struct InputArray {
  std::string name;
  base::ElementType type = base::ElementType::f64;
  bool is_boolean = false;  ///< every element is 0 or 1; `type` is u8
};

// crossed by: refuses_what_is_too_long_or_too_deep
inline constexpr std::size_t kMaxCharacters = 65536;
inline constexpr int kMaxDepth = 200;

/// Throws a usage error that begins with `what` and names the column.
Program parse(std::string_view text, std::span<const InputArray> inputs, std::string_view what);

/// Whether the name is a word of the expression.
bool has_word(std::string_view text, std::string_view name);

/// Whether a text can be the name of an array: a letter, then letters, digits and underscores.
bool is_name(std::string_view text);

}  // namespace tessera::expression
