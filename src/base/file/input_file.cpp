#include "base/file/input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/user_path.hpp"
#include "base/text.hpp"

namespace tessera::base {

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  do {
    // Does not wait for a writer of a FIFO, which is refused below.
    descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) {
    if (errno == ENOENT) throw no_such_file(path_);
    throw usage_error("{}: cannot be read: {}", path_, std::generic_category().message(errno));
  }
  struct stat status {};
  const int failed = ::fstat(descriptor_, &status) == 0 ? 0 : errno;
  if (failed == 0 && S_ISREG(status.st_mode)) {
    size_bytes_ = static_cast<std::uint64_t>(status.st_size);
    return;
  }
  ::close(descriptor_);
  if (failed != 0) throw file_error(path_, "look up", failed);
  throw usage_error("{}: is not a file", path_);
}

InputFile::~InputFile() {
  ::close(descriptor_);
}

void InputFile::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t got =
        ::pread(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw file_error(path_, "read", errno);
    if (got == 0) {
      throw run_error("{}: ends {} too early, at {}", path_, count_of(std::ssize(bytes), "byte"),
                      offset);
    }
    offset += static_cast<std::uint64_t>(got);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

}  // namespace tessera::base
