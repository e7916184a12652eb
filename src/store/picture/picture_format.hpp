// The table of picture formats. A format is an encoder of bands, a writer, and a row here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/file/posix_file.hpp"
#include "base/geometry.hpp"

namespace tessera::store {

/// Keys and texts, in the order of the file.
using PictureTexts = std::vector<std::pair<std::string, std::string>>;

/// The key of the place as Kalles Fraktaler keeps it, in pictures for other programs.
inline constexpr const char* kForeignPlaceKey = "KallesFraktaler2+";

/// The numbers of a picture of values, which a band has before its colours: 4 bytes each, a pixel
/// after the other, in this order. All 0: nothing is rendered yet.
struct ValueChannels {
  /// N = this + the whole part of the value, u32; 2^32 - 1: inside.
  static constexpr std::uint64_t kBias = 1024;
  static constexpr std::uint32_t kInside = 0xFFFFFFFF;

  bool wide = false;      ///< N has 64 bits, low word first, each kInside
  bool fraction = false;  ///< NF, f32: the rest of the value, in [0, 1)
  bool distance = false;  ///< DEX and DEY, f32: a vector in pixels of the picture
  bool phase = false;     ///< T, f32: the angle of z in turns, in [0, 1)
  std::uint64_t iterations = 1;

  std::size_t bytes() const {
    return sizeof(float) * (std::size_t{1} + (wide ? 1 : 0) + (fraction ? 1 : 0) +
                            (distance ? 2 : 0) + (phase ? 1 : 0));
  }
};

/// RGB or RGBA, sRGB; 16-bit channels have the high byte first. With values, the channels are f16
/// of linear light.
struct PictureLayout {
  base::ImageSize size_px;
  int depth = 8;  ///< bits a channel: 8 or 16
  bool alpha = false;
  std::optional<ValueChannels> values{};
};

/// The file under a picture's name.
struct PictureOnDisk {
  bool exists = false;
  base::ImageSize size_px;  ///< 0 x 0: no picture
  PictureTexts texts;       ///< none in a file that is cut off
};

/// Where a picture goes.
struct PictureTarget {
  std::string path;  ///< FILE.part is renamed to it when complete; "-" = standard output
  base::Replace replace = base::Replace::nothing;
  /// Takes the bytes of the file, in order. If it is there, nothing is written to `path`.
  using Take = std::function<void(std::span<const std::byte>)>;
  Take take{};
};

/// Encodes bands, which are consecutive rows of a picture. One per worker thread.
class BandEncoder {
 public:
  virtual ~BandEncoder() = default;
  /// `rows`: width_px * pixel_bytes bytes each, top first. Returns what PictureWriter::put() takes.
  virtual base::Bytes encode(std::span<const std::byte> rows, std::int64_t width_px,
                             std::size_t pixel_bytes) = 0;
};

/// Without finish(), the destructor removes the .part file.
class PictureWriter {
 public:
  PictureWriter() = default;
  virtual ~PictureWriter() = default;
  PictureWriter(const PictureWriter&) = delete;
  PictureWriter& operator=(const PictureWriter&) = delete;

  /// Appends the next encoded band, from the top.
  virtual void put(std::span<const std::byte> band) = 0;
  /// After the last band. Syncs the file. Throws a usage error if the path exists and must not be
  /// replaced.
  virtual void finish() = 0;
  /// Bytes written so far.
  virtual std::uint64_t size_bytes() const = 0;
};

struct PictureFormat {
  std::string_view name;                       ///< "PNG"
  bool has_values = false;                     ///< beside the colours
  bool is_for_others = false;                  ///< tells the place as Kalles Fraktaler does
  std::uint64_t writer_bytes = 0;              ///< most memory of a writer
  std::span<const std::string_view> suffixes;  ///< suffixes of file names: ".png"
  std::unique_ptr<BandEncoder> (*make_encoder)();
  /// Bytes of an encoder and its result for a band of `band_bytes`.
  std::size_t (*encoder_bytes)(std::size_t band_bytes);
  /// Throws a usage error if the format has no pictures of that size, if another run writes the
  /// file, and if what has the name of the unfinished file is not what a run has left.
  std::unique_ptr<PictureWriter> (*create)(PictureTarget target, const PictureLayout& layout,
                                           const PictureTexts& texts);
  PictureOnDisk (*look)(const std::string& path);
};

/// The formats. The first one also takes standard output and names with unknown suffixes.
std::span<const PictureFormat> picture_formats();

/// The format by the suffix of `path`, in letters of any case.
const PictureFormat& picture_format_of(std::string_view path);

/// Reads the head of a file, if there is one.
PictureOnDisk look_at_picture(const std::string& path);

}  // namespace tessera::store
