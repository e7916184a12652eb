// The images of a zoom (render --frames) as the key frames of a film.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/geometry.hpp"
#include "job/image/film_job.hpp"
#include "post/color/chunk_reader.hpp"
#include "post/color/shaded_reader.hpp"
#include "store/image/formats.hpp"

namespace tessera::post {

/// The files of the images, and facts that hold for all.
struct KeyFacts {
  std::vector<std::string> paths;  ///< the widest first
  std::vector<std::string> fingerprints;
  base::ImageSize size_px;
  double zoom = 2;      ///< the width of an image over that of the next
  double turn_deg = 0;  ///< the right of the next one points so far anticlockwise in an image
  std::uint64_t iterations = 1;
  job::Field field = job::Field::iterations;
  base::ElementType type = base::ElementType::u16;
  bool beyond_f64 = false;          ///< job::is_beyond_f64() of the last one
  base::ImageSize chunk_px;         ///< the largest
  std::size_t alongside_bytes = 0;  ///< ChunkReader::widest_alongside(), the largest

  static auto members(auto& self) {
    return std::tie(self.paths, self.fingerprints, self.size_px, self.zoom, self.turn_deg,
                    self.iterations, self.field, self.type, self.beyond_f64, self.chunk_px,
                    self.alongside_bytes);
  }
};

/// Finds the files that `render --frames --output INPUT` wrote. Throws a missing error if there is
/// none. Throws a usage error that names the file if one is missing, incomplete or of another zoom.
KeyFacts find_keys(const job::FilmJob& job);

/// An open image: the field that is coloured, and those of `more` beside it.
struct KeyFrame {
  KeyFrame(const std::string& path, job::Field field, const std::vector<job::Field>& more);
  std::unique_ptr<store::ImageReader> reader;
  ChunkReader chunks;
  job::PerField<std::optional<ChunkReader>> beside;
  ShadedReader shaded;
};

/// Opens images when they are needed, and keeps those that were used last. Thread-safe.
class KeyFrames {
 public:
  KeyFrames(const KeyFacts& facts, std::vector<job::Field> more, std::size_t max_open)
      : facts_(facts), more_(std::move(more)), max_open_(max_open) {}
  std::shared_ptr<KeyFrame> open(std::int64_t key);

 private:
  const KeyFacts& facts_;
  std::vector<job::Field> more_;
  std::size_t max_open_;
  std::mutex mutex_;
  std::list<std::pair<std::int64_t, std::shared_ptr<KeyFrame>>> open_;  ///< last used first
};

}  // namespace tessera::post
