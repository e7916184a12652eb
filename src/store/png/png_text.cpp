#include "store/png/png_text.hpp"

#include <cstdint>
#include <fstream>
#include <string_view>

#include "base/file/posix_file.hpp"

namespace tessera::store {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n"sv;
constexpr std::string_view kEnd = "\0\0\0\0IEND\xae\x42\x60\x82"sv;
constexpr std::uint32_t kMaxTextBytes = 1 << 20;

std::string read(std::ifstream& file, std::size_t bytes) {
  std::string text(bytes, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(bytes))) text.clear();
  return text;
}

bool has_end(std::ifstream& file) {
  file.seekg(-static_cast<std::streamoff>(kEnd.size()), std::ios::end);
  const bool whole = read(file, kEnd.size()) == kEnd;
  file.clear();
  return whole;
}

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

/// Takes the text up to a 0, and the 0, off the front of `rest`.
std::string take_text(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(std::min(text.size() + 1, rest.size()));
  return std::string(text);
}

/// PNG 1.2, 11.3.4: keyword, 0, text. In an iTXt chunk, two bytes about compression and two more
/// texts, each with its 0, come between. Nothing if the text is compressed.
std::optional<std::pair<std::string, std::string>> parse_text(bool international,
                                                              std::string_view data) {
  std::string key = take_text(data);
  if (international) {
    if (data.size() < 2 || data[0] != 0) return std::nullopt;
    data.remove_prefix(2);
    take_text(data);
    take_text(data);
  }
  return std::pair(std::move(key), std::string(data));
}

}  // namespace

std::optional<PictureTexts> read_png_text(const std::string& path, PngTexts which) {
  if (!base::is_regular(path)) return std::nullopt;  // a pipe would wait for a writer
  std::ifstream file(path, std::ios::binary);
  if (!file || !has_end(file)) return std::nullopt;
  file.seekg(0);
  if (read(file, kSignature.size()) != kSignature) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> texts;
  for (;;) {
    const std::string head = read(file, 8);
    if (head.empty()) return std::nullopt;
    const std::uint32_t bytes = big_endian(std::string_view(head).substr(0, 4));
    const std::string_view type = std::string_view(head).substr(4);
    if (type == "IEND" || (type == "IDAT" && which == PngTexts::before_pixels)) return texts;
    const bool text = type == "tEXt" || type == "iTXt";
    if (text && bytes <= kMaxTextBytes) {
      if (auto entry = parse_text(type == "iTXt", read(file, bytes))) texts.push_back(*entry);
    } else {
      file.seekg(bytes, std::ios::cur);
    }
    file.seekg(4, std::ios::cur);  // the checksum
  }
}

std::optional<base::ImageSize> png_size(const std::string& path) {
  constexpr std::string_view kHead = "\0\0\0\rIHDR"sv;  // always the first chunk
  std::ifstream file(path, std::ios::binary);
  if (read(file, kSignature.size()) != kSignature || read(file, kHead.size()) != kHead) {
    return std::nullopt;
  }
  const std::string sides = read(file, 8);
  if (sides.empty()) return std::nullopt;
  return base::ImageSize{big_endian(std::string_view(sides).substr(0, 4)),
                         big_endian(std::string_view(sides).substr(4))};
}

}  // namespace tessera::store
