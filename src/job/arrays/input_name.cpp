#include "job/arrays/input_name.hpp"

#include <glob.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <span>
#include <system_error>

#include "base/error.hpp"
#include "base/file/user_path.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "job/arrays/array_input.hpp"

namespace tessera::job {
namespace {

using Text = std::string_view;

constexpr Text kDatasetMark = ":/";

/// For glob(3), of which a `*` alone is to have its meaning, and only if it is no escape.
std::string pattern_of(Text path) {
  std::string pattern;
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('*', at), path.size());
    for (const char c : base::from_printable(path.substr(at, end - at))) {
      if (Text("*?[\\").find(c) != Text::npos) pattern += '\\';
      pattern += c;
    }
    if (end < path.size()) pattern += '*';
    at = end + 1;
  }
  return pattern;
}

bool matches_any(const std::string& pattern) {
  glob_t found{};
  const bool any = ::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0;
  ::globfree(&found);
  return any;
}

/// "?dtype=f4" and the like.
bool looks_like_options(Text tail) {
  if (!tail.starts_with('?')) return false;
  const std::size_t length = length_of_name(tail.substr(1));
  return length > 0 && tail.substr(1 + length).starts_with('=');
}

/// Where a path may end: before each ":/" and before options, and at the end of the text.
std::vector<std::size_t> ends_of_path(Text text) {
  std::vector<std::size_t> ends;
  for (std::size_t at = 1; at < text.size(); ++at) {
    const Text tail = text.substr(at);
    if (tail.starts_with(kDatasetMark) || looks_like_options(tail)) ends.push_back(at);
  }
  ends.push_back(text.size());
  return ends;
}

/// Puts the file that `text` names into `name`. Returns whether it is there.
bool find_file(Text text, InputName& name) {
  name.path = base::home_path(text);
  name.pattern.clear();
  if (text.find('*') != text.npos) {
    name.pattern = pattern_of(name.path);
    return matches_any(name.pattern);
  }
  if (base::is_named(name.path)) return true;
  // With escapes, a colon or a question mark that is none separates.
  if (ends_of_path(text).size() > 1) return false;
  name.path = base::home_path(base::from_printable(text));
  return base::is_named(name.path);
}

/// The reading of which the path ends at `end`.
InputName reading_of(Text text, std::size_t end) {
  InputName name{.tail = std::string(text.substr(end))};
  name.has_options = name.tail.starts_with('?');
  if (name.has_options) name.options = name.tail.substr(1);
  if (name.tail.starts_with(kDatasetMark)) name.dataset = name.tail.substr(1);
  return name;
}

/// The ends of paths that are there.
std::vector<std::size_t> found_ends(Text text) {
  std::vector<std::size_t> ends = ends_of_path(text);
  InputName name;
  std::erase_if(ends, [&](std::size_t end) { return !find_file(text.substr(0, end), name); });
  return ends;
}

base::Error ambiguous(Text text, Text one, Text other) {
  return base::usage_error(
      "{}: files {} and {} are both there; in a name, write \\x3f for a question mark, \\x3a for a "
      "colon, \\x3d for =, \\x2c for a comma",
      text, one, other);
}

/// "random:", "linspace:"
bool is_generated(Text text) {
  return text.starts_with("random:") || text.starts_with("linspace:");
}

/// Whether the text has the form of an INPUT, whatever is there.
bool has_form_of_input(Text text) {
  return is_generated(text) || find_array_format(text) != nullptr ||
         ends_of_path(text).size() > 1 || base::is_url(text);
}

/// The text of an INPUT without blanks around it, unless they belong to a file that is there.
Text without_blanks(Text text) {
  return found_ends(text).empty() ? base::trim(text) : text;
}

bool is_within_brackets(Text front) {
  const std::size_t open = front.rfind('[');
  return open != front.npos && front.find(']', open) == front.npos;
}

