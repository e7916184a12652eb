#include "store/zarr/zarr_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "store/arrays/fill_element.hpp"

namespace tessera::store {
namespace {

using Kind = codec::Filter::Kind;

/// Puts quotes around words that are no JSON, outside of strings.
std::string with_quoted_words(const std::string& text) {
  std::string out;
  bool in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string && c == '\\' && at + 1 < text.size()) {
      out.append(text, at, 2);
      ++at;
      continue;
    }
    if (c == '"') in_string = !in_string;
    bool replaced = false;
    for (const std::string_view word : {"NaN", "-Infinity", "Infinity"}) {
      if (in_string || replaced || text.compare(at, word.size(), word) != 0) continue;
      out.append("\"").append(word).append("\"");
      at += word.size() - 1;
      replaced = true;
    }
    if (!replaced) out += c;
  }
  return out;
}

/// The bytes of base64; nothing for other text.
std::optional<std::vector<std::byte>> from_base64(std::string_view text) {
  std::vector<std::byte> bytes;
  std::uint32_t bits = 0;
  int count = 0;
  while (text.ends_with('=')) text.remove_suffix(1);
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<std::byte>(bits >> count & 0xff));
  }
  return bytes;
}

std::optional<double> special_number(const std::string& text) {
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return std::nullopt;
}

/// The bits of an element of so many bytes, behind "0x"; nothing for text that is none.
std::optional<std::vector<std::byte>> bits_of_hex(const std::string& text, std::size_t bytes) {
  std::uint64_t bits = 0;
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + 2, end, bits, 16);
  const std::size_t unused = 8 * (sizeof bits - bytes);
  if (last != end || error != std::errc() || bits << unused >> unused != bits) return std::nullopt;
  const auto all = std::as_bytes(std::span(&bits, 1));
  return std::vector<std::byte>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(bytes));
}

}  // namespace

Json parse_zarr_json(const std::string& text, const std::string& name) {
  Json json = Json::parse(with_quoted_words(text), nullptr, false);
  if (json.is_object()) return json;
  throw base::usage_error("{}: Zarr: its metadata are damaged: not a JSON object", name);
}

const Json& member_of(const Json& object, const char* key) {
  static const Json null;
  if (!object.is_object()) return null;
  const auto found = object.find(key);
  return found == object.end() ? null : *found;
}

job::Shape shape_of(const Json& list, std::int64_t least, const std::string& name,
                    std::string_view what) {
  const auto fits = [&](const Json& side) {
    return side.is_number_integer() && side >= least && side <= std::int64_t{1} << 62;
  };
  if (!list.is_array() || !std::ranges::all_of(list, fits)) {
    throw base::usage_error("{}: Zarr: its metadata are damaged: {} is {}", name, what,
                            base::printable(list.dump()));
  }
  return list.get<job::Shape>();
}

std::string json_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

codec::Filter filter_of(const std::string& codec, const Json& settings, std::size_t element_bytes,
                        const std::string& name) {
  constexpr std::string_view kPrefix = "numcodecs.";
  const std::string id = codec.starts_with(kPrefix) ? codec.substr(kPrefix.size()) : codec;
  constexpr std::array kSimple =
      std::to_array<std::pair<std::string_view, Kind>>({{"zstd", Kind::zstd},
                                                        {"gzip", Kind::gzip},
                                                        {"zlib", Kind::deflate},
                                                        {"blosc", Kind::blosc},
                                                        {"lz4", Kind::lz4_sized},
                                                        {"crc32c", Kind::crc32c}});
  const auto* const found =
      std::ranges::find(kSimple, id, &std::pair<std::string_view, Kind>::first);
  if (found != kSimple.end()) {
    if (!codec::is_built(found->second)) {
      throw base::missing_error(
          "{}: Zarr: this build does not read the codec '{}': it was configured without its "
          "library "
          "(docs/install.md, \"Libraries\")",
          name, id);
    }
    if (member_of(settings, "location") == "start") {
      throw base::usage_error("{}: Zarr: the codec '{}' with its checksum at the start is not read",
                              name, id);
    }
    return {.kind = found->second, .element_bytes = element_bytes};
  }
  const Json& width = member_of(settings, "elementsize");
  if (id == "shuffle" && (width.is_null() || (width.is_number_unsigned() && width > 0))) {
    // numcodecs says 4 where nobody says anything.
    return {.kind = Kind::shuffle,
            .element_bytes = width.is_null() ? std::size_t{4} : width.get<std::size_t>()};
  }
  throw base::usage_error("{}: Zarr: the codec '{}' is not read", name, base::printable(codec));
}

