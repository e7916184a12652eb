#include "base/file/open_files.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace tessera::base {
namespace {

bool is_open(int file) {
  return ::fcntl(file, F_GETFD) >= 0;
}

// In a process of its own, since it would close what the test writes to.
TEST(OpenFiles, are_closed_from_a_number_on) {
  constexpr int kKept = 100;
  constexpr int kFar = 900;
  const pid_t child = ::fork();
  if (child == 0) {
    allow_open_files(kFar + 1);
    const int file = ::open("/dev/null", O_RDONLY);
    for (const int copy : {kKept, kKept + 1, kFar}) ::dup2(file, copy);
    const bool were_open = is_open(kKept + 1) && is_open(kFar);
    close_files_from(kKept + 1);
    const bool as_told = is_open(file) && is_open(kKept) && !is_open(kKept + 1) && !is_open(kFar);
    ::_exit(were_open && as_told ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace tessera::base