/// The number of parts of "a,b.npy,k.npy" that are one name, from the first one on: more than one
/// if a comma belongs to the name of a file that is there.
std::size_t parts_of_name(const std::vector<Text>& parts) {
  const Text all(
      parts.front().data(),
      static_cast<std::size_t>(parts.back().data() + parts.back().size() - parts.front().data()));
  for (std::size_t count = parts.size(); count > 1; --count) {
    const std::size_t end =
        static_cast<std::size_t>(parts[count - 1].data() - all.data()) + parts[count - 1].size();
    const Text joined = without_blanks(all.substr(0, end));
    const std::size_t comma = joined.rfind(',');
    const std::vector<std::size_t> ends = found_ends(joined);
    // Behind the path it would be a comma of options or of a dataset.
    if (comma == joined.npos || ends.empty() || ends.back() < comma) continue;
    const auto some = std::span(parts).first(count);
    if (std::ranges::all_of(some, [](Text part) { return is_input(part); })) {
      throw ambiguous(joined, joined, base::trim(parts.front()));
    }
    return count;
  }
  return 1;
}

}  // namespace

std::size_t length_of_name(Text text) {
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const auto* const end = std::ranges::find_if_not(text, is_of_name);
  const bool digit = !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
  return digit ? 0 : static_cast<std::size_t>(end - text.begin());
}

bool is_input(Text text) {
  return is_generated(text) || !found_ends(base::trim(text)).empty() || !found_ends(text).empty();
}

InputName split_input(Text text) {
  const std::vector<std::size_t> ends = found_ends(text);
  if (ends.size() > 1) {
    throw ambiguous(text, text.substr(0, ends.front()), text.substr(0, ends.back()));
  }
  if (ends.empty() && base::is_url(text)) throw base::url_error(text);
  const std::size_t end = ends.empty() ? ends_of_path(text).front() : ends.front();
  InputName name = reading_of(text, end);
  find_file(text.substr(0, end), name);
  return name;
}

std::size_t length_of_input_name(Text text) {
  const std::size_t length = length_of_name(text);
  if (length == 0 || !text.substr(length).starts_with('=')) return 0;
  if (!is_input(text)) return length;
  const Text rest = text.substr(length + 1);
  if (is_input(rest)) throw ambiguous(text, text, rest);
  return 0;
}

std::vector<std::string> split_inputs(Text list) {
  if (base::trim(list).empty()) return {};
  std::vector<Text> parts;
  for (std::size_t begin = 0; begin <= list.size();) {
    std::size_t end = std::min(list.find(',', begin), list.size());
    // Commas within the brackets of a slice separate nothing.
    while (end < list.size() && is_within_brackets(list.substr(begin, end - begin))) {
      end = std::min(list.find(',', end + 1), list.size());
    }
    parts.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  std::vector<std::string> inputs;
  while (!parts.empty()) {
    const Text trimmed = base::trim(parts.front());
    std::size_t count = parts_of_name(parts);
    const bool continues = !inputs.empty() && count == 1 && !trimmed.empty() &&
                           ends_of_path(inputs.back()).size() > 1 && !is_input(trimmed) &&
                           !has_form_of_input(trimmed);
    if (trimmed.starts_with("linspace:")) count = std::min<std::size_t>(2, parts.size());
    const Text last = parts[count - 1];
    const auto length = static_cast<std::size_t>(last.data() + last.size() - parts.front().data());
    const Text whole(parts.front().data(), length);
    if (continues) {
      inputs.back().append(",").append(whole);
    } else {
      inputs.emplace_back(without_blanks(whole));
    }
    parts.erase(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return inputs;
}

std::string found_name(Text text) {
  std::string path = base::home_path(text);
  std::string meant = base::home_path(base::from_printable(text));
  return base::is_named(path) || !base::is_named(meant) ? path : meant;
}

std::size_t find_output_dataset(Text text) {
  const std::vector<std::size_t> ends = ends_of_path(text);
  const auto found = std::ranges::find_if(ends, [&](std::size_t end) {
    std::error_code error;
    return text.substr(end).starts_with(kDatasetMark) &&
           !std::filesystem::is_directory(base::home_path(text.substr(0, end + 1)), error);
  });
  return found == ends.end() ? text.npos : *found;
}

}  // namespace tessera::job
