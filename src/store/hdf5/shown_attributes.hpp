// Attributes of any HDF5 object, of any type, to be shown. Private to this folder but for the
// struct.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::store {

struct ShownAttribute {
  enum class Kind { text, number, boolean, other };  ///< other: `values` say what it holds
  std::string name;
  Kind kind = Kind::other;
  bool is_empty = false;            ///< it has no dataspace, so no value
  std::vector<std::int64_t> shape;  ///< shape of the values; none of a single one
  /// In C order. A number is the shortest text that reads back to it ("nan", "inf", "-inf" too); a
  /// boolean is "true" or "false".
  std::vector<std::string> values;
};

}  // namespace tessera::store
