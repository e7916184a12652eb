// The version and commit of this binary.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

std::string_view version();        ///< "0.1.0"
std::string_view commit();         ///< short hash, with "+" if files were changed; "unknown"
std::string version_and_commit();  ///< "0.1.0 (1a2b3c4)"

}  // namespace tessera::base
