#include "reduce/run_file.hpp"

#include <fstream>
#include <optional>

namespace tessera::reduce {
namespace {

constexpr std::string_view kMark = "TSGROUPS";

/// Before each block.
struct BlockHeader {
  std::uint64_t bytes = 0;
  statistics::GroupKey last = 0;
};

}  // namespace

bool is_run_file(const std::string& path) {
  std::string front(kMark.size(), '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(front.data(), static_cast<std::streamsize>(front.size()));
  return file && front == kMark;
}

void RunFile::open(base::PosixFile::Start start) {
  auto file = std::make_unique<base::PosixFile>(path_, base::PosixFile::Start::as_it_is, mode_);
  lock_ = std::make_unique<base::FileLock>(path_);
  if (start == base::PosixFile::Start::empty) {
    if (file->size_bytes() > 0 && !is_run_file(path_)) {
      throw base::usage_error("{}: is in the way of groups that memory does not hold", path_);
    }
    file->cut(0);
  }
  file_ = std::move(file);
}

void RunFile::remove() noexcept {
  try {
    if (!file_ && is_run_file(path_)) open(base::PosixFile::Start::as_it_is);
    if (file_) base::remove_file(path_);
  } catch (const base::Error&) {
    return;  // another run writes it
  }
}

bool RunFile::go_on(std::uint64_t bytes) {
  if (bytes <= kMarkBytes) return true;
  if (!base::exists(path_)) return false;
  open(base::PosixFile::Start::as_it_is);
  if (file_->size_bytes() < bytes) return false;
  file_->cut(bytes);
  bytes_ = bytes;
  return true;
}

void RunFile::write(statistics::GroupKey last, std::span<const std::byte> records) {
  if (!file_) {
    open(base::PosixFile::Start::empty);
    static_assert(kMark.size() == kMarkBytes);
    file_->write(std::as_bytes(std::span(kMark)));
  }
  const BlockHeader header{records.size(), last};
  file_->write(std::as_bytes(std::span(&header, 1)));
  file_->write(records);
  bytes_ += sizeof header + records.size();
}

void RunFile::sync() const {
  if (file_) file_->sync();
}

std::optional<base::Bytes> RunReader::next(statistics::GroupKey first) {
  while (run_.first_byte < run_.end_byte) {
    BlockHeader header;
    file_->read_at(run_.first_byte, std::as_writable_bytes(std::span(&header, 1)));
    const std::uint64_t at = run_.first_byte + sizeof header;
    run_.first_byte = at + header.bytes;
    if (header.last < first) continue;
    base::Bytes records(header.bytes);
    file_->read_at(at, records);
    return records;
  }
  return std::nullopt;
}

}  // namespace tessera::reduce
