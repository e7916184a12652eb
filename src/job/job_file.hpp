// Job files: TOML with the same keys as the options, flat.
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

/// Keys of the TOML file `path` in the order of its lines, numbers with their digits as written.
/// missing error if there is no such file or it cannot be read; usage errors name file and line
/// for text that does not parse, tables and values of the wrong type, and the nearest key for an
/// unknown one.
std::vector<Given> read_job_file(const std::string& path, std::span<const Key> keys);

template <class T>
std::vector<Given> read_job_file(const std::string& path, std::span<const Option<T>> options) {
  std::vector<Key> keys;
  for (const Option<T>& option : options) keys.push_back({option.name, option.kind});
  return read_job_file(path, std::span<const Key>(keys));
}

}  // namespace tessera::job
