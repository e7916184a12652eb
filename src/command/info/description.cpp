#include "command/info/description.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/bools.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace tessera::command {

std::string head_of(const std::string& path, const std::string& what, report::Json& json,
                    std::uint64_t more_bytes) {
  std::error_code gone;  // a .part may get its final name at any moment
  const bool is_folder = std::filesystem::is_directory(path, gone);
  // A folder of arrays may have millions of files.
  json["bytes"] = nullptr;
  if (is_folder && more_bytes == 0) return fmt::format("{}: {}\n", base::printable(path), what);
  const auto bytes = more_bytes + (is_folder ? 0 : std::filesystem::file_size(path, gone));
  if (!gone) json["bytes"] = bytes;
  return fmt::format("{}: {}, {}\n", base::printable(path), what,
                     gone ? "renamed just now" : base::format_bytes(static_cast<double>(bytes)));
}

std::string row_of(std::string_view key, std::string_view value) {
  return fmt::format("  {:<19} {}\n", base::printable(key), base::printable(value));
}

report::Json dataset_json(std::string_view name, const store::ArrayInfo& info,
                          const std::vector<std::string>& dimensions) {
  report::Json json = {{"name", name},
                       {"dtype", base::element_code(info.type, info.is_boolean)},
                       {"shape", info.shape}};
  if (!dimensions.empty()) json["dimensions"] = dimensions;
  return json;
}

std::string describe_names(std::vector<std::string> names) {
  if (names.empty()) return "";
  std::ranges::replace(names, std::string(), std::string("?"));
  return fmt::format(", {}", fmt::join(names, " x "));
}

void describe_packing(const store::PackedAttributes* attributes, Description& to) {
  if (attributes == nullptr) return;
  report::Json& packed = to.json["datasets"].back()["packed"];
  for (const store::PackedAttribute& attribute : attributes->list) {
    to.text += row_of("", fmt::format("{} = {}", attribute.name, text_of(attribute)));
    packed[attribute.name] = text_of(attribute);
  }
}

}  // namespace tessera::command
