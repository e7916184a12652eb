#include "place/entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text.hpp"

namespace tessera::place {
namespace {

/// Without comments, lines joined: behind a backslash without a blank.
std::string joined(std::string_view text) {
  std::string result;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = base::trim(text.substr(begin, end - begin));
    line = base::trim(line.substr(0, line.find(';')));
    const bool goes_on = line.ends_with('\\');
    result += line.substr(0, line.size() - (goes_on ? 1 : 0));
    if (!goes_on) result += ' ';
    begin = end + 1;
  }
  return result;
}

std::vector<Entry> entries_of(std::string_view text) {
  const std::string all = joined(text);
  std::vector<Entry> entries;
  for (std::size_t at = 0;;) {
    const std::size_t open = all.find('{', at);
    const std::size_t close = all.find('}', open);
    if (open == all.npos || close == all.npos) return entries;
    const std::string_view whole(all);
    std::string_view name = base::trim(whole.substr(at, open - at));
    // Text before a name is a comment.
    if (const std::size_t blank = name.rfind(' '); blank != name.npos)
      name = name.substr(blank + 1);
    entries.push_back({std::string(name), std::string(whole.substr(open + 1, close - open - 1))});
    at = close + 1;
  }
}

bool same_name(std::string_view one, std::string_view other) {
  return lower(one) == lower(other);
}

}  // namespace

Entry entry_of(const Source& source) {
  const std::vector<Entry> entries = entries_of(source.text);
  if (entries.empty()) refuse(source, "has no NAME { ... }");
  if (source.entry.empty() && entries.size() == 1) return entries[0];
  std::vector<std::string> names;
  for (const Entry& entry : entries) {
    if (!source.entry.empty() && same_name(entry.name, source.entry)) return entry;
    names.push_back(entry.name);
  }
  refuse(source,
         fmt::format("{}; name one as {}:NAME: {}",
                     source.entry.empty() ? "has several places" : "has no place " + source.entry,
                     source.name, base::join(names)));
}

Values words_of(std::string_view text, Twice twice) {
  Values values;
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_not_of(' ', at);
    if (at == text.npos) break;
    std::size_t end = std::min(text.find(' ', at), text.size());
    const std::size_t mark = text.find('=', at);
    if (mark < end && text.substr(mark + 1).starts_with('"')) {
      end = std::min(text.find('"', mark + 2), text.size() - 1) + 1;
    }
    if (mark < end) {
      std::string_view value = text.substr(mark + 1, end - mark - 1);
      if (value.size() > 1 && value.starts_with('"')) value = value.substr(1, value.size() - 2);
      const auto [word, is_new] = values.emplace(text.substr(at, mark - at), value);
      if (!is_new && twice == Twice::last_counts) word->second = value;
    }
    at = end;
  }
  return values;
}

}  // namespace tessera::place
