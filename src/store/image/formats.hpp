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
  std::span<const std::string_view> suffixes;  ///< of file names: ".h5"
  /// As create_image(), resume_image(), open_image(), find_image() and logged_tiles().
  std::unique_ptr<ImageWriter> (*create)(const std::string& path, const ImageHeader&,
                                         base::Replace);
  std::unique_ptr<ImageWriter> (*resume)(const std::string& path, const ImageHeader&, Leftover&,
                                         base::Replace);
  std::unique_ptr<ImageReader> (*open)(const std::string& path);
  FoundImage (*find)(const std::string& path, const std::string& fingerprint);
  std::optional<std::int64_t> (*logged_tiles)(const std::string& part);
};

/// The first one is that of names with any other suffix.
std::span<const ImageFormat> image_formats();

/// By the suffix of `path`, without ".part".
const ImageFormat& format_of(std::string_view path);

/// Creates `path`.part, replacing an old one, with a row for each tile of the grid. Usage error for
/// a grid of more than kMostTiles tiles, and if another process writes it. `replace` says what may
/// become of a file called `path`. Where it must stay: base::NameTaken if it is there now, as no
/// other run can finish it any more; a usage error if it is there at finish().
std::unique_ptr<ImageWriter> create_image(const std::string& path, const ImageHeader& header,
                                          base::Replace replace = base::Replace::nothing);

/// Resumes the `path`.part that an earlier run with the same header left, whatever ended that run,
/// and reports in `leftover` which tiles it has; creates it if there is nothing to resume. Checks
/// every stored byte. Usage error if another process writes it; stopped if that was requested.
std::unique_ptr<ImageWriter> resume_image(const std::string& path, const ImageHeader& header,
                                          Leftover& leftover,
                                          base::Replace replace = base::Replace::nothing);

/// missing error if there is no such file (names a .part beside it if there is one); usage error if
/// it is not of its format or not one of ours (says what is lacking).
std::unique_ptr<ImageReader> open_image(const std::string& path);

/// `fingerprint`: as the attribute of that name. Usage error if another process writes it.
FoundImage find_image(const std::string& path, const std::string& fingerprint);

/// Tiles that an unfinished image has according to its log; nothing if `part` has no sound log.
std::optional<std::int64_t> logged_tiles(const std::string& part);

}  // namespace tessera::store
