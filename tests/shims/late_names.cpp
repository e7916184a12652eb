// Preloaded into a program: the names that other processes make in a folder are not there at once,
// and not in the order in which they were made, as on NFS, whose clients remember for a while that
// a name was not there and what a folder held. What exists when the program starts is there.
//   LATE_FOLDER  the folder, as realpath gives it
//   LATE_MS      the longest time after the program has first asked for a name; each has another
// To make a name that somebody else has made fails at once: that the server decides.
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "open_calls.hpp"

namespace {

using Clock = std::chrono::steady_clock;

std::string absolute(const char* name) {
  char here[4096];
  std::string path = name[0] == '/' || !getcwd(here, sizeof here) ? "" : std::string(here) + "/";
  path = std::filesystem::path(path + name).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

/// What this process knows of the folder.
class Names {
 public:
  Names() {
    const char* const folder = std::getenv("LATE_FOLDER");
    const char* const most = std::getenv("LATE_MS");
    if (folder == nullptr || most == nullptr) return;
    std::error_code gone;
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder, gone)) {
      known_.insert(file.path().string());
    }
    most_ms_ = std::strtoul(most, nullptr, 10);
    prefix_ = std::string(folder) + "/";
  }

  void know(const char* name) {
    if (prefix_.empty()) return;
    const std::scoped_lock lock(mutex_);
    known_.insert(absolute(name));
  }

  bool is_late(const char* name) {
    if (prefix_.empty() || name == nullptr) return false;
    const std::string path = absolute(name);
    if (!path.starts_with(prefix_)) return false;
    if (next<int(const char*, int)>("access")(path.c_str(), F_OK) != 0) return false;
    const std::scoped_lock lock(mutex_);
    if (known_.contains(path)) return false;
    const auto now = Clock::now();
    const auto seen = seen_.try_emplace(path, now).first->second;
    const std::chrono::milliseconds delay(std::hash<std::string>()(path) % most_ms_);
    if (now - seen < delay) return true;
    known_.insert(path);
    return false;
  }

 private:
  std::mutex mutex_;
  std::string prefix_;
  std::size_t most_ms_ = 1;
  std::set<std::string> known_;
  std::map<std::string, Clock::time_point> seen_;
};

/// Null until the folder is listed.
std::unique_ptr<Names> all_names;

__attribute__((constructor)) void list_names() {
  all_names = std::make_unique<Names>();
}

bool is_late(const char* name) {
  return all_names && all_names->is_late(name);
}

void know(const char* name) {
  if (all_names) all_names->know(name);
}

int late() {
  errno = ENOENT;
  return -1;
}

int open_by(const char* real, const char* name, int flags, mode_t mode) {
  if ((flags & O_CREAT) == 0 && is_late(name)) return late();
  const int file = next<int(const char*, int, ...)>(real)(name, flags, mode);
  if (file >= 0 && (flags & O_CREAT) != 0) know(name);
  return file;
}

template <class Entry>
Entry* read_late(const char* real, DIR* folder) {
  auto* const call = next<Entry*(DIR*)>(real);
  for (;;) {
    Entry* const entry = call(folder);
    if (entry == nullptr) return nullptr;
    char path[4096];
    const std::string link = "/proc/self/fd/" + std::to_string(dirfd(folder));
    const ssize_t bytes = readlink(link.c_str(), path, sizeof path);
    if (bytes < 0) return entry;
    const std::string name =
        std::string(path, static_cast<std::size_t>(bytes)) + "/" + entry->d_name;
    if (!is_late(name.c_str())) return entry;
  }
}

}  // namespace

extern "C" {

int stat(const char* name, struct stat* status) noexcept {
  if (is_late(name)) return late();
  return next<int(const char*, struct stat*)>("stat")(name, status);
}

int stat64(const char* name, struct stat64* status) noexcept {
  if (is_late(name)) return late();
  return next<int(const char*, struct stat64*)>("stat64")(name, status);
}

int lstat(const char* name, struct stat* status) noexcept {
  if (is_late(name)) return late();
  return next<int(const char*, struct stat*)>("lstat")(name, status);
}

int lstat64(const char* name, struct stat64* status) noexcept {
  if (is_late(name)) return late();
  return next<int(const char*, struct stat64*)>("lstat64")(name, status);
}

int access(const char* name, int how) noexcept {
  if (is_late(name)) return late();
  return next<int(const char*, int)>("access")(name, how);
}

struct dirent* readdir(DIR* folder) {
  return read_late<struct dirent>("readdir", folder);
}

struct dirent64* readdir64(DIR* folder) {
  return read_late<struct dirent64>("readdir64", folder);
}

int link(const char* from, const char* to) noexcept {
  const int made = next<int(const char*, const char*)>("link")(from, to);
  if (made == 0) know(to);
  return made;
}

int mkdir(const char* name, mode_t mode) noexcept {
  const int made = next<int(const char*, mode_t)>("mkdir")(name, mode);
  know(name);  // or the server has said that it is there
  return made;
}

int rename(const char* from, const char* to) noexcept {
  const int moved = next<int(const char*, const char*)>("rename")(from, to);
  if (moved == 0) know(to);
  return moved;
}

int renameat2(int, const char* from, int, const char* to, unsigned flags) noexcept {
  const int moved = next<int(int, const char*, int, const char*, unsigned)>("renameat2")(
      AT_FDCWD, from, AT_FDCWD, to, flags);
  if (moved == 0) know(to);
  return moved;
}

}  // extern "C"
