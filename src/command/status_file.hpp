// The result of the run for the process that started it. The exit code of a launcher does not
// suffice: it reports an error if any process was lost, even if the others have finished the work.
#pragma once

#include <string>
#include <string_view>

namespace tessera::command {

/// A small file that the gather rank writes: the exit code on the first line, the reason as text on
/// the second. Without --status-file there is none.
class StatusFile {
 public:
  /// Removes the status file of an earlier run. Throws a usage error if the file cannot be written,
  /// or if another kind of file is there.
  void place_at(std::string path);
  /// Called at the end of the run, when all its outputs are complete. Atomic: a reader sees the
  /// complete file or none. A failure is printed on stderr, and there is then no file.
  void write(int exit_code, std::string_view reason) noexcept;

 private:
  std::string path_;
};

}  // namespace tessera::command
