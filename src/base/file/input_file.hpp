// A file that any number of threads read at any offset at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tessera::base {

class InputFile {
 public:
  /// Throws a missing error if there is no such file; a usage error for a folder or a file without
  /// read permission.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size_bytes() const { return size_bytes_; }  ///< when it was opened
  int descriptor() const { return descriptor_; }

  /// Fills `bytes`. Throws base::Error (failed) if the file ends before that.
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace tessera::base
