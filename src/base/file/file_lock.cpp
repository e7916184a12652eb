#include "base/file/file_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>

#include "base/error.hpp"
#include "base/file/lock_file.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::base {

namespace {

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// True if the name still means this file: another run may have replaced it between open and lock.
bool has_name(int descriptor, const std::string& path) noexcept {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

/// Whether the lock is of a process of this machine that is no more: a child that it was starting
/// has its files until it runs its program.
bool passes_soon(const FileLock::Owner& owner) {
  constexpr std::string_view kProcess = "process ";
  const std::string name = owner ? owner() : "";
  if (!name.starts_with(kProcess) ||
      name.find(fmt::format(" on {} since ", host_name())) == std::string::npos) {
    return false;
  }
  const auto process = static_cast<pid_t>(std::atoi(name.c_str() + kProcess.size()));
  return ::kill(process, 0) != 0 && errno == ESRCH;
}

[[noreturn]] void refuse(const std::string& path, const FileLock::Owner& owner) {
  std::string name = owner ? owner() : "";
  for (int tries = 0; owner && name.empty() && tries < 20; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    name = owner();
  }
  throw usage_error("{}: another run is writing it{}{}", path, name.empty() ? "" : ": ", name);
}

}  // namespace

FileLock::FileLock(const std::string& path, const Owner& owner) : path_(path) {
  constexpr auto kPause = std::chrono::milliseconds(20);
  int tries = 100;
  do {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (descriptor_ < 0 && errno == ENOENT) {
      throw usage_error("{}: another run has removed it this moment", path);
    }
    if (descriptor_ < 0) throw file_error(path, "open", errno);
    struct flock lock = whole_file();
    if (::fcntl(descriptor_, F_OFD_SETLK, &lock) == 0) continue;
    const bool held = errno == EAGAIN || errno == EACCES;
    ::close(descriptor_);
    descriptor_ = -1;
    if (held && tries-- > 0 && passes_soon(owner)) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    if (held) refuse(path, owner);
    instead_ = std::make_unique<LockFile>(path);
  } while (!instead_ && (descriptor_ < 0 || !has_name(descriptor_, path)));
}

/// The lock belongs to the open file, which a child that is being started has, too: closing it here
/// would leave it locked.
FileLock::~FileLock() {
  if (descriptor_ < 0) return;
  struct flock lock = whole_file();
  lock.l_type = F_UNLCK;
  ::fcntl(descriptor_, F_OFD_SETLK, &lock);
  ::close(descriptor_);
}

void FileLock::renamed(const std::string& path) {
  path_ = path;
  if (instead_) instead_->renamed(path);
}

void FileLock::check() const {
  if (!instead_ || !instead_->lost()) return;
  throw run_error("{}: another run has taken it over, as this one gave no sign of life", path_);
}

bool FileLock::holds() const noexcept {
  return instead_ ? !instead_->lost() : has_name(descriptor_, path_);
}

bool may_be_locked(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return true;
  struct flock lock = whole_file();
  const bool known = ::fcntl(descriptor, F_OFD_GETLK, &lock) == 0;
  ::close(descriptor);
  if (known) return lock.l_type != F_UNLCK;
  const std::string lock_file = lock_path(path);
  if (const auto holder = lock_holder(lock_file)) return holder->may_run;
  return exists(lock_file);
}

std::string this_process() {
  return fmt::format("process {} on {} since {:%Y-%m-%dT%H:%M:%SZ}", ::getpid(), host_name(),
                     fmt::gmtime(std::time(nullptr)));
}

}  // namespace tessera::base
