// Reads the values of an image that become colours, with those of other fields beside them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/geometry.hpp"
#include "job/image/render_job.hpp"
#include "post/color/chunk_reader.hpp"
#include "post/color/painter.hpp"
#include "store/image/image_file.hpp"

namespace tessera::post {

/// Throws a missing error that names the option and `path` if the image lacks a field that the
/// colours take.
void check_shading(const store::ImageHeader& header, const job::Coloring& coloring,
                   const std::string& path);

/// Any thread may use it, with buffers of its own.
class ShadedReader {
 public:
  /// The chunk of each field of the same tile.
  struct Buffers {
    explicit Buffers(const ShadedReader& reader);
    ChunkReader::Buffers values;
    job::PerField<std::optional<ChunkReader::Buffers>> beside;
  };

  /// `beside`: null for the fields that are not needed.
  ShadedReader(ChunkReader& values, const job::PerField<ChunkReader*>& beside)
      : values_(values), beside_(beside) {}

  base::ElementType type() const { return values_.type(); }
  /// As ChunkReader::for_each_run().
  void for_each_run(const base::PixelRect& part, Buffers& buffers,
                    const std::function<void(const ValueRun&)>& use);

 private:
  /// Null in a missing tile.
  job::PerField<const std::byte*> read_beside(Buffers& buffers, std::int64_t tile) const;

  ChunkReader& values_;
  job::PerField<ChunkReader*> beside_;
};

}  // namespace tessera::post
