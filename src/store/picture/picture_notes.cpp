#include "store/picture/picture_notes.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fstream>
#include <string_view>

#include "base/file/posix_file.hpp"
#include "store/png/png_text.hpp"
#include "store/tiff/tiff_file.hpp"

namespace tessera::store {
namespace {

using namespace std::string_view_literals;

/// Longest text that is taken.
constexpr std::uint32_t kMaxNoteBytes = 1 << 24;

std::string take(std::ifstream& file, std::size_t bytes) {
  std::string text(bytes, '\0');
  file.read(text.data(), static_cast<std::streamsize>(bytes));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

std::uint32_t number_of(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

/// The segments up to the pixels (ITU T.81, annex B): a marker, a length that counts itself, data.
PictureTexts jpeg_notes(const std::string& path) {
  constexpr unsigned kComment = 0xFE;
  constexpr unsigned kStartOfScan = 0xDA;
  constexpr unsigned kEnd = 0xD9;
  std::ifstream file(path, std::ios::binary);
  file.seekg(2);
  std::string comment;
  for (;;) {
    const std::string head = take(file, 4);
    if (head.size() < 4 || head[0] != '\xff') break;
    const auto marker = static_cast<unsigned char>(head[1]);
    const std::uint32_t bytes = number_of(std::string_view(head).substr(2));
    if (marker == kStartOfScan || marker == kEnd || bytes < 2) break;
    if (marker == kComment) {
      comment += take(file, bytes - 2);
    } else {
      file.seekg(bytes - 2, std::ios::cur);
    }
  }
  return {{"Comment", comment}};
}

/// A text up to a 0.
std::string take_name(std::ifstream& file) {
  std::string name;
  if (!std::getline(file, name, '\0')) name.clear();
  return name;
}

/// The attributes of the first part (OpenEXR file layout): name, type, length, data; an empty name
/// ends them.
PictureTexts exr_notes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  file.seekg(8);
  PictureTexts notes;
  for (std::string name = take_name(file); !name.empty(); name = take_name(file)) {
    const std::string type = take_name(file);
    std::string length = take(file, 4);
    std::ranges::reverse(length);
    const std::uint32_t bytes = number_of(length);
    if (type == "string" && bytes <= kMaxNoteBytes) {
      notes.emplace_back(std::move(name), take(file, bytes));
    } else {
      file.seekg(bytes, std::ios::cur);
    }
  }
  return notes;
}

PictureTexts png_notes(const std::string& path) {
  return read_png_text(path, PngTexts::all).value_or(PictureTexts());
}

PictureTexts tiff_notes(const std::string& path) {
  return {{"ImageDescription", TiffHandle(path).layout().description}};
}

constexpr auto kExr = "v/1\1"sv;

struct Container {
  std::string_view magic;
  PictureTexts (*read)(const std::string& path);
};

constexpr std::array kContainers = std::to_array<Container>({
    {"\x89PNG\r\n\x1a\n"sv, png_notes},
    {"\xff\xd8\xff"sv, jpeg_notes},
    {"II*\0"sv, tiff_notes},
    {"MM\0*"sv, tiff_notes},
    {"II+\0"sv, tiff_notes},
    {"MM\0+"sv, tiff_notes},
    {kExr, exr_notes},
});

}  // namespace

std::optional<PictureTexts> read_picture_notes(const std::string& path) {
  if (!base::is_regular(path)) return std::nullopt;  // a pipe would wait for a writer
  std::ifstream file(path, std::ios::binary);
  const std::string front = take(file, 8);
  const auto* const found = std::ranges::find_if(
      kContainers, [&](const Container& one) { return front.starts_with(one.magic); });
  if (found == kContainers.end()) return std::nullopt;
  return found->read(path);
}

std::optional<PictureTexts> read_exr_notes(const std::string& path) {
  if (base::front_of(path, kExr.size()) != kExr) return std::nullopt;
  return exr_notes(path);
}

}  // namespace tessera::store
