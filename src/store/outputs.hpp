// Checks a command's output files before the work starts.
#pragma once

#include <string>
#include <vector>

namespace tessera::store {

/// Checks that the folder of `path` exists and is writable, and that `path` is not a folder. Throws
/// a usage error that starts with `what` otherwise, and also if `path` exists and must not be
/// replaced.
void check_output(const std::string& path, const std::string& what, bool may_replace);

/// The same check for a text file. `path` may be "-" for standard output, or a device or a pipe,
/// and an existing file may be replaced.
void check_text_output(const std::string& path, const std::string& what);

/// A file that a command reads or writes: the user's name for it, and its path ("" = none).
struct NamedFile {
  std::string what;
  std::string path;
};

/// Throws a usage error if one of `files` would replace an earlier one. Each file is first written
/// as FILE.part, so the .part names are checked too. Devices and pipes replace nothing.
void check_distinct(const std::vector<NamedFile>& files);

}  // namespace tessera::store
