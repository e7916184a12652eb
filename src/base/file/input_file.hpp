// A file that is read at places of the reader's choosing, by any number of threads at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace tessera::base {

class InputFile {
 public:
  /// missing error if there is no such file; usage error for a folder or one that must not be read.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  std::uint64_t size_bytes() const { return size_bytes_; }  ///< when it was opened
  int descriptor() const { return descriptor_; }

  /// Fills `bytes`; throws base::Error (failed) if the file ends before that.
  void read_at(std::uint64_t offset, std::span<std::byte> bytes) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace tessera::base
