#include "store/picture/seekable_picture.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tessera::store {
namespace {

PictureTarget checked(PictureTarget target, std::string_view format) {
  if (!target.take && !base::is_special(target.path)) return target;
  throw base::usage_error("{}: a picture in the format {} is written as a file", target.path,
                          format);
}

base::IsOurs replaceable(base::Replace replace) {
  return replace == base::Replace::what_is_there ? base::IsOurs(base::anything) : base::IsOurs();
}

}  // namespace

SeekablePicture::SeekablePicture(PictureTarget target, std::string_view format)
    : target_(checked(std::move(target), format)),
      unfinished_(target_.path, replaceable(target_.replace)),
      file_(unfinished_.part()) {}

bool SeekablePicture::write(std::span<const std::byte> bytes) noexcept {
  if (failure_) return false;
  try {
    file_.write_at(position_, bytes);
  } catch (...) {
    failure_ = std::current_exception();
    return false;
  }
  position_ += bytes.size();
  size_bytes_ = std::max(size_bytes_, position_);
  return true;
}

void SeekablePicture::rethrow() const {
  if (failure_) std::rethrow_exception(failure_);
}

void SeekablePicture::finish() {
  rethrow();
  file_.sync();
  file_.close();
  unfinished_.publish(target_.replace);
}

}  // namespace tessera::store
