#include "base/file/posix_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/fault.hpp"
#include "base/file/descriptor.hpp"
#include "base/text.hpp"

namespace tessera::base {

namespace {

bool means_no_room(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

std::string describe(const struct statvfs& space) {
  const double bytes = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
  return fmt::format(" ({} free)", format_bytes(bytes));
}

std::string space_left(const std::string& path) {
  struct statvfs space {};
  return ::statvfs(folder_of(path).c_str(), &space) == 0 ? describe(space) : "";
}

std::string failure(const std::string& path, const std::string& what, int error_number,
                    const std::string& space) {
  return fmt::format("{}: cannot {}: {}{}", path, what,
                     std::generic_category().message(error_number), space);
}

/// Opens a file; repeats a call that a signal interrupted.
int open_checked(const std::string& path, int flags, const char* what,
                 unsigned mode = PosixFile::kDefaultMode) {
  int descriptor = -1;
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  } while (descriptor < 0 && errno == EINTR);
  if (descriptor < 0) throw file_error(path, what, errno);
  return descriptor;
}

bool is_regular_file(int descriptor) {
  struct stat status {};
  return ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
}

/// A pipe without a reader would wait for one, so it is looked at first.
int create_checked(const std::string& path, int flags, unsigned mode) {
  make_folder_of(path);
  if (exists(path) && !is_regular(path)) throw usage_error("{}: is not a file", path);
  const int descriptor =
      open_checked(path, O_WRONLY | O_CREAT | O_NONBLOCK | flags, "create", mode);
  if (is_regular_file(descriptor)) return descriptor;
  ::close(descriptor);
  throw usage_error("{}: is not a file", path);
}

/// Syncs a descriptor. Ignores that some file systems cannot sync folders or special files.
void sync_descriptor(int descriptor, const std::string& path) {
  if (::fsync(descriptor) != 0 && errno != EINVAL && errno != EROFS) {
    throw file_error(path, "sync", errno);
  }
}

/// Returns 0 or the errno value.
int rename_over(const char* from, const char* to) {
  return std::rename(from, to) == 0 ? 0 : errno;
}

/// Error numbers of a call that the kernel, file system or system call filter does not support.
bool is_lacking(int error_number) {
  static_assert(ENOTSUP == EOPNOTSUPP);
  return error_number == EINVAL || error_number == ENOSYS || error_number == EOPNOTSUPP ||
         error_number == EPERM;
}

/// True if both are names of one file; a symbolic link counts as a file of its own.
bool are_hard_links(const char* a, const char* b) {
  struct stat of_a {};
  struct stat of_b {};
  return ::lstat(a, &of_a) == 0 && ::lstat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
         of_a.st_ino == of_b.st_ino;
}

/// Gives `from` the permissions, the group and the owner of `to`, if that is a file.
void keep_access(const char* from, const char* to) {
  struct stat now {};
  struct stat before {};
  if (::stat(to, &before) != 0 || !S_ISREG(before.st_mode) || ::stat(from, &now) != 0) return;
  mode_t mode = before.st_mode & 0777;
  const auto give = [&](uid_t owner, gid_t group) { return ::chown(from, owner, group) == 0; };
  const bool same_owner = now.st_uid == before.st_uid;
  const bool same_group = now.st_gid == before.st_gid;
  const auto none = static_cast<uid_t>(-1);
  bool has_group = same_group;
  if (!same_owner || !same_group) {
    has_group = give(before.st_uid, before.st_gid) || give(none, before.st_gid) || same_group;
  }
  if (!has_group) mode &= ~mode_t{S_IRWXG} | ((mode & S_IRWXO) << 3);
  if (mode != (now.st_mode & 0777)) ::chmod(from, mode);
}

/// The same as rename_over(), but EEXIST if a file called `to` exists. File
/// systems without such a rename use hard links; those that have neither need two steps.
int rename_to_new(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (!is_lacking(errno) && errno != EEXIST) return errno;
  const bool linked = errno != EEXIST && ::link(from, to) == 0;
  // NFS may return EEXIST for a link() that it had to repeat, although the first one succeeded.
  if (linked || are_hard_links(from, to)) return ::unlink(from) == 0 ? 0 : errno;
  return exists(to) ? EEXIST : rename_over(from, to);
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

bool FileError::no_room() const noexcept {
  return means_no_room(error_number_);
}

std::string existing_folder_of(const std::string& path) {
  std::string folder = folder_of(path);
  std::error_code unknown;
  while (folder != folder_of(folder) && !std::filesystem::exists(folder, unknown)) {
    folder = folder_of(folder);
  }
  return folder;
}

void make_folder_of(const std::string& path) noexcept {
  std::error_code ignored;
  std::filesystem::create_directories(folder_of(path), ignored);
}

FileError file_error(const std::string& path, const std::string& what, int error_number) {
  const std::string space = means_no_room(error_number) ? space_left(path) : "";
  return {failure(path, what, error_number, space), error_number};
}

PosixFile::PosixFile(std::string path, Start start, unsigned mode)
    : path_(std::move(path)),
      descriptor_(create_checked(path_, start == Start::empty ? O_TRUNC : 0, mode)) {}

PosixFile PosixFile::stream(std::string path) {
  const int descriptor = open_checked(path, O_WRONLY | O_APPEND, "open");
  return {std::move(path), descriptor};
}

void PosixFile::fail(const char* what) const {
  const int error_number = errno;
  struct statvfs space {};
  const bool tells = means_no_room(error_number) && is_regular_file(descriptor_) &&
                     ::fstatvfs(descriptor_, &space) == 0;
  throw FileError(failure(path_, what, error_number, tells ? describe(space) : ""), error_number);
}

PosixFile PosixFile::standard_output() {
  const int descriptor = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) throw file_error("standard output", "open", errno);
  return {"standard output", descriptor};
}

PosixFile::~PosixFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void PosixFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void PosixFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail("write");
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
}

void PosixFile::start_sync(std::uint64_t offset, std::uint64_t bytes) noexcept {
  ::sync_file_range(descriptor_, static_cast<off_t>(offset), static_cast<off_t>(bytes),
                    SYNC_FILE_RANGE_WRITE);
}

std::uint64_t PosixFile::size_bytes() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) fail("look up");
  return static_cast<std::uint64_t>(status.st_size);
}

