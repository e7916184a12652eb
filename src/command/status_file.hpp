// How the run ended, for whoever started it: a launcher's exit code speaks of every process that
// was lost on the way, also where the others have finished the work.
#pragma once

#include <string>
#include <string_view>

namespace tessera::command {

/// A small file of the gather rank's: the exit code on the first line, the reason in words on the
/// second. None where the command line names none.
class StatusFile {
 public:
  /// What an earlier run has left there goes away. Usage error if none can be written there, or if
  /// there is a file that is something else.
  void place_at(std::string path);
  /// The last word of the run, when all that it makes is in its place. In one step: who reads the
  /// file finds all of it or no file. Where that fails it is told on stderr, and there is no file.
  void write(int exit_code, std::string_view reason) noexcept;

 private:
  std::string path_;
};

}  // namespace tessera::command
