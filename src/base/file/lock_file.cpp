#include "base/file/lock_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file/descriptor.hpp"
#include "base/file/file_lock.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"

namespace tessera::base {

namespace {

/// The text of a file of the kernel, or of a lock; "" of a pipe that has the name of one.
std::string contents(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_fifo(path, unknown)) return "";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Start time of a process of this machine, in clock ticks; "" if there is none.
std::string start_of(const std::string& process) {
  const std::string status = contents("/proc/" + process + "/stat");
  const auto name_end = status.rfind(')');  // a name may contain any character
  if (name_end == std::string::npos) return "";
  constexpr int kStartTime = 20;  // words after the name
  std::istringstream words(status.substr(name_end + 1));
  std::string word;
  for (int i = 0; i < kStartTime; ++i) words >> word;
  return word;
}

/// Identifies the scope of process numbers: the boot of a machine, and the container.
std::string this_machine() {
  std::string boot = contents("/proc/sys/kernel/random/boot_id");
  if (!boot.empty()) boot.pop_back();
  char space[64] = {};
  const ssize_t bytes = ::readlink("/proc/self/ns/pid", space, sizeof space - 1);
  return bytes < 0 ? boot + "/?" : boot + "/" + space;
}

/// The holder's name for messages; then machine, process, start time, and the number of its lock. A
/// line with the number of heartbeats follows.
std::string make_claim() {
  static std::atomic<int> count = 0;
  return fmt::format("{}\n{} {} {} {}\n", this_process(), this_machine(), ::getpid(),
                     start_of("self"), ++count);
}

struct Holder {
  std::string name, machine, process, start;
};

Holder holder_of(const std::string& claim) {
  std::istringstream lines(claim);
  Holder holder;
  std::getline(lines, holder.name);
  lines >> holder.machine >> holder.process >> holder.start;
  return holder;
}

/// Whether the file is a lock from its first byte on, and not a text about processes.
bool is_whole(const Holder& holder) {
  const auto is_number = [](const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
  };
  return is_number(holder.process) && is_number(holder.start) &&
         holder.machine.find('/') != holder.machine.npos && holder.name.starts_with("process ") &&
         holder.name.find(" on ") != holder.name.npos && holder.name.ends_with('Z');
}

/// Whether the holder runs; nothing if it is on another machine.
std::optional<bool> lives(const Holder& holder) {
  if (holder.start.empty() || holder.machine != this_machine()) return std::nullopt;
  return start_of(holder.process) == holder.start;
}

/// Whether a holder elsewhere may have written the file within an hour: clocks differ.
bool changed_lately(const std::string& lock) {
  std::error_code error;
  const auto changed = std::filesystem::last_write_time(lock, error);
  return error || std::filesystem::file_time_type::clock::now() - changed < std::chrono::hours(1);
}

/// Blocks until the holder sends a heartbeat (true), or releases the lock or counts as dead
/// (false).
bool shows_life(const std::string& path, const std::string& claim, const LockPace& pace) {
  log("tessera: {}: waiting {} s for a sign of life of {}", printable(path),
      pace.silence.count() / 1000, printable(holder_of(claim).name));
  const auto end = std::chrono::steady_clock::now() + pace.silence;
  while (std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::min(pace.silence / 30, pace.beat));
    const std::string now = contents(path);
    if (now.empty()) return false;  // the holder has just released it
    if (now != claim) return true;
  }
  return false;
}

/// Removes a dead holder's lock file, unless it is another one's by now.
void remove_dead(const std::string& path, const std::string& claim) {
  const std::string deferred = fmt::format("{}.{}", path, ::getpid());
  if (std::rename(path.c_str(), deferred.c_str()) != 0) return;
  if (contents(deferred) == claim) {
    remove_file(deferred);
  } else {
    std::rename(deferred.c_str(), path.c_str());
  }
}

}  // namespace

std::string lock_path(const std::string& path) {
  return path + ".lock";
}

std::optional<LockHolder> lock_holder(const std::string& lock) {
  const Holder holder = holder_of(contents(lock));
  if (!is_whole(holder)) return std::nullopt;
  return LockHolder{holder.name, lives(holder).value_or(changed_lately(lock))};
}

bool remove_dead_lock(const std::string& lock) {
  const std::string claim = contents(lock);
  const auto holder = lock_holder(lock);
  if (!holder || holder->may_run) return false;
  remove_dead(lock, claim);
  return !exists(lock);
}

LockFile::LockFile(const std::string& path, const LockPace& pace)
    : pace_(pace), claim_(make_claim()), path_(lock_path(path)) {
  while (!create()) {
    const std::string claim = contents(path_);
    const Holder holder = holder_of(claim);
    if (lives(holder).value_or(false) ||
        (!lives(holder).has_value() && shows_life(path_, claim, pace_))) {
      throw usage_error(
          "{}: another run is writing it: {}; this file system has no locks: if that run is gone, "
          "remove {}",
          path, holder.name, path_);
    }
    remove_dead(path_, claim);
  }
  thread_ = run_thread([this] { run(); });
}

LockFile::~LockFile() {
  {
    const std::scoped_lock lock(mutex_);
    end_ = true;
  }
  ended_.notify_all();
  thread_.join();
  if (contents(path_).starts_with(claim_)) remove_file(path_);
}

void LockFile::renamed(const std::string& path) {
  const std::scoped_lock lock(mutex_);
  const std::string old = std::exchange(path_, lock_path(path));
  if (std::rename(old.c_str(), path_.c_str()) != 0) throw file_error(old, "rename", errno);
}

bool LockFile::create() {
  const int descriptor = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0 && errno == EEXIST) return false;
  if (descriptor < 0) throw file_error(path_, "create", errno);
  const Descriptor file(descriptor);
  write_beat(file);
  return true;
}

void LockFile::write_beat(const Descriptor& file) {
  const std::string text = fmt::format("{}{:020}\n", claim_, ++beats_);
  const auto written = ::pwrite(file.number(), text.data(), text.size(), 0);
  if (written < 0) throw file_error(path_, "write", errno);
  if (written != static_cast<ssize_t>(text.size())) throw file_error(path_, "write", ENOSPC);
}

/// Writes through the descriptor that it has read: another run's file may take the name meanwhile.
void LockFile::beat() {
  const Descriptor file(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
  if (file.number() < 0) return;
  std::string found(claim_.size(), '\0');
  const auto bytes = ::pread(file.number(), found.data(), found.size(), 0);
  if (bytes < 0) return;
  found.resize(static_cast<std::size_t>(bytes));
  if (found == claim_) return write_beat(file);
  lost_ = true;
}

void LockFile::run() {
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, pace_.beat, [this] { return end_; })) {
    try {
      beat();
    } catch (const Error&) {  // NOLINT(bugprone-empty-catch): the next one may succeed
    }
  }
}

}  // namespace tessera::base
