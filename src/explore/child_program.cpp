#include "explore/child_program.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "device/process/child_process.hpp"

namespace tessera::explore {
namespace {

constexpr std::chrono::milliseconds kChildPoll{10};
constexpr std::int64_t kMaxWords = 4 * 1024 * 1024;

class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content)
      : number_(::memfd_create("tessera", MFD_CLOEXEC)) {
    const auto bytes = static_cast<ssize_t>(content.size());
    const bool written = number_ >= 0 && ::write(number_, content.data(), content.size()) == bytes;
    if (!written) throw base::run_error("memfd_create: {}", std::strerror(errno));
    ::lseek(number_, 0, SEEK_SET);
  }
  ~MemoryFile() {
    if (number_ >= 0) ::close(number_);
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  int number() const { return number_; }
  int release() { return std::exchange(number_, -1); }

 private:
  int number_;
};

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> all;
  for (std::string& text : texts) all.push_back(text.data());
  all.push_back(nullptr);
  return all;
}

}  // namespace

ChildProgram::ChildProgram(const std::vector<std::string>& arguments, const std::string& input,
                           bool keep_words) {
  const MemoryFile in(input);
  MemoryFile out("");
  std::vector<std::string> texts = {"tessera"};
  texts.insert(texts.end(), arguments.begin(), arguments.end());
  std::vector<std::string> environment = device::process::environment_of_child();
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, in.number(), STDIN_FILENO);
  const int printed = keep_words ? out.number() : STDERR_FILENO;
  ::posix_spawn_file_actions_adddup2(&actions, printed, STDOUT_FILENO);
  if (keep_words) ::posix_spawn_file_actions_adddup2(&actions, printed, STDERR_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  ::posix_spawnattr_setsigmask(&attributes, &none);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  const int error = ::posix_spawn(&pid_, base::this_run().program.c_str(), &actions, &attributes,
                                  pointers(texts).data(), pointers(environment).data());
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw base::run_error("posix_spawn: {}", std::strerror(error));
  words_ = out.release();
}

ChildProgram::ChildProgram(ChildProgram&& other) noexcept
    : pid_(std::exchange(other.pid_, 0)),
      words_(std::exchange(other.words_, -1)),
      exit_code_(other.exit_code_) {}

ChildProgram& ChildProgram::operator=(ChildProgram&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(words_, other.words_);
  std::swap(exit_code_, other.exit_code_);
  return *this;
}

ChildProgram::~ChildProgram() {
  if (words_ >= 0) ::close(words_);
}

bool ChildProgram::runs() {
  if (pid_ == 0) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  pid_ = 0;
  return false;
}

bool ChildProgram::wait(double seconds) {
  const auto begin = base::Clock::now();
  while (runs()) {
    if (base::seconds_between(begin, base::Clock::now()) > seconds) {
      signal(SIGKILL);
      ::waitpid(std::exchange(pid_, 0), nullptr, 0);
      return false;
    }
    std::this_thread::sleep_for(kChildPoll);
  }
  return true;
}

std::string ChildProgram::words() const {
  const auto length = static_cast<std::int64_t>(::lseek(words_, 0, SEEK_END));
  std::string text(static_cast<std::size_t>(std::clamp<std::int64_t>(length, 0, kMaxWords)), '\0');
  const ssize_t bytes = ::pread(words_, text.data(), text.size(), 0);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(bytes, 0)));
  return text;
}

void ChildProgram::signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

}  // namespace tessera::explore
