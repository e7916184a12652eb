#include "post/film/film_sink.hpp"

#include "codec/png_band.hpp"
#include "job/image/film_job.hpp"

namespace tessera::post {

void PictureSink::put(farm::ResultChunk result_chunk) {
  const std::int64_t frame = result_chunk.item;
  base::ByteReader in(result_chunk.body);
  const auto adler32 = in.get<std::uint32_t>();
  const bool replaces = replaced_[static_cast<std::size_t>(frame)];
  store::PngWriter png(job::numbered_path(output_, frame), layout_, texts_(frame),
                       replaces ? base::Replace::what_is_there : base::Replace::nothing);
  png.write_stream(codec::zlib_header());
  png.write_stream(in.get_bytes(result_chunk.body.size() - sizeof(adler32)));
  png.write_stream(codec::zlib_trailer(adler32));
  png.finish();
  written_bytes_ += png.size_bytes();
}

void VideoSink::put(farm::ResultChunk result_chunk) {
  early_[result_chunk.item] = std::move(result_chunk.body);
  for (auto frame = early_.find(next_); frame != early_.end(); frame = early_.find(next_)) {
    video_.write(frame->second);
    early_.erase(frame);
    ++next_;
  }
}

}  // namespace tessera::post
