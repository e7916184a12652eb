// Reads job files: flat TOML with the names of the options as keys.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "job/options.hpp"

namespace tessera::job {

struct Key {
  std::string_view name;
  Kind kind = Kind::text;
};

/// The keys of the TOML file `path` in the order of its lines; numbers keep their digits as
/// written. Throws a missing error if the file does not exist or cannot be read. Throws usage
/// errors that name file and line for text that does not parse, for tables and for values of the
/// wrong type, and that name the nearest key for an unknown one.
std::vector<Given> read_job_file(const std::string& path, std::span<const Key> keys);

template <class T>
std::vector<Given> read_job_file(const std::string& path, std::span<const Option<T>> options) {
  std::vector<Key> keys;
  for (const Option<T>& option : options) keys.push_back({option.name, option.kind});
  return read_job_file(path, std::span<const Key>(keys));
}

}  // namespace tessera::job
