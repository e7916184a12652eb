#include "post/shared_input.hpp"

#include "base/error.hpp"
#include "store/image/formats.hpp"

namespace tessera::post {

std::unique_ptr<store::ImageReader> open_shared_input(const comm::World& world,
                                                      const std::string& path) {
  try {
    return store::open_image(path);
  } catch (const base::Error& error) {
    if (world.is_root() || error.code() != base::ExitCode::missing) throw;
    return nullptr;
  }
}

}  // namespace tessera::post
