// The table of image formats. A format is a folder of store/image and a row here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/image/image_file.hpp"

namespace tessera::store {

struct ImageFormat {
  std::string_view name;                       ///< "HDF5"
  std::span<const std::string_view> suffixes;  ///< suffixes of file names: ".h5"
  /// Implementations of create_image(), resume_image(), open_image(), look_at_image(),
  /// logged_tiles() and join_parts().
  std::unique_ptr<ImageWriter> (*create)(const std::string& path, const ImageHeader&,
                                         base::Replace);
  std::unique_ptr<ImageWriter> (*resume)(const std::string& path, const ImageHeader&, Leftover&,
                                         base::Replace);
  std::unique_ptr<ImageReader> (*open)(const std::string& path);
  ImageOnDisk (*look)(const std::string& path);
  std::optional<std::int64_t> (*logged_tiles)(const std::string& part);
  void (*join)(const std::string& path, const ImageHeader&, int parts, std::span<const TimingRow>,
               const Attributes& closing, base::Replace);
};

/// The formats. The first one also takes file names with unknown suffixes.
std::span<const ImageFormat> image_formats();

/// The format by the suffix of `path`, without ".part".
const ImageFormat& format_of(std::string_view path);

/// Creates `path`.part, replacing an old one, with a row for each tile of the grid. Throws a usage
/// error for a grid of more than kMaxTiles tiles, and if another process is writing it. `replace`
/// says whether an existing `path` may be replaced. If not, and `path` exists now, throws
/// base::NameTaken, because no other run can finish it any more; if it exists at finish(), that
/// throws a usage error.
std::unique_ptr<ImageWriter> create_image(const std::string& path, const ImageHeader& header,
                                          base::Replace replace = base::Replace::nothing);

/// Resumes the `path`.part that an earlier run with the same header left, however that run ended,
/// and sets `leftover` to the stored tiles. Starts from scratch if nothing is usable. Checks every
/// stored byte. Throws a usage error if another process is writing it, and stopped if a stop was
/// requested.
std::unique_ptr<ImageWriter> resume_image(const std::string& path, const ImageHeader& header,
                                          Leftover& leftover,
                                          base::Replace replace = base::Replace::nothing);

/// Throws a missing error if there is no such file (naming a .part beside it, if there is one), and
/// a usage error if it is not of its format or not a Tessera image (naming the missing part).
std::unique_ptr<ImageReader> open_image(const std::string& path);

/// Writes `path`, which joins the parts in parts_folder(path): other programs read it as one image.
/// All of them must have ended. Throws a usage error if `path` exists and may not be replaced.
void join_parts(const std::string& path, const ImageHeader& header, int parts,
                std::span<const TimingRow> timing, const Attributes& closing,
                base::Replace replace);

/// Looks at `path` and its .part, and removes what a kill left beside a complete image. Throws a
/// usage error if another process is writing the image.
ImageOnDisk look_at_image(const std::string& path);

/// The image as a job with this fingerprint sees it.
FoundImage compare(const ImageOnDisk& image, const std::string& fingerprint);

/// The number of tiles in the log of an unfinished image; nothing if `part` has no valid log.
std::optional<std::int64_t> logged_tiles(const std::string& part);

}  // namespace tessera::store
