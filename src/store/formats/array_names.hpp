// How arrays within a file or folder are found by the name behind its path. Private to store.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "job/arrays/array_input.hpp"

namespace tessera::store {

/// "/a, /b, ...", or "no array".
std::string list_of(const std::vector<std::string>& names);

/// The position of the array that `input` names among `names` ("/a", "/group/b"); the only one if
/// it names none. Throws a usage error if there are several, a missing error if there is none of
/// that name; both list them.
std::size_t find_array(const job::ArrayInput& input, const std::vector<std::string>& names);

}  // namespace tessera::store
