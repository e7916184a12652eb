#include "reduce/groups/run_file.hpp"

#include <algorithm>

namespace tessera::reduce {
namespace {

constexpr std::string_view kMark = "TSGROUPS";

/// Before each block.
struct BlockHeader {
  std::uint64_t bytes = 0;
  statistics::GroupKey last = 0;
};

}  // namespace

bool begins_run_file(std::string_view front) {
  return front.starts_with(kMark);
}

RunFile::~RunFile() {
  if (file_ && !stays_) base::remove_file(path_);
}

void RunFile::open(base::PosixFile::Start start) {
  file_ = std::make_unique<base::PosixFile>(path_, base::PosixFile::Start::as_it_is);
  lock_ = std::make_unique<base::FileLock>(path_);
  if (start == base::PosixFile::Start::empty) file_->cut(0);
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
