#include "render/image_sink.hpp"

#include "base/error.hpp"
#include "comm/agree.hpp"

namespace tessera::render {

bool ImageSink::prepare(comm::World& world, job::RenderJob& job) {
  comm::agree(world, [&] {
    if (!job.share.whole()) throw base::usage_error("share: a share of an image goes to a file");
  });
  job.compress = 0;
  return false;
}

}  // namespace tessera::render
