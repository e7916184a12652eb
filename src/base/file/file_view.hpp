// Maps a part of a file, so that data in the page cache are not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tessera::base {

class InputFile;

/// From now on files are viewed, and SIGBUS is handled: if a file is truncated while it is mapped,
/// an access beyond its end ends the process with one line and ExitCode::failed. For a process that
/// belongs to Tessera.
void end_process_at_lost_bytes();

class FileView {
 public:
  /// Maps the bytes and reads those that are not in memory. Nothing if that fails (the file is too
  /// short, the disk is damaged, the system is older than Linux 5.14), or if the process does not
  /// end at lost bytes: then use read_at(), which works or throws. `file` must outlive the view.
  static std::optional<FileView> open(const InputFile& file, std::uint64_t offset,
                                      std::size_t bytes);
  ~FileView();
  FileView(FileView&& other) noexcept
      : pages_(std::exchange(other.pages_, {})), bytes_(std::exchange(other.bytes_, {})) {}
  FileView& operator=(FileView&& other) noexcept {
    std::swap(pages_, other.pages_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }

  /// The bytes as they are now; changes by others are visible.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  FileView(std::span<std::byte> pages, std::span<const std::byte> bytes)
      : pages_(pages), bytes_(bytes) {}

  std::span<std::byte> pages_;
  std::span<const std::byte> bytes_;
};

}  // namespace tessera::base
