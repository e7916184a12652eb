// Checks a command's output files before the work starts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::store {

/// Checks that the folder of `path` is writable, or can be made, and that `path` is not a folder.
/// Throws a usage error that starts with `what` otherwise, and also if `path` exists and must not
/// be replaced.
void check_output(const std::string& path, const std::string& what, bool may_replace);

/// Throws a usage error if "-", for standard output, is a terminal: binary data would garble it.
void check_binary_stdout(const std::string& what);

/// A kind of text file that Tessera writes, and words that stand near the beginning of each.
struct TextKind {
  std::string_view name;
  std::string_view mark;
};
inline constexpr TextKind kReport{"report", R"("schema": "tessera-)"};
inline constexpr TextKind kTrace{"trace", R"({"displayTimeUnit":"ms","traceEvents":)"};
inline constexpr TextKind kPage{"page about a run", R"(name="generator" content="tessera")"};
inline constexpr TextKind kPlot{"plot", "tessera bench"};
inline constexpr TextKind kAnyText{"", ""};

/// The same check for a text file. `path` may be "-" for standard output, or a device or a pipe. A
/// file of the same kind may be replaced, and an empty one; any other only if `may_replace` says
/// so.
void check_text_output(const std::string& path, const std::string& what, const TextKind& kind,
                       bool may_replace = false);

struct TextOutput {
  std::string what;
  std::string path;  ///< "" = none
  TextKind kind;
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
