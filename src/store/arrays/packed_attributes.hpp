// Attributes of a file about the numbers of an array: those of the CF conventions and of the
// NetCDF User's Guide. Which of them count, and how, is up to the reader (docs/packed-data.md).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/element.hpp"

namespace tessera::store {

inline constexpr std::array<std::string_view, 9> kPackedNames = {
    "_FillValue", "missing_value", "scale_factor", "add_offset", "_Unsigned",
    "valid_min",  "valid_max",     "valid_range",  "dtype"};

struct PackedAttribute {
  enum class Kind { numbers, text, other };

  std::string name;
  Kind kind = Kind::other;
  base::ElementType type = base::ElementType::f64;  ///< type of numbers
  std::vector<long double> numbers;                 ///< exact
  std::string text;
};

struct PackedAttributes {
  std::vector<PackedAttribute> list;
  bool of_bools = false;  ///< the elements are an enumeration of FALSE and TRUE

  const PackedAttribute* find(std::string_view name) const {
    for (const PackedAttribute& attribute : list) {
      if (attribute.name == name) return &attribute;
    }
    return nullptr;
  }
};

/// "0.01 (f8)", or the text.
std::string text_of(const PackedAttribute& attribute);

/// How the elements were unpacked, for reports.
struct Unpacking {
  std::optional<double> scale_factor;
  std::optional<double> add_offset;
  base::ElementType stored = base::ElementType::f64;
};

}  // namespace tessera::store
