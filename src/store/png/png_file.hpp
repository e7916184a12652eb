// Writes a PNG band by band through libpng: to FILE.part, renamed when complete; to standard
// output; or to whoever takes the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
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

/// Whether the file begins as a picture that Tessera writes: the text "Software" comes first.
bool is_picture_of_tessera(const std::string& path);

class PngWriter {
 public:
  /// `path` "-" is standard output. RGB or RGBA, sRGB; `text` becomes tEXt or iTXt chunks. Throws a
  /// usage error beyond 2^31 - 1 a side, if another run writes the file, and if what has the name
  /// of the unfinished file is not what a run has left and must not be replaced.
  PngWriter(const std::string& path, const PngLayout& layout,
            const std::vector<std::pair<std::string, std::string>>& text,
            base::Replace replace = base::Replace::nothing);
  /// Takes the bytes of the file, in order.
  using Write = std::function<void(std::span<const std::byte>)>;
  PngWriter(Write write, const PngLayout& layout,
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
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tessera::store
