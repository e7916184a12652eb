#include "store/picture/seekable_picture.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera::store {
namespace {

const std::string& checked_path(const PictureTarget& target, std::string_view format) {
  if (!target.take && !base::is_special(target.path)) return target.path;
  throw base::usage_error("{}: a picture in the format {} is written as a file", target.path,
                          format);
}

base::IsOurs replaceable(base::Replace replace) {
  return replace == base::Replace::what_is_there ? base::IsOurs(base::anything) : base::IsOurs();
}

}  // namespace

SeekablePicture::SeekablePicture(const PictureTarget& target, std::string_view format)
    : replace_(target.replace),
      unfinished_(checked_path(target, format), replaceable(target.replace)),
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
  unfinished_.publish(replace_);
}

}  // namespace tessera::store
