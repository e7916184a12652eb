// Writes a video through the program ffmpeg: FILE.part, renamed when complete.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/file/posix_file.hpp"
#include "base/geometry.hpp"

namespace tessera::store {

/// Whether the suffix of `path` is that of a video (.mp4, .webm) or an animation (.webp, .gif).
bool is_video(std::string_view path);

struct VideoLayout {
  base::ImageSize size_px;  ///< of a video, even numbers
  int depth = 8;            ///< bits a channel of the frames: 8, or 16 with the high byte first
  double fps = 30;
};

/// Throws a usage error for a size that videos do not have, and a missing error with the command
/// that makes a video of pictures if ffmpeg is not installed.
void check_video(const std::string& path, const VideoLayout& layout);

class VideoWriter {
 public:
  /// Starts ffmpeg. Throws a usage error if another run writes the file, or if what has the name of
  /// the unfinished file is not what a run has left and must not be replaced.
  VideoWriter(const std::string& path, const VideoLayout& layout, base::Replace replace);
  /// Without finish(): ends ffmpeg and removes the .part file.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// The next frame: RGB, top row first. Blocks while ffmpeg is busy. Throws a run error if ffmpeg
  /// has ended.
  void write(std::span<const std::byte> frame);
  /// Waits for ffmpeg and renames the file. Throws as base::publish_file() does.
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::store
