#include "base/version.hpp"
#include "tessera_commit.hpp"  // generated at each build by cmake/commit.cmake

namespace tessera::base {

std::string_view commit() {
  return TESSERA_COMMIT;
}

}  // namespace tessera::base
