// What can be known to fail about a command's output files before it starts to work.
#pragma once

#include <string>
#include <vector>

namespace tessera::store {

/// The folder of `path` is there and can be written to, and `path` is not a folder. Usage error
/// that starts with `what` otherwise, also when `path` exists and must not be replaced.
void check_output(const std::string& path, const std::string& what, bool may_replace);

/// The same for text, which may go to a device or a pipe such as /dev/stdout too; it may replace
/// what is there.
void check_text_output(const std::string& path, const std::string& what);

/// A file that a command reads or writes: what the user calls it, and its path ("" = none).
struct NamedFile {
  std::string what;
  std::string path;
};

/// Usage error if one of `files` would replace one before it. Each is first written under the name
/// of its unfinished form, so that those names count too; devices and pipes replace nothing.
void check_distinct(const std::vector<NamedFile>& files);

}  // namespace tessera::store
