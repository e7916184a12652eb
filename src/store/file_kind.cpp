#include "store/file_kind.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "base/file/posix_file.hpp"
#include "job/image/foreign_place.hpp"

namespace tessera::store {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n"sv;

/// Enough to see a place of another program.
constexpr std::size_t kFrontBytes = 4096;

struct Magic {
  std::string_view bytes;
  std::string_view kind;
};

constexpr std::array kMagics = std::to_array<Magic>({
    {"\xff\xd8\xff"sv, "is a JPEG picture, which keeps neither the counts nor the place"},
    {"GIF8"sv, "is a GIF picture, which keeps neither the counts nor the place"},
    {"II*\0"sv, "is a TIFF picture, which keeps neither the counts nor the place"},
    {"MM\0*"sv, "is a TIFF picture, which keeps neither the counts nor the place"},
    {"v/1\1"sv, "is an OpenEXR picture, which is not read"},
    {"\x93NUMPY"sv, "is an array of NumPy; its name has to end in .npy"},
    {"CDF\1"sv, "is NetCDF-3, and no image that Tessera made"},
    {"CDF\2"sv, "is NetCDF-3, and no image that Tessera made"},
    {"CDF\5"sv, "is NetCDF-3, and no image that Tessera made"},
    {"PK\3\4"sv, "is a zip archive; unpack it"},
    {"\x0e\x03\x13\x01"sv, "is HDF4, which is not read; make HDF5 of it: h4toh5convert"},
    {"GRIB"sv, "is GRIB, which is not read; make NetCDF of it: cdo -f nc copy OLD NEW.nc"},
    {"SIMPLE  ="sv, "is FITS, which is not read"},
    {"PAR1"sv, "is Parquet, which is not read"},
    {"MATLAB 5.0"sv, "is a MATLAB file before version 7.3; save it with -v7.3"},
    {"\x28\xb5\x2f\xfd"sv, "is compressed by zstd; unpack it"},
    {"\x1f\x8b"sv, "is compressed by gzip; unpack it"},
    {"%PDF"sv, "is a PDF document"},
});

/// Whether the chunks go on to the one that ends a picture.
bool is_whole_png(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff bytes = file.tellg();
  std::array<unsigned char, 8> head{};
  for (auto at = static_cast<std::streamoff>(kPng.size()); file.seekg(at);) {
    if (!file.read(reinterpret_cast<char*>(head.data()), head.size())) return false;
    const std::uint32_t length = std::uint32_t{head[0]} << 24 | std::uint32_t{head[1]} << 16 |
                                 std::uint32_t{head[2]} << 8 | head[3];
    at += std::streamoff{12} + length;
    if (at > bytes) return false;
    if (std::string_view(reinterpret_cast<const char*>(head.data()) + 4, 4) == "IEND") return true;
  }
  return false;
}

}  // namespace

std::string array_fault(const std::string& path) {
  std::string fault = what_else(path);
  return fault.ends_with("not an HDF5 file") ? "is of no format that is read" : fault;
}

std::string what_else(const std::string& path, const std::string& otherwise) {
  const std::string front = base::front_of(path, kFrontBytes);
  if (front.empty()) return "is empty; " + otherwise;
  if (front.starts_with(kPng)) {
    return is_whole_png(path) ? "is a PNG picture; what was rendered is needed, FILE.h5"
                              : "is a PNG picture that is cut off; copy it again, or make it again";
  }
  if (front.size() > 3 && kPng.starts_with(front)) return "is a PNG picture that is cut off";
  const auto* const magic =
      std::ranges::find_if(kMagics, [&](const Magic& one) { return front.starts_with(one.bytes); });
  if (magic != kMagics.end()) return std::string(magic->kind);
  if (std::string place = job::foreign_place(front); !place.empty()) return place;
  return otherwise;
}

}  // namespace tessera::store
