#include "base/file/placed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/file/posix_file.hpp"

namespace tessera::base {

PlacedFile::PlacedFile(std::string path) : path_(std::move(path)) {
  make_folder_of(path_);
  do {
    descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) throw file_error(path_, "create", errno);
}

PlacedFile::~PlacedFile() {
  ::close(descriptor_);
}

void PlacedFile::write_at(std::uint64_t offset, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written =
        ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw file_error(path_, "write", errno);
    offset += static_cast<std::uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void PlacedFile::sync() {
  if (::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
    throw file_error(path_, "sync", errno);
  }
}

}  // namespace tessera::base