void PosixFile::cut(std::uint64_t bytes) {
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0 ||
      ::lseek(descriptor_, 0, SEEK_END) < 0) {
    fail("cut");
  }
}

void PosixFile::sync() {
  sync_descriptor(descriptor_, path_);
}

void PosixFile::close() {
  // Whatever close() returns, the descriptor is closed (Linux), so EINTR loses nothing.
  if (::close(std::exchange(descriptor_, -1)) != 0 && errno != EINTR) {
    throw file_error(path_, "write", errno);
  }
}

void sync_file(const std::string& path) {
  const Descriptor file(open_checked(path, O_RDONLY, "sync"));
  sync_descriptor(file.number(), path);
}

void sync_folder(const std::string& folder) {
  const Descriptor opened(open_checked(folder, O_RDONLY | O_DIRECTORY, "sync"));
  sync_descriptor(opened.number(), folder);
}

FileIdentity identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw file_error(path, "look up", errno);
  return {status.st_dev, status.st_ino};
}

FileIdentity identity_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw file_error("an open file", "look up", errno);
  return {status.st_dev, status.st_ino};
}

unsigned mode_for(const std::string& path) noexcept {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return PosixFile::kDefaultMode;
  return (status.st_mode & PosixFile::kDefaultMode) | S_IRUSR | S_IWUSR;
}

void publish_file(const std::string& part, const std::string& path, const FileIdentity& written,
                  Replace replace, bool sync) {
  if (identity_of(part) != written) {
    throw run_error("{}: was replaced by another run with the same output", part);
  }
  if (replace == Replace::nothing) pause_if_ordered("file.publish");
  const std::string from = target_of(part);
  const std::string to = target_of(path);
  if (from == to) throw usage_error("{}: is a link to {}, which is kept", path, part);
  if (replace == Replace::what_is_there) keep_access(from.c_str(), to.c_str());
  const int failed = replace == Replace::nothing ? rename_to_new(from.c_str(), to.c_str())
                                                 : rename_over(from.c_str(), to.c_str());
  if (failed == EEXIST && replace == Replace::nothing) {
    throw usage_error("{}: another file got this name during the run; the result is kept as {}",
                      path, part);
  }
  if (failed != 0) throw file_error(part, "rename to " + path, failed);
  ::removexattr(to.c_str(), kUnfinishedAttribute);
  if (sync) sync_folder(folder_of(to));
}

bool exists(const std::string& path) noexcept {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

bool is_standard_output(std::string_view path) noexcept {
  return path == "-" || path == "/dev/stdout";
}

bool is_special(const std::string& path) noexcept {
  struct stat status {};
  if (is_standard_output(path)) return true;
  if (::stat(path.c_str(), &status) != 0 || S_ISDIR(status.st_mode)) return false;
  return !S_ISREG(status.st_mode) || is_endless_link(path);
}

bool is_regular(const std::string& path) noexcept {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string front_of(const std::string& path, std::size_t bytes) {
  if (!is_regular(path)) return "";
  std::string front(bytes, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(front.data(), static_cast<std::streamsize>(bytes));
  front.resize(static_cast<std::size_t>(file.gcount()));
  return front;
}

std::string contents_of(const std::string& path) {
  if (!is_regular(path)) return "";
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void remove_file(const std::string& path) noexcept {
  ::unlink(path.c_str());
}

}  // namespace tessera::base
