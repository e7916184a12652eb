#include "post/film/film_sink.hpp"

#include "job/image/film_job.hpp"

namespace tessera::post {

void FrameSink::put(farm::ResultChunk result_chunk) {
  const std::int64_t frame = result_chunk.item;
  const bool replaces = replaced_[static_cast<std::size_t>(frame)];
  const std::string path = job::numbered_path(output_, frame);
  const auto picture = store::picture_format_of(path).create(
      {path, replaces ? base::Replace::what_is_there : base::Replace::nothing}, layout_,
      texts_(frame));
  picture->put(result_chunk.body);
  picture->finish();
  written_bytes_ += picture->size_bytes();
}

}  // namespace tessera::post
