#include "base/file/unnamed_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/file/posix_file.hpp"

namespace tessera::base {

UnnamedFile::UnnamedFile()
    : path_((std::filesystem::temp_directory_path() / "tessera-XXXXXX").string()),
      descriptor_(::mkostemp(path_.data(), O_CLOEXEC)) {
  if (descriptor_.number() < 0) throw file_error(path_, "create", errno);
  ::unlink(path_.c_str());
}

void UnnamedFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor_.number(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw file_error(path_, "write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    bytes_ += static_cast<std::uint64_t>(written);
  }
}

std::string UnnamedFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor_.number());
}

std::string UnnamedFile::read(std::uint64_t offset, std::size_t most) const {
  std::string piece(most, '\0');
  const ssize_t got =
      ::pread(descriptor_.number(), piece.data(), piece.size(), static_cast<off_t>(offset));
  piece.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return piece;
}

}  // namespace tessera::base
