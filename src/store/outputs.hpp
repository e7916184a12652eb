// Checks a command's output files before the work starts.
#pragma once

#include <string>
#include <vector>

#include "base/file/text_kind.hpp"

namespace tessera::store {

/// Checks that the folder of `path` is writable, or can be made, and that `path` is not a folder.
/// Throws a usage error that starts with `what` otherwise, and also if `path` exists and must not
/// be replaced.
void check_output(const std::string& path, const std::string& what, bool may_replace);

/// The same for a folder, of which `is_ours` says whether it may be replaced.
void check_output_folder(const std::string& path, const std::string& what, bool may_replace,
                         bool (*is_ours)(const std::string& path));

/// Throws a usage error if "-", for standard output, is a terminal: binary data would garble it.
void check_binary_stdout(const std::string& what);

/// The same check for a text file. `path` may be "-" for standard output, or a device or a pipe. A
/// file of the same kind may be replaced, and an empty one; any other only if `may_replace` says
/// so, and what is in the way under the name of the unfinished file never.
void check_text_output(const std::string& path, const std::string& what, const base::TextKind& kind,
                       bool may_replace = false);
/// The same for a file that `is_ours` knows.
void check_stream_or_file(const std::string& path, const std::string& what,
                          const base::IsOurs& is_ours);

struct TextOutput {
  std::string what;
  std::string path;  ///< "" = none
  base::TextKind kind;
};
void check_text_outputs(const std::vector<TextOutput>& files, bool may_replace = false);

/// A file that a command reads or writes: the user's name for it, and its path ("" = none).
struct NamedFile {
  std::string what;
  std::string path;
};

/// Throws a usage error if one of `files` would replace an earlier one. Each file is first written
/// as FILE.part, so the .part names are checked too. Devices and pipes replace nothing.
void check_distinct(const std::vector<NamedFile>& files);

}  // namespace tessera::store
