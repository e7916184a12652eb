#include "device/process/child_process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/read_number.hpp"
#include "base/run.hpp"
#include "device/device.hpp"

namespace tessera::device::process {
namespace {

/// Signals that ask a run to stop (command/stop_signals.hpp), or come from a terminal. They reach
/// the whole process group, but only the rank decides about its tiles in progress.
constexpr std::array kNotForChildren = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

constexpr double kLeaveSeconds = 2;
constexpr double kDieSeconds = 5;  ///< a driver may delay the end of a killed process

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  pointers.reserve(texts.size() + 1);
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

void check(int error_number, const char* call) {
  if (error_number != 0) {
    throw DeviceError(fmt::format("{}: {}", call, std::strerror(error_number)));
  }
}

struct FileActions {
  posix_spawn_file_actions_t actions;
  FileActions() { check(::posix_spawn_file_actions_init(&actions), "posix_spawn"); }
  ~FileActions() { ::posix_spawn_file_actions_destroy(&actions); }
  FileActions(const FileActions&) = delete;
  FileActions& operator=(const FileActions&) = delete;
};

struct Attributes {
  posix_spawnattr_t attributes;
  Attributes() { check(::posix_spawnattr_init(&attributes), "posix_spawn"); }
  ~Attributes() { ::posix_spawnattr_destroy(&attributes); }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
};

pid_t spawn(const std::string& program, std::vector<std::string> arguments, int line) {
  FileActions files;
  check(::posix_spawn_file_actions_addopen(&files.actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0),
        "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&files.actions, STDERR_FILENO, STDOUT_FILENO),
        "posix_spawn");
  check(::posix_spawn_file_actions_adddup2(&files.actions, line, kLineDescriptor), "posix_spawn");
  Attributes spawning;
  sigset_t blocked;
  ::sigemptyset(&blocked);
  for (const int number : kNotForChildren) ::sigaddset(&blocked, number);
  check(::posix_spawnattr_setsigmask(&spawning.attributes, &blocked), "posix_spawn");
  check(::posix_spawnattr_setflags(&spawning.attributes, POSIX_SPAWN_SETSIGMASK), "posix_spawn");
  std::vector<std::string> environment = environment_of_child();
  pid_t pid = 0;
  check(::posix_spawn(&pid, program.c_str(), &files.actions, &spawning.attributes,
                      pointers_to(arguments).data(), pointers_to(environment).data()),
        "posix_spawn");
  return pid;
}

/// glibc provides the names only since 2.32.
std::string name_of_signal(int number) {
  constexpr std::array<std::pair<int, const char*>, 8> kNames = {{{SIGSEGV, "SIGSEGV"},
                                                                  {SIGABRT, "SIGABRT"},
                                                                  {SIGBUS, "SIGBUS"},
                                                                  {SIGFPE, "SIGFPE"},
                                                                  {SIGILL, "SIGILL"},
                                                                  {SIGKILL, "SIGKILL"},
                                                                  {SIGTERM, "SIGTERM"},
                                                                  {SIGXCPU, "SIGXCPU"}}};
  const auto* const known = std::ranges::find(kNames, number, &std::pair<int, const char*>::first);
  return known != kNames.end() ? known->second : fmt::format("signal {}", number);
}

}  // namespace

/// Shared with the keeper thread, which outlives the ChildProcess if the kernel cannot end the
/// child.
struct ChildProcess::State {
  mutable std::mutex mutex;
  mutable std::condition_variable changed;
  pid_t pid = 0;  ///< 0 = not started yet
  bool ended = false;
  int status = 0;
  std::string failure;  ///< why the start failed
  /// The stop token of the run that the child works for; null once that need not know of its end.
  base::StopToken* stop = &base::this_run().stop;

  void start(const std::string& program, std::vector<std::string> arguments, const Channel& line) {
    try {
      const pid_t started = spawn(program, std::move(arguments), line.descriptor());
      const std::scoped_lock lock(mutex);
      pid = started;
    } catch (const DeviceError& error) {
      const std::scoped_lock lock(mutex);
      failure = error.what();
      ended = true;
    }
    changed.notify_all();
  }

