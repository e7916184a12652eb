// Writes a PNG file band by band through libpng: FILE.part, renamed when complete; or to standard
// output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file/posix_file.hpp"
#include "base/geometry.hpp"

namespace tessera::store {

struct PngLayout {
  base::ImageSize size_px;
  int depth = 8;  ///< bits a channel: 8 or 16
  bool alpha = false;
};

class PngWriter {
 public:
  /// `path` "-" is standard output. RGB or RGBA, sRGB; `text` becomes tEXt or iTXt chunks. Throws a
  /// usage error beyond 2^31 - 1 a side.
  PngWriter(const std::string& path, const PngLayout& layout,
            const std::vector<std::pair<std::string, std::string>>& text);
  /// Bytes written so far.
  std::uint64_t size_bytes() const;
  /// Without finish(): removes the .part file.
  ~PngWriter();
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  /// Appends bytes of the zlib stream, as one or more IDAT chunks.
  void write_stream(std::span<const std::byte> bytes);
  /// Writes IEND, syncs and renames to the path. Throws a usage error if the path exists and must
  /// not be replaced.
  void finish(base::Replace replace = base::Replace::nothing);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::store
