#include "base/file/unfinished_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/file/descriptor.hpp"

namespace tessera::base {
namespace {

/// How often another run may come between the steps before this one gives up.
constexpr int kMaxTries = 10;

/// Through no link: a link is no file that a run has left.
bool is_plain_file(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(std::filesystem::symlink_status(path, unknown));
}

/// False if there is one.
bool create_new(const std::string& path, unsigned mode) {
  make_folder_of(path);
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (file.number() < 0 && errno == EEXIST) return false;
  if (file.number() < 0) throw file_error(path, "create", errno);
  ::fsetxattr(file.number(), kUnfinishedAttribute, "", 0, 0);
  return true;
}

bool is_free(const std::string& path) {
  std::error_code unknown;
  return !std::filesystem::exists(std::filesystem::symlink_status(path, unknown));
}

}  // namespace

bool is_marked_unfinished(const std::string& path) noexcept {
  return ::getxattr(path.c_str(), kUnfinishedAttribute, nullptr, 0) >= 0;
}

bool is_left_over(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return true;
  if (!S_ISREG(status.st_mode)) return false;
  return status.st_size == 0 || is_marked_unfinished(path);
}

void check_left_over(const std::string& path, const IsOurs& is_ours) {
  if (is_free(path)) return;
  if (is_plain_file(path) && (is_left_over(path) || (is_ours && is_ours(path)))) return;
  throw usage_error("{}: is in the way, and is not what a run of tessera has left; move it away{}",
                    path, is_plain_file(path) ? ", or replace it with --overwrite" : "");
}

namespace {

/// Nothing if another run, which looked for what is left over, has locked or removed the new file.
std::unique_ptr<FileLock> lock_new(const std::string& path, const FileLock::Owner& owner) {
  pause_if_ordered("part.created");
  try {
    auto lock = std::make_unique<FileLock>(path, owner);
    if (!is_free(path)) return lock;
  } catch (const FileError&) {
    throw;
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): see above
  }
  return nullptr;
}

/// Makes room for a new file.
void remove_left_over(const std::string& path, const IsOurs& is_ours,
                      const FileLock::Owner& owner) {
  if (is_free(path)) return;
  if (!is_plain_file(path)) check_left_over(path, is_ours);
  // Held until the file is removed: without it, this could remove one that another run has just
  // begun.
  const FileLock nobody_else(path, owner);
  check_left_over(path, is_ours);
  remove_file(path);
}

}  // namespace

std::unique_ptr<FileLock> create_locked(const std::string& path, unsigned mode,
                                        const IsOurs& is_ours, const FileLock::Owner& owner) {
  pause_if_ordered("unfinished.remove");
  for (int tries = 0; tries < kMaxTries; ++tries) {
    if (!create_new(path, mode)) {
      remove_left_over(path, is_ours, owner);
    } else if (auto lock = lock_new(path, owner)) {
      return lock;
    }
  }
  throw usage_error("{}: another run has begun to write it this moment", path);
}

UnfinishedFile::UnfinishedFile(std::string output, std::string part, std::unique_ptr<FileLock> lock)
    : output_(std::move(output)),
      part_(std::move(part)),
      lock_(std::move(lock)),
      identity_(identity_of(part_)) {}

UnfinishedFile::UnfinishedFile(const std::string& output, const IsOurs& is_ours,
                               std::string_view suffix)
    : UnfinishedFile(output, beside(output, suffix),
                     create_locked(beside(output, suffix), mode_for(output), is_ours)) {}

UnfinishedFile UnfinishedFile::resume(std::string output) {
  const std::string part = part_path(output);
  auto lock = std::make_unique<FileLock>(part);
  return {std::move(output), part, std::move(lock)};
}

UnfinishedFile::~UnfinishedFile() {
  if (stays_ || !lock_ || !lock_->holds()) return;
  try {
    if (identity_of(part_) == identity_) remove_file(part_);
  } catch (const Error&) {  // NOLINT(bugprone-empty-catch): it is gone
  }
}

void UnfinishedFile::check() const {
  lock_->check();
  if (identity_of(part_) == identity_) return;
  throw run_error("{}: was replaced by another run with the same output", part_);
}

void UnfinishedFile::publish(Replace replace, bool sync) {
  lock_->check();
  pause_if_ordered("part.publish");
  stays_ = replace == Replace::nothing;
  publish_file(part_, output_, identity_, replace, sync);
  stays_ = true;
}

}  // namespace tessera::base