void check_filters(const codec::Filters& filters, const std::string& name) {
  if (codec::sizes_are_known(filters)) return;
  std::string list;
  for (const codec::Filter& filter : filters) {
    list += (list.empty() ? "" : ", ") + std::string(codec::name_of(filter.kind));
  }
  throw base::usage_error("{}: Zarr: the codecs {} are not read in this order", name, list);
}

std::vector<std::byte> fill_of(const Json& value, const ZarrMetadata& array,
                               const std::string& name) {
  const std::size_t bytes = base::element_bytes(array.type);
  const auto wrong = [&] {
    return base::usage_error("{}: Zarr: its fill_value is {}, which is no {}", name,
                             base::printable(value.dump()), base::element_name(array.type));
  };
  if (value.is_null()) return std::vector<std::byte>(bytes);
  if (value.is_boolean()) {
    if (!array.is_boolean) throw wrong();
    return {value.get<bool>() ? std::byte{1} : std::byte{0}};
  }
  if (value.is_string() && value.get<std::string>().starts_with("0x")) {
    const auto bits = bits_of_hex(value.get<std::string>(), bytes);
    if (!bits) throw wrong();
    return *bits;
  }
  std::optional<long double> number;
  if (value.is_number()) number = value.get<long double>();
  if (value.is_string()) number = special_number(value.get<std::string>());
  const auto element = number ? fill_element(*number, array.type) : std::nullopt;
  if (!element) throw wrong();
  return *element;
}

PackedAttribute packed_attribute(const std::string& key, const Json& value,
                                 const ZarrMetadata& array) {
  PackedAttribute attribute{.name = key};
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    const auto special = special_number(text);
    // xarray writes a fill value of floats as the bytes of an f8.
    const auto bytes =
        base::is_floating(array.type) && key == "_FillValue" ? from_base64(text) : std::nullopt;
    attribute.kind = PackedAttribute::Kind::text;
    attribute.text = text;
    if (special || (bytes && bytes->size() == sizeof(double))) {
      double number = special.value_or(0);
      if (!special) std::memcpy(&number, bytes->data(), sizeof number);
      attribute.kind = PackedAttribute::Kind::numbers;
      attribute.numbers = {number};
    }
    return attribute;
  }
  const Json list = value.is_array() ? value : Json::array({value});
  bool all_integers = true;
  for (const Json& one : list) {
    if (one.is_number_unsigned()) {
      attribute.numbers.push_back(one.get<std::uint64_t>());
    } else if (one.is_number_integer()) {
      attribute.numbers.push_back(one.get<std::int64_t>());
    } else if (one.is_number()) {
      all_integers = false;
      attribute.numbers.push_back(one.get<double>());
    } else if (const auto special =
                   one.is_string() ? special_number(one.get<std::string>()) : std::nullopt) {
      all_integers = false;
      attribute.numbers.push_back(*special);
    } else {
      attribute.numbers.clear();
      return attribute;  // of another kind
    }
  }
  attribute.kind = PackedAttribute::Kind::numbers;
  const bool scales = key == "scale_factor" || key == "add_offset";
  if (all_integers && !scales && !base::is_floating(array.type)) attribute.type = array.type;
  return attribute;
}

PackedAttributes packed_of(const Json& attributes, const ZarrMetadata& array) {
  PackedAttributes packed;
  for (const std::string_view known : kPackedNames) {
    const std::string key(known);
    const Json& value = member_of(attributes, key.c_str());
    if (!value.is_null()) packed.list.push_back(packed_attribute(key, value, array));
  }
  return packed;
}

std::vector<TextAttribute> texts_of(const Json& attributes) {
  std::vector<TextAttribute> texts;
  if (!attributes.is_object()) return texts;
  for (const auto& [key, value] : attributes.items()) {
    if (value.is_string()) texts.emplace_back(key, value.get<std::string>());
  }
  return texts;
}

}  // namespace tessera::store
