// A child process that runs another command of this program.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tessera::explore {

class ChildProgram {
 public:
  ChildProgram() = default;
  /// `input` becomes its standard input. With `keep_words`, its output goes to words(), otherwise
  /// to the stderr of this process. Throws a run error if it cannot be started.
  ChildProgram(const std::vector<std::string>& arguments, const std::string& input,
               bool keep_words);
  ChildProgram(ChildProgram&& other) noexcept;
  ChildProgram& operator=(ChildProgram&& other) noexcept;
  /// Does not end the child.
  ~ChildProgram();

  /// Whether it has not ended yet.
  bool runs();
  /// Waits for its end. After so many seconds, kills it and returns false.
  bool wait(double seconds);
  /// After its end.
  int exit_code() const { return exit_code_; }
  std::string words() const;
  void signal(int number) const;

 private:
  pid_t pid_ = 0;
  int words_ = -1;
  int exit_code_ = 0;
};

}  // namespace tessera::explore
