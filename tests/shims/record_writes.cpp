// Preloaded into a program: writes down, in their order, all changes that it makes to the files of
// one folder, HDF5's among them, so that a test can say what of them a power cut had let through.
//   RECORD_FOLDER  the folder, as realpath gives it
//   RECORD_TO      the recording, which is appended to: of each change a header and what it tells
//   RECORD_CHANGES SIGKILL after so many changes
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>

#include "open_calls.hpp"

namespace {

enum Kind : std::uint32_t { opened = 1, wrote, cut, synced, synced_folder, renamed, removed };

struct Header {
  std::uint32_t kind;
  std::uint32_t text_bytes;  ///< of the name, or of both of a rename with a 0 between
  std::uint64_t inode;
  std::uint64_t offset;  ///< of what is written; the new size of a cut; flags of an open
  std::uint64_t data_bytes;
};

/// Held from before a change until it is written down: the order in the recording is the order.
std::mutex& order() {
  static std::mutex mutex;
  return mutex;
}

const std::string& folder() {
  static const std::string path = [] {
    const char* const text = std::getenv("RECORD_FOLDER");
    return std::string(text ? text : "");
  }();
  return path;
}

int recording() {
  static const int descriptor = [] {
    const char* const path = std::getenv("RECORD_TO");
    return path && !folder().empty() ? next<int(const char*, int, ...)>("open")(
                                           path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
                                     : -1;
  }();
  return descriptor;
}

std::string absolute(const char* name) {
  if (name[0] == '/') return name;
  char here[4096];
  return getcwd(here, sizeof here) ? std::string(here) + "/" + name : name;
}

/// The name within the folder, or nothing if it lies elsewhere.
std::string inside(const char* name) {
  const std::string path = absolute(name);
  const std::string prefix = folder() + "/";
  return path.starts_with(prefix) ? path.substr(prefix.size()) : "";
}

/// Of the file that is open, and whether it lies in the folder.
bool look_up(int descriptor, std::uint64_t& inode, bool& is_folder) {
  struct stat status {};
  if (recording() < 0 || fstat(descriptor, &status) != 0) return false;
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  char target[4096];
  const ssize_t bytes = readlink(link.c_str(), target, sizeof target);
  if (bytes < 0) return false;
  const std::string_view path(target, static_cast<std::size_t>(bytes));
  inode = status.st_ino;
  is_folder = S_ISDIR(status.st_mode) && path == folder();
  return is_folder || (S_ISREG(status.st_mode) && path.starts_with(folder() + "/"));
}

void put(const void* bytes, std::size_t count) {
  static auto* const write_on = next<ssize_t(int, const void*, std::size_t)>("write");
  if (write_on(recording(), bytes, count) != static_cast<ssize_t>(count)) std::abort();
}

/// From within, or the recording could lack a change that was made.
void end_after(std::uint64_t count) {
  static const char* const text = std::getenv("RECORD_CHANGES");
  static const std::uint64_t most = text ? std::strtoull(text, nullptr, 10) : UINT64_MAX;
  if (count >= most) raise(SIGKILL);
}

void record(Kind kind, std::uint64_t inode, std::uint64_t offset, std::string_view text,
            const void* data, std::size_t data_bytes) {
  const Header header{kind, static_cast<std::uint32_t>(text.size()), inode, offset, data_bytes};
  std::string all(reinterpret_cast<const char*>(&header), sizeof header);
  all.append(text).append(static_cast<const char*>(data), data_bytes);
  put(all.data(), all.size());
  static std::uint64_t count = 0;
  end_after(++count);
}

int open_by(const char* real, const char* name, int flags, mode_t mode) {
  auto* const call = next<int(const char*, int, ...)>(real);
  const std::string text = inside(name);
  if (recording() < 0 || text.empty()) return call(name, flags, mode);
  const std::scoped_lock lock(order());
  const int descriptor = call(name, flags, mode);
  struct stat status {};
  if (descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
      (flags & O_ACCMODE) != O_RDONLY) {
    record(opened, status.st_ino, (flags & O_TRUNC) != 0 ? 1 : 0, text, "", 0);
  }
  return descriptor;
}

ssize_t pwrite_recorded(const char* real, int descriptor, const void* bytes, std::size_t count,
                        off_t offset) {
  auto* const call = next<ssize_t(int, const void*, std::size_t, off_t)>(real);
  std::uint64_t inode = 0;
  bool is_folder = false;
  if (!look_up(descriptor, inode, is_folder)) return call(descriptor, bytes, count, offset);
  const std::scoped_lock lock(order());
  const ssize_t written = call(descriptor, bytes, count, offset);
  if (written > 0) {
    record(wrote, inode, static_cast<std::uint64_t>(offset), "", bytes,
           static_cast<std::size_t>(written));
  }
  return written;
}

int ftruncate_recorded(const char* real, int descriptor, off_t size) {
  auto* const call = next<int(int, off_t)>(real);
  std::uint64_t inode = 0;
  bool is_folder = false;
  if (!look_up(descriptor, inode, is_folder)) return call(descriptor, size);
  const std::scoped_lock lock(order());
  const int result = call(descriptor, size);
  if (result == 0) record(cut, inode, static_cast<std::uint64_t>(size), "", "", 0);
  return result;
}

int sync_recorded(const char* real, int descriptor) {
  auto* const call = next<int(int)>(real);
  std::uint64_t inode = 0;
  bool is_folder = false;
  if (!look_up(descriptor, inode, is_folder)) return call(descriptor);
  const std::scoped_lock lock(order());
  const int result = call(descriptor);
  if (result == 0) record(is_folder ? synced_folder : synced, inode, 0, "", "", 0);
  return result;
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* bytes, size_t count) {
  auto* const call = next<ssize_t(int, const void*, std::size_t)>("write");
  std::uint64_t inode = 0;
  bool is_folder = false;
  if (!look_up(descriptor, inode, is_folder)) return call(descriptor, bytes, count);
  const std::scoped_lock lock(order());
  const ssize_t written = call(descriptor, bytes, count);
  if (written > 0) {
    const off_t end = lseek(descriptor, 0, SEEK_CUR);
    record(wrote, inode, static_cast<std::uint64_t>(end - written), "", bytes,
           static_cast<std::size_t>(written));
  }
  return written;
}

ssize_t pwrite(int descriptor, const void* bytes, size_t count, off_t offset) {
  return pwrite_recorded("pwrite", descriptor, bytes, count, offset);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t count, off_t offset) {
  return pwrite_recorded("pwrite64", descriptor, bytes, count, offset);
}
int ftruncate(int descriptor, off_t size) noexcept {
  return ftruncate_recorded("ftruncate", descriptor, size);
}
int ftruncate64(int descriptor, off_t size) noexcept {
  return ftruncate_recorded("ftruncate64", descriptor, size);
}
int fsync(int descriptor) {
  return sync_recorded("fsync", descriptor);
}
int fdatasync(int descriptor) {
  return sync_recorded("fdatasync", descriptor);
}

int rename(const char* from, const char* to) noexcept {
  auto* const call = next<int(const char*, const char*)>("rename");
  const std::string old_name = inside(from);
  const std::string new_name = inside(to);
  if (recording() < 0 || old_name.empty()) return call(from, to);
  const std::scoped_lock lock(order());
  const int result = call(from, to);
  if (result == 0) record(renamed, 0, 0, old_name + '\0' + new_name, "", 0);
  return result;
}

int renameat2(int, const char* from, int, const char* to, unsigned flags) noexcept {
  auto* const call = next<int(int, const char*, int, const char*, unsigned)>("renameat2");
  const std::string old_name = inside(from);
  const std::string new_name = inside(to);
  if (recording() < 0 || old_name.empty()) return call(AT_FDCWD, from, AT_FDCWD, to, flags);
  const std::scoped_lock lock(order());
  const int result = call(AT_FDCWD, from, AT_FDCWD, to, flags);
  if (result == 0) record(renamed, 0, 0, old_name + '\0' + new_name, "", 0);
  return result;
}

int unlink(const char* name) noexcept {
  auto* const call = next<int(const char*)>("unlink");
  const std::string text = inside(name);
  if (recording() < 0 || text.empty()) return call(name);
  const std::scoped_lock lock(order());
  const int result = call(name);
  if (result == 0) record(removed, 0, 0, text, "", 0);
  return result;
}

}  // extern "C"
