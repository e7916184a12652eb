// Writes the frames of a film on the gather rank, as pictures or as a video.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "farm/work.hpp"
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
  void put(farm::ResultChunk result_chunk) override;
  std::uint64_t written_bytes() const { return written_bytes_; }

 private:
  std::string output_;
  store::PictureLayout layout_;
  TextsOf texts_;
  std::vector<bool> replaced_;
  std::uint64_t written_bytes_ = 0;
};

/// Puts the frames in order.
class VideoSink : public farm::Sink {
 public:
  explicit VideoSink(store::VideoWriter& video) : video_(video) {}
  void put(farm::ResultChunk result_chunk) override;

 private:
  store::VideoWriter& video_;
  std::int64_t next_ = 0;
  std::map<std::int64_t, base::Bytes> early_;
};

}  // namespace tessera::post
