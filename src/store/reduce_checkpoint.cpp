#include "store/reduce_checkpoint.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/file/input_file.hpp"
#include "base/file/record_file.hpp"
#include "base/file/unfinished_file.hpp"

namespace tessera::store {

namespace {

base::Bytes read_file(const std::string& path) {
  return base::read_marked_file(path, base::kCheckpointMark);
}

/// As a power cut leaves it.
bool is_blank(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == std::byte{}; });
}

/// The process that wrote the file, for a message; "" if unknown.
std::string owner_of_checkpoint(const std::string& path) {
  const base::Bytes bytes = read_file(path);
  const auto sound = base::read_sole_record(bytes, base::kCheckpointMark);
  return sound ? std::string(base::text_of(sound->identity)) : "";
}

/// Locks the file that has the name now, not one that has just been replaced.
void lock_named_file(const std::string& path, std::unique_ptr<base::FileLock>& lock) {
  base::FileIdentity named;
  do {
    named = base::identity_of(path);
    lock.reset();
    lock = std::make_unique<base::FileLock>(path, [&] { return owner_of_checkpoint(path); });
  } while (base::identity_of(path) != named);
}

}  // namespace

std::int64_t ReduceCheckpoint::count_finished() const {
  return std::ranges::count(finished, true);
}

base::Bytes encode(const ReduceCheckpoint& checkpoint) {
  // The writing process is the identity, so that an error message can name it.
  const std::string owner = base::this_process();
  return base::sole_record(base::kCheckpointMark, std::as_bytes(std::span(owner)),
                           base::to_bytes(checkpoint));
}

std::optional<ReduceCheckpoint> decode_reduce_checkpoint(std::span<const std::byte> bytes) {
  const auto sound = base::read_sole_record(bytes, base::kCheckpointMark);
  if (!sound) return std::nullopt;
  try {
    return base::from_bytes<ReduceCheckpoint>(sound->payload);
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

bool begins_as_checkpoint(const std::string& path) {
  const std::string front = base::front_of(path, base::kMarkBytes);
  return base::has_mark(front, base::kCheckpointMark) || base::kCheckpointMark.starts_with(front) ||
         is_blank(std::as_bytes(std::span(front)));
}

ReduceCheckpointFile::ReduceCheckpointFile(std::string path, unsigned mode, bool may_replace)
    : path_(std::move(path)),
      mode_(mode),
      may_replace_(may_replace),
      new_path_(base::beside(path_, ".new")) {}

ReduceCheckpointFile::Found ReduceCheckpointFile::find() {
  // A run that has the checkpoint writes the other file from time to time: nothing may disturb it.
  if (base::exists(path_) && !base::is_regular(path_)) return {.what = What::other};
  if (base::exists(path_)) lock_named_file(path_, lock_);
  if (base::exists(new_path_)) {
    // Either a killed run left it, or the lock throws an error that names the process writing it.
    const base::FileLock nobody_else(new_path_, [&] { return owner_of_checkpoint(path_); });
    base::check_left_over(new_path_, may_replace_ ? base::anything : begins_as_checkpoint);
    base::remove_file(new_path_);
  }
  if (!lock_) return {};
  const base::InputFile readable(path_);  // or an error says why not
  if (readable.size_bytes() == 0) return {};
  const base::Bytes bytes = read_file(path_);
  if (!base::has_mark(base::text_of(bytes), base::kCheckpointMark)) {
    return {.what = is_blank(bytes) ? What::damaged : What::other};
  }
  auto checkpoint = decode_reduce_checkpoint(bytes);
  if (!checkpoint) return {.what = What::damaged};
  return {.what = What::checkpoint, .checkpoint = std::move(*checkpoint)};
}

void ReduceCheckpointFile::save(const ReduceCheckpoint& checkpoint) {
  replace(checkpoint, true);
}

void ReduceCheckpointFile::save_blank(const ReduceCheckpoint& checkpoint) {
  replace(checkpoint, false);
}

void ReduceCheckpointFile::replace(const ReduceCheckpoint& checkpoint, bool sync) {
  if (lock_) lock_->check();
  if (base::exists(path_) && !base::is_regular(path_)) {
    throw base::usage_error("{}: is not a file", path_);
  }
  auto lock =
      base::create_locked(new_path_, mode_, may_replace_ ? base::anything : begins_as_checkpoint,
                          [&] { return owner_of_checkpoint(path_); });
  base::PosixFile file(new_path_, base::PosixFile::Start::as_it_is);
  try {
    const base::FileIdentity written = base::identity_of(new_path_);
    if (!lock_ && base::exists(path_)) lock_named_file(path_, lock_);
    file.cut(0);
    file.write(encode(checkpoint));
    if (sync) file.sync();
    base::publish_file(new_path_, path_, written, base::Replace::what_is_there, false);
    lock->renamed(path_);
  } catch (...) {
    base::remove_file(new_path_);
    throw;
  }
  lock_ = std::move(lock);
  if (sync) base::sync_folder(base::folder_of(path_));
}

void ReduceCheckpointFile::remove() noexcept {
  if (!lock_) return;
  // Without the lock, the file belongs to another run.
  if (lock_->holds()) base::remove_file(base::target_of(path_));
  lock_.reset();
}

}  // namespace tessera::store
