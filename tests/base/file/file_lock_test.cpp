#include "base/file/file_lock.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <string>

#include "../../store/scratch_folder.hpp"
#include "base/error.hpp"

namespace tessera::base {
namespace {

/// A process that holds the lock of a file until it is let go.
class Holder {
 public:
  explicit Holder(const std::string& path) {
    int locked[2], ends[2];
    if (::pipe(locked) != 0 || ::pipe(ends) != 0) throw run_error("pipe");
    child_ = ::fork();
    if (child_ == 0) {
      ::close(ends[1]);
      const FileLock lock(path);
      char byte = 'x';
      if (::write(locked[1], &byte, 1) != 1 || ::read(ends[0], &byte, 1) < 0) ::_exit(1);
      ::_exit(0);
    }
    char byte = 0;
    ::close(ends[0]);
    if (::read(locked[0], &byte, 1) != 1) throw run_error("the child has no lock");
    ::close(locked[0]);
    ::close(locked[1]);
    let_go_ = ends[1];
  }
  ~Holder() { let_go(); }
  pid_t process() const { return child_; }
  void let_go() {
    if (child_ == 0) return;
    ::close(let_go_);
    ::waitpid(child_, nullptr, 0);
    child_ = 0;
  }

 private:
  pid_t child_ = 0;
  int let_go_ = -1;
};

std::string file_in(const store::ScratchFolder& folder) {
  std::ofstream(folder.file("a")) << "something";
  return folder.file("a");
}

/// As this_process() of that process has it.
std::string name_of(pid_t process) {
  const std::string own = this_process();
  return "process " + std::to_string(process) + own.substr(own.find(" on "));
}

TEST(FileLock, RefusesAnotherProcessByItsName) {
  const store::ScratchFolder folder;
  const std::string path = file_in(folder);
  const Holder holder(path);
  const std::string name = name_of(holder.process());
  int asked = 0;
  try {
    const FileLock lock(path, [&] { return ++asked, name; });
    FAIL() << "locked twice";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
  }
  EXPECT_LE(asked, 2);
}

TEST(FileLock, EndsThoughAChildHasTheFile) {
  const store::ScratchFolder folder;
  const std::string path = file_in(folder);
  auto lock = std::make_unique<FileLock>(path);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {  // with all files of its parent, as one that is being started
    ::close(ends[1]);
    char byte = 0;
    ::_exit(::read(ends[0], &byte, 1) == 0 ? 0 : 1);
  }
  lock.reset();
  EXPECT_TRUE(FileLock(path).holds());
  ::close(ends[0]);
  ::close(ends[1]);
  ::waitpid(child, nullptr, 0);
}

TEST(FileLock, WaitsForWhatAProcessThatIsNoMoreHasLeft) {
  const store::ScratchFolder folder;
  const std::string path = file_in(folder);
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  Holder holder(path);
  const std::string name = name_of(gone);
  int asked = 0;
  const FileLock lock(path, [&] {
    if (++asked == 2) holder.let_go();
    return name;
  });
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace tessera::base
