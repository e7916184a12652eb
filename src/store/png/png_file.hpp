// Writes a PNG band by band through libpng.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "store/picture/picture_format.hpp"

namespace tessera::store {

/// Whether the file begins as a picture that Tessera writes: the text "Software" comes first.
bool is_picture_of_tessera(const std::string& path);

class PngWriter {
 public:
  /// `text` becomes tEXt or iTXt chunks. Throws as PictureFormat::create(), for more than 2^31 - 1
  /// pixels a side.
  PngWriter(PictureTarget target, const PictureLayout& layout, const PictureTexts& text);
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
