// Plain files with checked calls: every error names the file and the system's reason, and the free
// space if the disk is full. Results are written under another name and renamed when they are
// complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file/file_lock.hpp"
#include "base/file/output_name.hpp"

namespace tessera::base {

/// A failed system call on a file.
class FileError : public Error {
 public:
  FileError(const std::string& what, int error_number)
      : Error(ExitCode::failed, what), error_number_(error_number) {}
  /// True if there is no space: the disk, the quota or the file size limit is reached. A retry may
  /// succeed.
  bool no_room() const noexcept;

 private:
  int error_number_;
};

/// "PATH: cannot WHAT: No space left on device (1.5 MiB free)", from an errno value.
FileError file_error(const std::string& path, const std::string& what, int error_number);

/// The folder of `path`; "." for a bare name.
std::string folder_of(const std::string& path);

/// The nearest folder of `path` that exists, as a place to ask for free space.
std::string existing_folder_of(const std::string& path);

/// Makes the folder of `path` and those above it. Ignores errors: creating the file reports them.
void make_folder_of(const std::string& path) noexcept;

/// An owned file that is written sequentially. All members but the destructor throw file_error().
class PosixFile {
 public:
  enum class Start { empty, as_it_is };
  /// Creates `path`, and its folder, if they do not exist; empties an existing file if `start` says
  /// so. A new file gets the permissions `mode`, as far as the umask leaves them. Throws a usage
  /// error for a pipe or a device.
  explicit PosixFile(std::string path, Start start = Start::empty, unsigned mode = kDefaultMode);
  static constexpr unsigned kDefaultMode = 0666;
  /// A device, a pipe or a socket of the shell, which stays what it is. Waits for a reader.
  static PosixFile stream(std::string path);
  /// Standard output, which stays open. write_at(), cut() and size_bytes() need a file there.
  static PosixFile standard_output();
  ~PosixFile();
  PosixFile(const PosixFile&) = delete;
  PosixFile& operator=(const PosixFile&) = delete;

  const std::string& path() const { return path_; }
  /// Appends all of `bytes` after the last write().
  void write(std::span<const std::byte> bytes);
  /// Does not change the position of write().
  void write_at(std::uint64_t offset, std::span<const std::byte> bytes);
  /// Starts to write this part to disk, so that a later sync() has less to do. Returns at once, and
  /// ignores that a file system cannot do that.
  void start_sync(std::uint64_t offset, std::uint64_t bytes) noexcept;
  std::uint64_t size_bytes() const;
  /// Sets the size of the file; write() continues at its end.
  void cut(std::uint64_t bytes);
  /// Syncs the contents to disk.
  void sync();
  /// Call this when the file was renamed; messages use the new name.
  void renamed(std::string path) { path_ = std::move(path); }
  /// Closes the file and throws errors that the destructor would ignore.
  void close();

 private:
  PosixFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  /// From the last errno value. Only of a file, the free space of its disk is said.
  [[noreturn]] void fail(const char* what) const;

  std::string path_;
  int descriptor_ = -1;
};

/// Syncs the file to disk, whichever process wrote it.
void sync_file(const std::string& path);

/// Syncs the names in the folder to disk.
void sync_folder(const std::string& folder);

/// Identifies the file that a name means now.
struct FileIdentity {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};
FileIdentity identity_of(const std::string& path);
FileIdentity identity_of(int descriptor);

/// A file that must stay exists now, but did not when the run looked for it.
class NameTaken : public Error {
 public:
  explicit NameTaken(const std::string& path)
      : Error(ExitCode::usage, fmt::format("{}: another run finished this file just now", path)) {}
};

/// Whether a finished file may replace an existing file of its name.
enum class Replace { nothing, what_is_there };

/// The permissions that the unfinished file of `path` needs: what they keep from others in a file
/// that is there, nobody may read in the new one meanwhile.
unsigned mode_for(const std::string& path) noexcept;

/// An attribute of unfinished files, on file systems that have such: tables, arrays and videos have
/// no place for a mark of their own.
inline constexpr const char* kUnfinishedAttribute = "user.tessera.unfinished";

/// Renames the finished file to target_of(path) and syncs the folder, so that a power cut leaves
/// either the old file or the whole new one. A file that is replaced gives its permissions, group
/// and owner to the new one, as far as the system lets them; where the group cannot stay, it gets
/// no more than everybody. Throws if `part` is no longer the file that was written, because another
/// run with the same output has replaced it. With Replace::nothing, throws a usage error and keeps
/// `part` if `path` exists, even if it appeared at the last moment. Without `sync`, a power cut may
/// undo the rename.
void publish_file(const std::string& part, const std::string& path, const FileIdentity& written,
                  Replace replace, bool sync = true);

/// True if anything has that name; false if that is unknown.
bool exists(const std::string& path) noexcept;

/// The name of standard input, as an argument.
inline constexpr std::string_view kStandardInput = "-";

/// True for "-" and /dev/stdout.
bool is_standard_output(std::string_view path) noexcept;

/// True for standard output, devices, pipes and open files such as /dev/stderr, which a rename
/// would replace.
bool is_special(const std::string& path) noexcept;

/// True for a file with contents, through symbolic links; false for a pipe, which would keep a
/// reader waiting, and if that is unknown.
bool is_regular(const std::string& path) noexcept;

/// The first `bytes` bytes of a regular file; fewer if it is shorter, "" if it cannot be read.
std::string front_of(const std::string& path, std::size_t bytes);
/// All of it; "" if it is no regular file or cannot be read.
std::string contents_of(const std::string& path);

/// Does nothing if there is no such file.
void remove_file(const std::string& path) noexcept;

}  // namespace tessera::base
