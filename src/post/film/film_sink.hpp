// Writes the frames of a film on the gather rank, as pictures or as a video.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "farm/work.hpp"
#include "job/image/film_job.hpp"
#include "post/ordered_sink.hpp"
#include "store/picture/picture_format.hpp"
#include "store/video_file.hpp"

namespace tessera::post {

/// Writes each frame as a picture, in any order.
class FrameSink : public farm::Sink {
 public:
  using TextsOf = std::function<store::PictureTexts(std::int64_t frame)>;
  /// `output`: as job::numbered_path() takes it. `replaced`: whether the frame may replace a file.
  FrameSink(std::string output, const store::PictureLayout& layout, TextsOf texts,
            std::vector<bool> replaced)
      : output_(std::move(output)),
        layout_(layout),
        texts_(std::move(texts)),
        replaced_(std::move(replaced)) {}
  void put(farm::ResultChunk result_chunk) override {
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
  std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  std::string output_;
  store::PictureLayout layout_;
  TextsOf texts_;
  std::vector<bool> replaced_;
  std::uint64_t written_bytes_ = 0;
};

/// Passes the frames on in order.
class VideoSink : public OrderedSink {
 public:
  explicit VideoSink(store::VideoWriter& video) : video_(video) {}

 private:
  void put_next(const base::Bytes& frame) override { video_.write(frame); }

  store::VideoWriter& video_;
};

}  // namespace tessera::post
