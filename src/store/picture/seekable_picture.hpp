// The unfinished file of a picture whose library goes back in what it has written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <string_view>

#include "base/file/posix_file.hpp"
#include "base/file/unfinished_file.hpp"
#include "store/picture/picture_format.hpp"

namespace tessera::store {

/// Without finish(), the destructor removes the file. Errors of write() are kept, since libraries
/// do not let exceptions through everywhere: rethrow() throws the first one.
class SeekablePicture {
 public:
  /// Throws a usage error where the picture goes to standard output or to a reader.
  SeekablePicture(PictureTarget target, std::string_view format);

  /// False after an error.
  bool write(std::span<const std::byte> bytes) noexcept;
  void seek(std::uint64_t position) { position_ = position; }
  std::uint64_t position() const { return position_; }
  std::uint64_t size_bytes() const { return size_bytes_; }
  const std::string& path() const { return file_.path(); }
  void rethrow() const;
  /// As PictureWriter::finish().
  void finish();

 private:
  PictureTarget target_;
  base::UnfinishedFile unfinished_;
  base::PosixFile file_;
  std::uint64_t position_ = 0, size_bytes_ = 0;
  std::exception_ptr failure_;
};

}  // namespace tessera::store
