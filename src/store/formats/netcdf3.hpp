// Variables of NetCDF-3 files. Private to store.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/arrays/array_source.hpp"
#include "store/formats/path_head.hpp"

namespace tessera::store {

bool is_netcdf3(const PathHead& head);
/// The variables that hold numbers.
std::vector<std::string> list_netcdf3(const std::string& path);
std::unique_ptr<ArraySource> open_netcdf3(const job::ArrayInput& input, std::int64_t piece_bytes);

}  // namespace tessera::store
