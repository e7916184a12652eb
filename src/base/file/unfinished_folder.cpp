#include "base/file/unfinished_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/thread_team.hpp"

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

/// A file in the folder, until it is published.
constexpr const char* kFolderMark = ".unfinished";

/// Through no link.
bool is_plain_folder(const std::string& path) {
  std::error_code unknown;
  return fs::is_directory(fs::symlink_status(path, unknown));
}

bool has_no_such(const std::string& path) {
  std::error_code unknown;
  return !fs::exists(fs::symlink_status(path, unknown));
}

void remove_folder(const std::string& path) {
  std::error_code failed;
  fs::remove_all(path, failed);
  if (failed) throw file_error(path, "remove", failed.value());
}

void rename_folder(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) throw file_error(from, "rename to " + to, errno);
}

}  // namespace

void sync_all(const std::vector<std::string>& paths) {
  if (paths.empty()) return;
  // A file system writes its journal once for all that wait for it.
  constexpr int kThreads = 8;
  const int threads = static_cast<int>(std::min<std::size_t>(kThreads, paths.size()));
  std::atomic<std::size_t> next = 0;
  ThreadTeam(threads).run(threads, [&](int) {
    for (std::size_t i = next++; i < paths.size(); i = next++) sync_file(paths[i]);
  });
}

std::string part_folder(const std::string& output) {
  return beside(output, ".part.d");
}

bool is_left_over_folder(const std::string& path) {
  std::error_code unknown;
  return is_plain_folder(path) && (fs::is_empty(path, unknown) || exists(path + "/" + kFolderMark));
}

UnfinishedFolder::UnfinishedFolder(std::string output)
    : output_(std::move(output)), path_(part_folder(output_)) {}

UnfinishedFolder::UnfinishedFolder(std::string output, const IsOurs& is_ours)
    : UnfinishedFolder(std::move(output)) {
  stays_ = true;  // what is there now
  if (!has_no_such(path_)) {
    const bool ours =
        is_plain_folder(path_) && (is_left_over_folder(path_) || (is_ours && is_ours(path_)));
    if (!ours) {
      throw usage_error(
          "{}: is in the way, and is not what a run of tessera has left; move it away", path_);
    }
    remove_folder(path_);
  }
  make_folder_of(path_);
  if (::mkdir(path_.c_str(), 0777) != 0) throw file_error(path_, "create", errno);
  stays_ = false;
  PosixFile(path_ + "/" + kFolderMark).close();
}

UnfinishedFolder UnfinishedFolder::resume(std::string output) {
  return UnfinishedFolder(std::move(output));
}

UnfinishedFolder::UnfinishedFolder(UnfinishedFolder&& other) noexcept
    : output_(std::move(other.output_)),
      path_(std::move(other.path_)),
      stays_(std::exchange(other.stays_, true)),
      is_complete_(other.is_complete_) {}

UnfinishedFolder::~UnfinishedFolder() {
  if (stays_) return;
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void UnfinishedFolder::complete() {
  if (std::exchange(is_complete_, true)) return;
  remove_file(path_ + "/" + kFolderMark);
  std::vector<std::string> folders = {path_};
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(path_, error)) {
    if (entry.is_directory(error)) folders.push_back(entry.path().string());
  }
  sync_all(folders);
}

void UnfinishedFolder::publish(Replace replace) {
  pause_if_ordered("part.publish");
  stays_ = true;
  complete();
  const std::string target = target_of(output_);
  if (replace == Replace::what_is_there && exists(target)) return this->replace(target);
  publish_file(path_, output_, identity_of(path_), Replace::nothing);
}

void UnfinishedFolder::replace(const std::string& target) {
  if (!is_plain_folder(target)) throw usage_error("{}: is no folder any more", output_);
  struct stat status {};
  if (::stat(target.c_str(), &status) == 0) ::chmod(path_.c_str(), status.st_mode & 07777);
  std::string old = path_;
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) != 0) {
    if (errno != EINVAL && errno != ENOSYS) throw file_error(path_, "rename to " + target, errno);
    old = path_ + ".old";
    remove_folder(old);
    rename_folder(target, old);
    rename_folder(path_, target);
  }
  sync_folder(folder_of(target));
  remove_folder(old);
}

void take_back_folder(const std::string& output) {
  const std::string part = part_folder(output);
  publish_file(output, part, identity_of(output), Replace::nothing);
  create_locked(part_path(output), mode_for(output), anything);
}

}  // namespace tessera::base
