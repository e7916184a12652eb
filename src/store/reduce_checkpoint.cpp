#include "store/reduce_checkpoint.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

#include "base/file/input_file.hpp"
#include "codec/chunk.hpp"

namespace tessera::store {

namespace {

constexpr std::array<char, 8> kCheckpointMagic = {'T', 'S', 'R', 'R', 'E', 'D', '0', '2'};
/// The magic and the checksum, which the checksum does not cover.
constexpr std::size_t kHeadBytes = kCheckpointMagic.size() + sizeof(std::uint32_t);

std::uint32_t checksum_of(std::span<const std::byte> file) {
  return codec::crc32c(file.subspan(kHeadBytes));
}

bool has_magic(std::span<const std::byte> bytes) {
  return bytes.size() >= kCheckpointMagic.size() &&
         std::memcmp(bytes.data(), kCheckpointMagic.data(), kCheckpointMagic.size()) == 0;
}

bool is_sound(std::span<const std::byte> bytes) {
  if (bytes.size() < kHeadBytes || !has_magic(bytes)) return false;
  std::uint32_t checksum = 0;
  std::memcpy(&checksum, bytes.data() + kCheckpointMagic.size(), sizeof(checksum));
  return checksum == checksum_of(bytes);
}

/// Reads the whole file; of a file that is no checkpoint, only the beginning.
base::Bytes read_file(const std::string& path) {
  const base::InputFile file(path);
  base::Bytes bytes(std::min<std::uint64_t>(file.size_bytes(), kCheckpointMagic.size()));
  file.read_at(0, bytes);
  if (!has_magic(bytes)) return bytes;
  bytes.resize(file.size_bytes());
  file.read_at(0, bytes);
  return bytes;
}

/// The process that wrote the file, for a message; "" if unknown.
std::string owner_of_checkpoint(const std::string& path) {
  try {
    const base::Bytes bytes = read_file(path);
    if (!is_sound(bytes)) return "";
    base::ByteReader in(std::span<const std::byte>(bytes).subspan(kHeadBytes));
    return in.get<std::string>();
  } catch (const base::Error&) {
    return "";
  }
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
  // The writing process comes first, so that an error message can name it.
  base::Bytes bytes =
      base::to_bytes(kCheckpointMagic, std::uint32_t{0}, base::this_process(), checkpoint);
  const std::uint32_t checksum = checksum_of(bytes);
  std::memcpy(bytes.data() + kCheckpointMagic.size(), &checksum, sizeof(checksum));
  return bytes;
}

std::optional<ReduceCheckpoint> decode_reduce_checkpoint(std::span<const std::byte> bytes) {
  if (!is_sound(bytes)) return std::nullopt;
  try {
    base::ByteReader in(bytes.subspan(kHeadBytes));
    in.get<std::string>();  // the process that wrote it
    auto checkpoint = in.get<ReduceCheckpoint>();
    if (!in.empty()) return std::nullopt;
    return checkpoint;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

ReduceCheckpointFile::ReduceCheckpointFile(std::string path)
    : path_(std::move(path)), new_path_(path_ + ".new") {}

ReduceCheckpointFile::Found ReduceCheckpointFile::find() {
  if (base::exists(new_path_)) {
    // Either a killed run left it, or the lock throws an error that names the process writing it.
    const base::FileLock nobody_else(new_path_, [&] { return owner_of_checkpoint(path_); });
    base::remove_file(new_path_);
  }
  if (!base::exists(path_)) return {};
  lock_named_file(path_, lock_);
  const base::Bytes bytes = read_file(path_);
  if (bytes.empty()) return {};
  if (!has_magic(bytes)) return {.what = What::other};
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
  base::PosixFile file(new_path_, base::PosixFile::Start::as_it_is);
  auto lock =
      std::make_unique<base::FileLock>(new_path_, [&] { return owner_of_checkpoint(path_); });
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
  if (lock_->holds()) base::remove_file(path_);
  lock_.reset();
}

}  // namespace tessera::store