  void wait() {
    if (ended) return;
    // WNOWAIT leaves the child a zombie, so that no other process can get its pid meanwhile.
    siginfo_t info{};
    while (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT) != 0) {
      if (errno != EINTR) break;
    }
    const std::scoped_lock lock(mutex);
    if (::waitpid(pid, &status, 0) != pid)
      status = 0;  // waitpid fails if this process ignores
                   // SIGCHLD
    // The limit of processor time is one for all processes of a run.
    const bool at_limit = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    if (at_limit && stop != nullptr) stop->request("SIGXCPU");
    ended = true;
    changed.notify_all();
  }
};

/// The keeper thread lives as long as the child, because PR_SET_PDEATHSIG (settle_as_child) kills a
/// child when the thread that started it ends.
ChildProcess::ChildProcess(const std::string& program, std::vector<std::string> arguments,
                           Channel line)
    : state_(std::make_shared<State>()) {
  keeper_ = std::thread([state = state_, program, arguments = std::move(arguments),
                         line = std::move(line)]() mutable {
    state->start(program, std::move(arguments), line);
    { const Channel closed = std::move(line); }  // only the child holds its end now
    state->wait();
  });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->pid != 0 || state_->ended; });
  if (state_->failure.empty()) return;
  lock.unlock();
  keeper_.join();
  throw DeviceError(state_->failure);
}

ChildProcess::~ChildProcess() {
  if (!keeper_.joinable()) return;
  if (!wait_for_end(kLeaveSeconds)) signal(SIGKILL);
  if (wait_for_end(kDieSeconds)) {
    keeper_.join();
  } else {
    let_go();
  }
}

void ChildProcess::let_go() {
  {
    const std::scoped_lock lock(state_->mutex);
    state_->stop = nullptr;
  }
  keeper_.detach();
}

int ChildProcess::pid() const {
  const std::scoped_lock lock(state_->mutex);
  return state_->pid;
}

bool ChildProcess::signal(int number) const {
  const std::scoped_lock lock(state_->mutex);
  if (state_->ended) return false;
  return ::kill(state_->pid, number) == 0;
}

std::string ChildProcess::end() const {
  if (!wait_for_end(kDieSeconds)) return "";
  const std::scoped_lock lock(state_->mutex);
  return describe_end(state_->status);
}

bool ChildProcess::wait_for_end(double seconds) const {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, std::chrono::duration<double>(seconds),
                                  [&] { return state_->ended; });
}

std::string describe_end(int status) {
  if (WIFEXITED(status)) return fmt::format("left with exit code {}", WEXITSTATUS(status));
  const int number = WTERMSIG(status);
  return fmt::format("was ended by {} ({}){}", name_of_signal(number), ::strsignal(number),
                     number == SIGKILL ? ", perhaps for lack of memory" : "");
}

std::vector<std::string> environment_of_child() {
  constexpr std::array<std::string_view, 7> kOfLaunchers = {"OMPI_", "PMIX_", "PMI_",  "PRTE_",
                                                            "MPI_",  "HYDI_", "HYDRA_"};
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const bool launchers = std::ranges::any_of(
        kOfLaunchers, [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (!launchers) kept.emplace_back(text);
  }
  return kept;
}

void settle_as_child(int parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) std::_Exit(0);  // the parent has ended already
  // If memory runs out, the kernel should kill this process, which can be restarted.
  if (std::FILE* const score = std::fopen("/proc/self/oom_score_adj", "w")) {
    std::fputs("500", score);
    std::fclose(score);
  }
  std::vector<int> inherited;
  std::error_code unreadable;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", unreadable)) {
    const auto number = base::read_integer<int>(entry.path().filename().string());
    if (number && *number > kLineDescriptor) inherited.push_back(*number);
  }
  for (const int number : inherited)
    ::close(number);  // includes the descriptor of the listing
                      // itself
  ::prctl(PR_SET_NAME, "tessera-device");
}

}  // namespace tessera::device::process
