// Reads job files: TOML with the names of the options as keys, and the table of a film.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/image/options.hpp"

namespace tessera::job {

struct Key {
  std::string_view name;
  Kind kind = Kind::text;
  bool is_path = false;
};

/// The text of a job file, or of standard input for "-". Throws a missing error if the file does
/// not exist or cannot be read.
std::string read_job_text(const std::string& path);

/// The keys of a TOML text in the order of its lines; numbers keep their digits as written. Throws
/// usage errors that name `path` and line for text that does not parse, for tables and for values
/// of the wrong type, and that name the nearest key for an unknown one. A table of the name `other`
/// is not read.
std::vector<Given> parse_job_text(const std::string& path, const std::string& text,
                                  std::span<const Key> keys, std::string_view other = "");

/// The keys of the table `name`; none if the text has no such table. Throws the same errors.
std::vector<Given> parse_job_table(const std::string& path, const std::string& text,
                                   std::string_view name, std::span<const Key> keys);

/// The keys of a table of options.
template <class T>
std::vector<Key> keys_of(std::span<const Option<T>> options) {
  std::vector<Key> keys;
  for (const Option<T>& option : options) {
    const bool is_path = names_path(option.value) && !takes_link(option.value);
    keys.push_back({option.name, option.kind, is_path});
  }
  return keys;
}

template <class T>
std::vector<Given> parse_job_text(const std::string& path, const std::string& text,
                                  std::span<const Option<T>> options, std::string_view other = "") {
  return parse_job_text(path, text, std::span<const Key>(keys_of(options)), other);
}

template <class T>
std::vector<Given> read_job_file(const std::string& path, std::span<const Option<T>> options) {
  return parse_job_text(path, read_job_text(path), options);
}

}  // namespace tessera::job
