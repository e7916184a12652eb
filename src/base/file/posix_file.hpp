// Plain files, checked: every failure names the file and the system's reason, a full disk also the
// space that is left. Results are written under another name and renamed when they are whole.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file/file_lock.hpp"

namespace tessera::base {

/// A failed system call on a file.
class FileError : public Error {
 public:
  FileError(const std::string& what, int error_number)
      : Error(ExitCode::failed, what), error_number_(error_number) {}
  /// There is no room: the disk, the quota or the longest file is used up. It may be there later.
  bool no_room() const noexcept;

 private:
  int error_number_;
};

/// "PATH: cannot WHAT: No space left on device (1.5 MiB free)", from an errno value.
FileError file_error(const std::string& path, const std::string& what, int error_number);

/// The unfinished form of `path`, in the same folder so that a rename can finish it.
std::string part_path(const std::string& path);

/// The folder that `path` lies in; "." for a bare name.
std::string folder_of(const std::string& path);

/// A file being written, owned. All members but the destructor throw file_error().
class PosixFile {
 public:
  enum class Start { empty, as_it_is };
  /// Creates `path` if there is no such file, and empties the one that is there if so asked.
  explicit PosixFile(std::string path, Start start = Start::empty);
  ~PosixFile();
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  const std::string& path() const { return path_; }
  /// All of `bytes`, at the end of what was written so far.
  void write(std::span<const std::byte> bytes);
  /// Leaves the place where write() goes on.
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  std::uint64_t size_bytes() const;
  /// Makes the file so long and goes on at its end.
  void cut(std::uint64_t bytes);
  /// The contents reach the disk.
  void sync();
  /// To be told when the file has got another name, for messages.
  void renamed(std::string path) { path_ = std::move(path); }
  /// Says what the destructor would swallow.
  void close();

 private:
  std::string path_;
  int descriptor_ = -1;
};

/// What was written to `path`, by whomever, reaches the disk.
void sync_file(const std::string& path);

/// So do the names in it.
void sync_folder(const std::string& folder);

/// Which file a name means at the moment.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
FileIdentity identity_of(const std::string& path);
FileIdentity identity_of(int descriptor);

/// There is a file that must stay, and there was none when the run looked for it.
class NameTaken : public Error {
 public:
  explicit NameTaken(const std::string& path)
      : Error(ExitCode::usage, fmt::format("{}: another run finished this file just now", path)) {}
};

/// Whether a finished file may replace an existing file of its name.
enum class Replace { nothing, what_is_there };

/// Gives the finished file its name: rename, then sync of the folder, so that a power cut leaves
/// either the old file or the whole new one. Throws if `part` is no longer the file that was
/// written: another run with the same output has replaced it. With Replace::nothing a usage error,
/// and `part` stays, if there is a file called `path`, however late that came. Without `sync` a
/// power cut may undo it.
void publish_file(const std::string& part, const std::string& path, const FileIdentity& written,
                  Replace replace, bool sync = true);

/// Whether there is anything of that name; false also where that cannot be told.
bool exists(const std::string& path) noexcept;

/// Whether it is something such as /dev/stdout or a pipe, which a rename would replace.
bool is_special(const std::string& path) noexcept;

/// Does nothing if there is no such file.
void remove_file(const std::string& path) noexcept;

}  // namespace tessera::base
