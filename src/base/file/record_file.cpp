#include "base/file/record_file.hpp"

#include <algorithm>
#include <array>
#include <random>

#include "base/checksum.hpp"
#include "base/error.hpp"

namespace tessera::base {
namespace {

struct HeadBytes {
  std::array<char, kMarkBytes> mark;
  std::uint32_t checksum;  ///< checksum of the members that follow, and the identity
  std::uint32_t identity_bytes;
  std::uint64_t number;
};
static_assert(sizeof(HeadBytes) == 24);

struct RecordBytes {
  std::uint32_t own_checksum;  ///< checksum of Sealed
  std::uint32_t checksum;      ///< checksum of the payload
  std::uint64_t bytes;
  std::uint64_t tag;
};
static_assert(sizeof(RecordBytes) == 24);

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

std::uint32_t checksum_of(const HeadBytes& head, std::span<const std::byte> identity) {
  const auto rest = bytes_of(head).subspan(offsetof(HeadBytes, identity_bytes));
  return crc32c(identity, crc32c(rest));
}

/// Checksum of a record's head, in this place of this file.
std::uint32_t checksum_of(const RecordBytes& record, std::uint64_t number, std::uint64_t offset) {
  const std::array<std::uint64_t, 2> place = {number, offset};
  return crc32c(bytes_of(record).subspan(offsetof(RecordBytes, checksum)),
                crc32c(std::as_bytes(std::span(place))));
}

HeadBytes make_head(std::string_view mark, std::span<const std::byte> identity) {
  std::random_device random;
  HeadBytes head{.mark = {},
                 .checksum = 0,
                 .identity_bytes = static_cast<std::uint32_t>(identity.size()),
                 .number = std::uint64_t{random()} << 32 | random()};
  std::ranges::copy(mark, head.mark.begin());
  head.checksum = checksum_of(head, identity);
  return head;
}

RecordBytes make_record(std::uint64_t number, std::uint64_t offset, std::uint64_t tag,
                        std::span<const std::byte> payload) {
  RecordBytes record{
      .own_checksum = 0, .checksum = crc32c(payload), .bytes = payload.size(), .tag = tag};
  record.own_checksum = checksum_of(record, number, offset);
  return record;
}

/// Reads from a file, or from memory: read(offset, span) fills the span.
template <class Read>
std::optional<RecordFileHead> read_head(std::uint64_t file_bytes, std::string_view mark,
                                        const Read& read) {
  HeadBytes head;
  if (file_bytes < sizeof head) return std::nullopt;
  read(0, std::as_writable_bytes(std::span(&head, 1)));
  if (std::string_view(head.mark.data(), head.mark.size()) != mark) return std::nullopt;
  if (head.identity_bytes > file_bytes - sizeof head) return std::nullopt;
  Bytes identity(head.identity_bytes);
  read(sizeof head, std::span(identity));
  if (head.checksum != checksum_of(head, identity)) return std::nullopt;
  return RecordFileHead{head.number, sizeof head + identity.size(), std::move(identity)};
}

template <class Read>
std::optional<Record> read_record(std::uint64_t file_bytes, std::uint64_t number,
                                  std::uint64_t offset, const Read& read) {
  RecordBytes record;
  if (offset > file_bytes || file_bytes - offset < sizeof record) return std::nullopt;
  read(offset, std::as_writable_bytes(std::span(&record, 1)));
  const std::uint64_t first = offset + sizeof record;
  if (record.own_checksum != checksum_of(record, number, offset)) return std::nullopt;
  if (record.bytes > file_bytes - first) return std::nullopt;  // cut off
  return Record{record.tag, first, record.bytes, record.checksum};
}

auto reading(const InputFile& file) {
  return [&file](std::uint64_t offset, std::span<std::byte> to) { file.read_at(offset, to); };
}

auto reading(std::span<const std::byte> bytes) {
  return [bytes](std::uint64_t offset, std::span<std::byte> to) {
    std::ranges::copy(bytes.subspan(offset, to.size()), to.begin());
  };
}

}  // namespace

RecordReader::RecordReader(const InputFile& file, std::string_view mark)
    : file_(&file), head_(read_head(file.size_bytes(), mark, reading(file))) {}

std::optional<Record> RecordReader::at(std::uint64_t offset) const {
  if (!head_) return std::nullopt;
  return read_record(file_->size_bytes(), head_->number, offset, reading(*file_));
}

std::optional<Bytes> RecordReader::read(const Record& record) const {
  Bytes payload(record.bytes);
  file_->read_at(record.first_byte, payload);
  if (crc32c(payload) != record.checksum) return std::nullopt;
  return payload;
}

bool RecordReader::is_sound_up_to(std::uint64_t end) const {
  if (!head_) return false;
  std::uint64_t at_byte = head_->end_byte;
  while (at_byte < end) {
    const auto record = at(at_byte);
    if (!record || !read(*record)) return false;
    at_byte = record->end_byte();
  }
  return at_byte == end;
}

RecordWriter::RecordWriter(PosixFile& file, std::string_view mark,
                           std::span<const std::byte> identity)
    : file_(&file) {
  const HeadBytes head = make_head(mark, identity);
  number_ = head.number;
  end_byte_ = sizeof head + identity.size();
  file_->cut(0);
  file_->write(bytes_of(head));
  file_->write(identity);
}

RecordWriter::RecordWriter(PosixFile& file, const RecordFileHead& head, std::uint64_t end_byte)
    : file_(&file), number_(head.number), end_byte_(end_byte) {
  file_->cut(end_byte);
}

void RecordWriter::append(std::uint64_t tag, std::span<const std::byte> payload) {
  const RecordBytes record = make_record(number_, end_byte_, tag, payload);
  file_->write(bytes_of(record));
  file_->write(payload);
  end_byte_ += sizeof record + payload.size();
}

Bytes sole_record(std::string_view mark, std::span<const std::byte> identity,
                  std::span<const std::byte> payload) {
  const HeadBytes head = make_head(mark, identity);
  const RecordBytes record = make_record(head.number, sizeof head + identity.size(), 0, payload);
  ByteWriter to;
  to.reserve(sizeof head + identity.size() + sizeof record + payload.size());
  to.put_bytes(bytes_of(head)).put_bytes(identity).put_bytes(bytes_of(record)).put_bytes(payload);
  return to.take();
}

std::optional<SoleRecord> read_sole_record(std::span<const std::byte> file, std::string_view mark) {
  const auto head = read_head(file.size(), mark, reading(file));
  if (!head) return std::nullopt;
  const auto record = read_record(file.size(), head->number, head->end_byte, reading(file));
  if (!record || record->end_byte() != file.size()) return std::nullopt;
  const auto payload = file.subspan(record->first_byte);
  if (crc32c(payload) != record->checksum) return std::nullopt;
  return SoleRecord{file.subspan(sizeof(HeadBytes), head->identity.size()), payload};
}

bool has_sound_head(const std::string& path, std::string_view mark) noexcept {
  try {
    const InputFile file(path);
    return RecordReader(file, mark).head().has_value();
  } catch (const Error&) {
    return false;
  }
}

Bytes read_marked_file(const std::string& path, std::string_view mark) {
  Bytes bytes;
  try {
    const InputFile file(path);
    bytes.resize(std::min<std::uint64_t>(file.size_bytes(), kMarkBytes));
    file.read_at(0, bytes);
    if (!has_mark(text_of(bytes), mark)) return bytes;
    bytes.resize(file.size_bytes());
    file.read_at(0, bytes);
  } catch (const Error&) {
    bytes.clear();
  }
  return bytes;
}

}  // namespace tessera::base
