// The header of a NetCDF-3 file: CDF-1, CDF-2 and CDF-5 (NetCDF User's Guide, "File Format
// Specifications").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "base/file/input_file.hpp"
#include "job/arrays/array_input.hpp"
#include "store/arrays/dimension.hpp"
#include "store/arrays/packed_attributes.hpp"

namespace tessera::store {

struct NetCdf3Variable {
  std::string name;                       ///< "/t"
  std::optional<base::ElementType> type;  ///< nothing for characters
  job::Shape shape;                       ///< with the number of records
  bool has_records = false;               ///< the first dimension is that of records
  std::uint64_t offset_bytes = 0;         ///< of the first element
  std::uint64_t slab_bytes = 0;           ///< elements of a record, or of all
  PackedAttributes attributes;
  std::vector<std::string> dimensions;  ///< their names
  std::vector<TextAttribute> texts;     ///< other attributes that are texts
};

struct NetCdf3Header {
  int version = 1;                 ///< 1, 2 or 5
  std::uint64_t record_bytes = 0;  ///< from one record to the next
  std::vector<NetCdf3Variable> variables;
};

/// Throws a usage error for a header that is damaged or cut off.
NetCdf3Header read_netcdf3_header(const base::InputFile& file);

}  // namespace tessera::store
