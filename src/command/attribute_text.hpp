// Attributes of HDF5 files as text and as JSON.
#pragma once

#include <string>

#include "report/json_parts.hpp"
#include "store/hdf5/shown_attributes.hpp"

namespace tessera::command {

/// A number from its text. JSON has no NaN and no infinities: they are the strings "nan", "inf" and
/// "-inf".
report::Json number_json(const std::string& text);

/// "0.1", "[1, 2, 3]", "[1, 2, ...] (100x3)", "empty".
std::string attribute_text(const store::ShownAttribute& attribute);

/// A value, or an array of them for each dimension; null if it is empty.
report::Json attribute_json(const store::ShownAttribute& attribute);

}  // namespace tessera::command
