// A file of records that a later run reads back: a mark, what the file belongs to, and records that
// are appended, each with a checksum. Bytes that are not as they were written are never returned.
//
// The head is the mark (8 bytes), a CRC-32C of the rest of the head (4), the length of the identity
// (4), a random number (8) and the identity. A record is a CRC-32C (4) of the number of the file,
// the record's place and the rest of its own head; a CRC-32C of its payload (4), the length of that
// (8), a tag (8); and the payload. So neither a record from another place nor one that an earlier
// file had in the same place is taken for one of this file. Integers are little-endian.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/file/input_file.hpp"
#include "base/file/posix_file.hpp"
#include "base/file/record_marks.hpp"

namespace tessera::base {

/// The beginning of a file.
struct RecordFileHead {
  std::uint64_t number = 0;    ///< differs between files
  std::uint64_t end_byte = 0;  ///< where the first record is
  Bytes identity;
};

/// Where a record is, from its head.
struct Record {
  std::uint64_t tag = 0;  ///< any number of the writer
  std::uint64_t first_byte = 0;
  std::uint64_t bytes = 0;
  std::uint32_t checksum = 0;

  std::uint64_t end_byte() const { return first_byte + bytes; }
};

/// Reads records of a file, by any number of threads. The file may grow; records that were not
/// there when it was opened are not seen.
class RecordReader {
 public:
  /// `file` must outlive the reader.
  RecordReader(const InputFile& file, std::string_view mark);

  /// Nothing if the file does not begin with this mark and a whole head.
  const std::optional<RecordFileHead>& head() const { return head_; }
  /// The record whose head is at `offset`; nothing if there is none that is whole.
  std::optional<Record> at(std::uint64_t offset) const;
  /// The payload; nothing if it has changed.
  std::optional<Bytes> read(const Record& record) const;
  /// Whether all records from the first one on are as they were written, and one ends at `end`.
  bool is_sound_up_to(std::uint64_t end) const;

 private:
  const InputFile* file_;
  std::optional<RecordFileHead> head_;
};

/// Appends records. Members throw FileError.
class RecordWriter {
 public:
  /// Empties the file and writes a new head.
  RecordWriter(PosixFile& file, std::string_view mark, std::span<const std::byte> identity);
  /// Continues a file behind its record that ends at `end_byte`; cuts off what follows.
  RecordWriter(PosixFile& file, const RecordFileHead& head, std::uint64_t end_byte);

  void append(std::uint64_t tag, std::span<const std::byte> payload);
  /// Where the next record will be.
  std::uint64_t end_byte() const { return end_byte_; }
  std::uint64_t number() const { return number_; }

 private:
  PosixFile* file_;
  std::uint64_t number_;
  std::uint64_t end_byte_;
};

/// The bytes of a file with one record, for files that are written at once.
Bytes sole_record(std::string_view mark, std::span<const std::byte> identity,
                  std::span<const std::byte> payload);

/// The contents of such a file.
struct SoleRecord {
  std::span<const std::byte> identity, payload;
};
/// Nothing if the bytes are not all, and only, those that sole_record() made.
std::optional<SoleRecord> read_sole_record(std::span<const std::byte> file, std::string_view mark);

/// The bytes as characters.
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// Whether the file is there with a head that RecordWriter has written, not only with its mark.
bool has_sound_head(const std::string& path, std::string_view mark) noexcept;
/// All bytes of a regular file that begins with the mark, in any version; else at most its first
/// ones, none if it cannot be read.
Bytes read_marked_file(const std::string& path, std::string_view mark);

}  // namespace tessera::base
