#include "store/tiff/tiff_file.hpp"

#include <tiffio.h>

#include <algorithm>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/user_path.hpp"
#include "store/tiff/tiff_message.hpp"

namespace tessera::store {
namespace {

constexpr std::uint32_t kGdalNoData = 42113;
/// Reduced pages (overviews) and masks are no part of the array.
constexpr std::uint32_t kOtherPages = FILETYPE_REDUCEDIMAGE | FILETYPE_MASK;

template <class T>
T field_of(TIFF* tiff, std::uint32_t tag, T otherwise) {
  T value = otherwise;
  return TIFFGetFieldDefaulted(tiff, tag, &value) == 1 ? value : otherwise;
}

std::optional<base::ElementType> element_of(unsigned format, unsigned bits) {
  const bool is_unsigned = format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID;
  const char kind = is_unsigned                     ? 'u'
                    : format == SAMPLEFORMAT_INT    ? 'i'
                    : format == SAMPLEFORMAT_IEEEFP ? 'f'
                                                    : ' ';
  return bits % 8 == 0 ? base::find_element(fmt::format("{}{}", kind, bits / 8)) : std::nullopt;
}

/// Lossy pictures, and colours by a table, are no arrays of numbers.
std::string problem_of(TIFF* tiff, unsigned format, unsigned bits) {
  const auto compression = field_of<std::uint16_t>(tiff, TIFFTAG_COMPRESSION, COMPRESSION_NONE);
  const auto photometric = field_of<std::uint16_t>(tiff, TIFFTAG_PHOTOMETRIC, 0);
  if (photometric == PHOTOMETRIC_PALETTE) return "holds colours of a palette";
  if (compression == COMPRESSION_JPEG || compression == COMPRESSION_OJPEG ||
      compression == 50001 /* WebP */ || compression == 34712 /* JPEG 2000 */) {
    return "is compressed as a picture, with losses";
  }
  if (TIFFIsCODECConfigured(compression) == 0) {
    return "is compressed by the method " + std::to_string(compression) +
           ", which this libtiff does not read";
  }
  if (element_of(format, bits)) return "";
  return "holds samples of " + std::to_string(bits) + " bits and of the format " +
         std::to_string(format);
}

std::string no_data_of(TIFF* tiff) {
  std::uint32_t count = 0;
  const char* text = nullptr;
  if (TIFFGetField(tiff, kGdalNoData, &count, &text) != 1 || text == nullptr) return "";
  std::string value(text, count);
  value.resize(std::min(value.find('\0'), value.size()));
  return value;
}

}  // namespace

bool TiffPage::is_like(const TiffPage& other) const {
  return rows == other.rows && columns == other.columns && samples == other.samples &&
         are_planes == other.are_planes && type == other.type && is_tiled == other.is_tiled &&
         chunk_rows == other.chunk_rows && chunk_columns == other.chunk_columns;
}

TiffHandle::TiffHandle(std::string path) : path_(std::move(path)) {
  if (!base::exists(path_)) throw base::no_such_file(path_);
  TIFFOpenOptions* const options = TIFFOpenOptionsAlloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options, keep_message, &message_);
  TIFFOpenOptionsSetWarningHandlerExtR(options, drop_message, nullptr);
  tiff_ = TIFFOpenExt(path_.c_str(), "rm", options);
  TIFFOpenOptionsFree(options);
  if (tiff_ == nullptr) throw error("not a TIFF file that can be read");
}

TiffHandle::~TiffHandle() {
  TIFFClose(tiff_);
}

base::Error TiffHandle::error(const std::string& what) const {
  return base::run_error("{}: TIFF: {}", path_, message_.empty() ? what : message_);
}

TiffLayout TiffHandle::layout() {
  TiffLayout layout{.big_endian = TIFFIsBigEndian(tiff_) != 0};
  const char* description = nullptr;
  if (TIFFGetField(tiff_, TIFFTAG_IMAGEDESCRIPTION, &description) == 1) {
    layout.description = description;
  }
  message_.clear();
  do {
    const auto kind = field_of<std::uint32_t>(tiff_, TIFFTAG_SUBFILETYPE, 0);
    if ((kind & kOtherPages) == 0) layout.pages.push_back(page());
  } while (TIFFReadDirectory(tiff_) == 1);
  if (!message_.empty()) throw error("");
  if (layout.pages.empty()) throw error("has no page");
  return layout;
}

TiffPage TiffHandle::page() {
  const auto format = field_of<std::uint16_t>(tiff_, TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT);
  const auto bits = field_of<std::uint16_t>(tiff_, TIFFTAG_BITSPERSAMPLE, 1);
  const auto rows = field_of<std::uint32_t>(tiff_, TIFFTAG_IMAGELENGTH, 0);
  TiffPage page{.directory = TIFFCurrentDirOffset(tiff_),
                .rows = rows,
                .columns = field_of<std::uint32_t>(tiff_, TIFFTAG_IMAGEWIDTH, 0),
                .samples = field_of<std::uint16_t>(tiff_, TIFFTAG_SAMPLESPERPIXEL, 1),
                .are_planes = field_of<std::uint16_t>(tiff_, TIFFTAG_PLANARCONFIG,
                                                      PLANARCONFIG_CONTIG) == PLANARCONFIG_SEPARATE,
                .type = element_of(format, bits),
                .problem = problem_of(tiff_, format, bits),
                .is_tiled = TIFFIsTiled(tiff_) != 0,
                .is_compressed = field_of<std::uint16_t>(tiff_, TIFFTAG_COMPRESSION,
                                                         COMPRESSION_NONE) != COMPRESSION_NONE,
                .first_byte = TIFFGetStrileOffset(tiff_, 0),
                .no_data = no_data_of(tiff_)};
  page.are_planes &= page.samples > 1;
  if (page.is_tiled) {
    page.chunk_rows = field_of<std::uint32_t>(tiff_, TIFFTAG_TILELENGTH, 0);
    page.chunk_columns = field_of<std::uint32_t>(tiff_, TIFFTAG_TILEWIDTH, 0);
  } else {
    page.chunk_rows = std::min(field_of<std::uint32_t>(tiff_, TIFFTAG_ROWSPERSTRIP, rows), rows);
    page.chunk_columns = page.columns;
  }
  return page;
}

bool TiffHandle::read(const TiffPage& page, std::uint32_t chunk, std::span<std::byte> bytes) {
  message_.clear();
  if (directory_ != page.directory) {
    directory_.reset();
    if (TIFFSetSubDirectory(tiff_, page.directory) != 1) throw error("a page is damaged");
    directory_ = page.directory;
  }
  if (TIFFGetStrileOffset(tiff_, chunk) == 0) return false;
  const auto size = static_cast<tmsize_t>(bytes.size());
  const tmsize_t got = page.is_tiled ? TIFFReadEncodedTile(tiff_, chunk, bytes.data(), size)
                                     : TIFFReadEncodedStrip(tiff_, chunk, bytes.data(), size);
  if (got < 0 || got < size) throw error("a strip or tile is cut off");
  return true;
}

}  // namespace tessera::store
