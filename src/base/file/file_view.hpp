// A part of a file as memory: what is in the page cache is not copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace tessera::base {

class InputFile;

class FileView {
 public:
  /// Brings in what is not in memory yet. Nothing where that cannot be done (a file that ends
  /// before that, a damaged disk, a system older than Linux 5.14): read_at() works then, or says
  /// why not. `file` outlives the view.
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

  /// As they are now, and as others change them. Should the file be cut off while it is viewed, a
  /// look at what is gone ends the process with one line and ExitCode::failed.
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  FileView(std::span<std::byte> pages, std::span<const std::byte> bytes)
      : pages_(pages), bytes_(bytes) {}

  std::span<std::byte> pages_;
  std::span<const std::byte> bytes_;
};

}  // namespace tessera::base
