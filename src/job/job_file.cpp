#include "job/job_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/user_path.hpp"
#include "base/text.hpp"
#include "job/image/foreign_place.hpp"
#include "job/values.hpp"

namespace tessera::job {

namespace {

/// Larger than any job file; avoids reading an image file that was named by mistake.
constexpr std::size_t kLargestFileBytes = 1 << 20;

std::string take_text(std::istream& file, const std::string& path) {
  std::string text(kLargestFileBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad()) throw base::missing_error("{}: cannot read this job file", path);
  if (text.size() > kLargestFileBytes) {
    throw base::usage_error("{}: is larger than 1 MiB, not a job file", path);
  }
  // A byte order mark would shift the columns of the first line.
  if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
  return text;
}

/// The text of the file and its path, for messages.
struct Source {
  const std::string& path;
  std::vector<std::string_view> lines;

  std::string origin(const toml::source_region& region, std::string_view key) const {
    return fmt::format("{}:{}: {}", path, region.begin.line, key);
  }
};

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return lines;
}

/// The digits of a float as written in the file, because f64 would drop some. TOML's underscores
/// between digits are removed.
std::string written_digits(const Source& source, const toml::source_region& region) {
  const std::string_view line = source.lines.at(region.begin.line - 1);
  std::size_t at = 0;
  // Columns count code points from 1; a byte 10xxxxxx continues a code point.
  for (auto column = region.begin.column; at < line.size(); ++at) {
    const bool continues = (static_cast<unsigned char>(line[at]) & 0xc0) == 0x80;
    if (!continues && --column == 0) break;
  }
  std::string digits;
  for (; at < line.size(); ++at) {
    const char c = line[at];
    const bool part = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == 'E' || c == '.' ||
                      c == '+' || c == '-' || c == '_';
    if (!part) break;
    if (c != '_') digits += c;
  }
  return digits;
}

std::optional<std::string> number_text(const Source& source, const toml::node& node) {
  if (node.is_integer()) return std::to_string(node.as_integer()->get());
  if (node.is_floating_point()) return written_digits(source, node.source());
  return std::nullopt;
}

/// "RE,IM" of an array of numbers or strings; nothing if it holds anything else.
std::optional<std::string> list_text(const Source& source, const toml::array& array) {
  std::vector<std::string> parts;
  for (const toml::node& element : array) {
    std::optional<std::string> part = number_text(source, element);
    if (element.is_string()) part = element.as_string()->get();
    if (!part) return std::nullopt;
    parts.push_back(std::move(*part));
  }
  return base::join(parts, ",");
}

/// The value as command line text; nothing if `kind` does not allow its type.
std::optional<std::string> value_text(const Source& source, const toml::node& node, Kind kind) {
  if (kind == Kind::toggle) {
    if (!node.is_boolean()) return std::nullopt;
    return node.as_boolean()->get() ? "true" : "false";
  }
  if (node.is_string()) return node.as_string()->get();
  if (kind == Kind::list && node.is_array()) return list_text(source, *node.as_array());
  if (kind == Kind::number || kind == Kind::integer) return number_text(source, node);
  return std::nullopt;
}

std::string_view requested(Kind kind) {
  switch (kind) {
    case Kind::text:
      return "a string in quotes";
    case Kind::number:
    case Kind::integer:
      return "a number";
    case Kind::list:
      return "a string or an array of numbers or strings";
    case Kind::toggle:
      return "true or false";
  }
  return "another type";
}

const Key& find_key(std::span<const Key> keys, std::string_view name, const std::string& origin) {
  std::vector<std::string> names;
  for (const Key& key : keys) {
    if (key.name == name) return key;
    names.emplace_back(key.name);
  }
  throw base::usage_error("{}: there is no such key; {}", origin, suggestion(name, names));
}

Given read_entry(const Source& source, const toml::key& name, const toml::node& node,
                 std::span<const Key> keys) {
  const std::string origin = source.origin(name.source(), name.str());
  if (node.is_table() || node.is_array_of_tables()) {
    throw base::usage_error(
        "{}: a job file has no tables but [film]; put its keys at the top, one a line", origin);
  }
  const Key& key = find_key(keys, name.str(), origin);
  std::optional<std::string> text = value_text(source, node, key.kind);
  if (!text) throw base::usage_error("{}: must be {}", origin, requested(key.kind));
  if (key.is_path) text = base::user_path(*text, origin + ":");
  return {std::string(name.str()), std::move(*text), origin};
}

toml::table parse(const std::string& path, std::string_view text) {
  if (const std::string place = foreign_place(text); !place.empty()) {
    throw base::usage_error("{}: {}", path, place);
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    std::string reason(error.description());
    std::ranges::replace(reason, '\n', ' ');
    throw base::usage_error("{}:{}: {}", path, error.source().begin.line, reason);
  }
}

std::vector<Given> read_table(const toml::table& table, const Source& source,
                              std::span<const Key> keys, std::string_view other) {
  // The table is sorted by name, but the first error to report is the first in the file.
  std::vector<std::pair<const toml::key*, const toml::node*>> entries;
  for (const auto& [name, node] : table) {
    if (node.is_table() && name.str() == other) continue;
    entries.emplace_back(&name, &node);
  }
  std::ranges::sort(entries, {}, [](const auto& entry) {
    const toml::source_position at = entry.first->source().begin;
    return std::pair(at.line, at.column);
  });
  std::vector<Given> given;
  given.reserve(entries.size());
  for (const auto& [name, node] : entries) given.push_back(read_entry(source, *name, *node, keys));
  return given;
}

}  // namespace

std::string read_job_text(const std::string& path) {
  if (path == base::kStandardInput) return take_text(std::cin, path);
  std::error_code unknown;  // opening the file reports the error
  if (std::filesystem::is_directory(path, unknown)) {
    throw base::usage_error("{}: is a folder, not a job file", path);
  }
  if (base::is_url(path)) throw base::url_error(path);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file && base::is_named(path) && !base::exists(path)) throw base::no_such_file(path);
  if (!file) {
    throw base::missing_error("{}: cannot read this job file: {}", path,
                              std::generic_category().message(errno));
  }
  return take_text(file, path);
}

std::vector<Given> parse_job_text(const std::string& path, const std::string& text,
                                  std::span<const Key> keys, std::string_view other) {
  return read_table(parse(path, text), {path, split_lines(text)}, keys, other);
}

std::vector<Given> parse_job_table(const std::string& path, const std::string& text,
                                   std::string_view name, std::span<const Key> keys) {
  const toml::table whole = parse(path, text);
  const toml::node* const node = whole.get(name);
  if (node == nullptr) return {};
  const Source source{path, split_lines(text)};
  if (!node->is_table()) {
    throw base::usage_error("{}: must be a table, a line [{}] and its keys below",
                            source.origin(node->source(), name), name);
  }
  return read_table(*node->as_table(), source, keys, "");
}

}  // namespace tessera::job
