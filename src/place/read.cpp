#include "place/read.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/user_path.hpp"
#include "base/foreign_text.hpp"
#include "place/formats.hpp"
#include "store/picture/picture_notes.hpp"

namespace tessera::place {
namespace {

/// More than any text has; of a binary file, the place is near the front.
constexpr std::size_t kMaxBytes = 4 << 20;

/// Files of other kinds are not searched for words.
bool is_text(std::string_view text) {
  return text.find('\0') == text.npos;
}

const Format* format_of(std::string_view text) {
  if (!is_imagina_binary(text) && !is_text(text)) return nullptr;
  const auto found =
      std::ranges::find_if(formats(), [&](const Format& format) { return format.is(text); });
  return found == formats().end() ? nullptr : &*found;
}

/// Programs number the texts of a picture otherwise; Tessera's own picture has its "Center".
std::optional<Place> place_in_notes(const store::PictureTexts& notes, const std::string& name) {
  for (const auto& [key, text] : notes) {
    if (key == "Center") return std::nullopt;
  }
  for (const auto& [key, text] : notes) {
    if (is_foreign(text)) return read_text(text, name);
  }
  return std::nullopt;
}

std::optional<Place> read_file(const std::string& path, const std::string& entry) {
  if (const auto notes = store::read_picture_notes(path)) return place_in_notes(*notes, path);
  return read_text(base::front_of(path, kMaxBytes), path, entry);
}

}  // namespace

std::optional<Place> read_text(std::string_view text, const std::string& name,
                               const std::string& entry) {
  const std::string_view own = base::without_bom(text);
  const Format* const format = format_of(own);
  if (!format) return std::nullopt;
  Place place = format->read({name, std::string(own), entry});
  place.format = format->name;
  return place;
}

bool is_foreign(std::string_view text) {
  const Format* const format = format_of(base::without_bom(text));
  return format && format->sure;
}

std::optional<Place> read_place(const std::string& name) {
  if (base::is_regular(name)) return read_file(name, "");
  if (base::is_url(name)) return is_known_link(name) ? read_text(name, name) : std::nullopt;
  const std::size_t colon = name.rfind(':');
  if (colon == name.npos || !base::is_regular(name.substr(0, colon))) return std::nullopt;
  return read_file(name.substr(0, colon), name.substr(colon + 1));
}

}  // namespace tessera::place
