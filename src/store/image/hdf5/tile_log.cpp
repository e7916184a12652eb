#include "store/image/hdf5/tile_log.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <span>
#include <system_error>
#include <vector>

#include "base/file/input_file.hpp"
#include "base/file/record_marks.hpp"
#include "codec/chunk.hpp"

namespace tessera::store {

namespace {

// crossed by: test_as_many_as_records_that_are_read_together
constexpr std::size_t kRecordsAtATime = 4096;

/// CRC-32C of the bytes between the member `checksum` and `end`.
template <class T>
std::uint32_t checksum_up_to(std::size_t end, const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return codec::crc32c(bytes.first(end).subspan(offsetof(T, checksum) + sizeof(std::uint32_t)));
}

std::uint32_t checksum_of(const LogHeader& header) {
  return checksum_up_to(offsetof(LogHeader, owner), header);
}

std::uint32_t checksum_of(const LogRecord& record) {
  return checksum_up_to(record_bytes(record.fields), record);
}

template <std::size_t N>
void put_text(std::array<char, N>& to, std::string_view from) {
  to.fill('\0');
  std::copy_n(from.begin(), std::min(from.size(), N - 1), to.begin());
}

bool is_sound(const LogHeader& header) {
  return std::ranges::equal(header.magic, base::kLogMark) &&
         header.checksum == checksum_of(header) && header.fields >= 1 &&
         header.fields <= kMaxFields;
}

bool is_sound(const LogRecord& record) {
  return record.fields >= 1 && record.fields <= kMaxFields &&
         record.checksum == checksum_of(record);
}

std::unique_ptr<base::InputFile> open_log(const std::string& path) {
  std::error_code error;
  const bool there = std::filesystem::file_size(path, error) >= sizeof(LogHeader) && !error;
  return there ? std::make_unique<base::InputFile>(path) : nullptr;
}

std::string owner_of_log(const std::string& log) {
  const auto header = read_log_header(log);
  return header ? header->owner.data() : "";
}

std::uint64_t whole_records(std::uint64_t file_bytes, std::size_t one) {
  return (file_bytes - sizeof(LogHeader)) / one;
}

/// Bytes of a record, also of a log without a sound header, whose records are not sound then.
std::size_t record_bytes_of(const std::string& path) {
  const auto header = read_log_header(path);
  return record_bytes(header ? header->fields : 1);
}

}  // namespace

std::string log_path(const std::string& part) {
  return part + ".log";
}

bool is_log(const std::string& path) {
  if (!base::exists(path)) return true;
  const std::string front = base::front_of(path, base::kMarkBytes);
  const bool blank = front.find_first_not_of('\0') == front.npos;
  return base::is_regular(path) && (blank || base::kLogMark.starts_with(front));
}

LogHeader make_log_header(std::string_view fingerprint, std::size_t fields,
                          const base::FileIdentity& part) {
  LogHeader header{};
  std::ranges::copy(base::kLogMark, header.magic.begin());
  header.fields = static_cast<std::uint32_t>(fields);
  put_text(header.fingerprint, fingerprint);
  header.part_device = part.device;
  header.part_inode = part.inode;
  put_text(header.owner, base::this_process());
  return header;
}

std::optional<LogHeader> read_log_header(const std::string& path) {
  const auto file = open_log(path);
  if (!file) return std::nullopt;
  LogHeader header;
  file->read_at(0, std::as_writable_bytes(std::span(&header, 1)));
  if (!is_sound(header)) return std::nullopt;
  header.owner.back() = '\0';
  return header;
}

std::uint64_t for_each_record(const std::string& path,
                              const std::function<void(const LogRecord&)>& visit) {
  const auto file = open_log(path);
  if (!file) return 0;
  const std::size_t one = record_bytes_of(path);
  const std::uint64_t count = whole_records(file->size_bytes(), one);
  std::uint64_t unsound = 0;
  std::vector<std::byte> bytes;
  for (std::uint64_t first = 0; first < count; first += kRecordsAtATime) {
    bytes.resize(one *
                 static_cast<std::size_t>(std::min<std::uint64_t>(kRecordsAtATime, count - first)));
    file->read_at(sizeof(LogHeader) + first * one, bytes);
    for (std::size_t at = 0; at < bytes.size(); at += one) {
      LogRecord record{};
      std::memcpy(&record, &bytes[at], one);
      const bool sound = record_bytes(record.fields) == one && is_sound(record);
      sound ? visit(record) : static_cast<void>(++unsound);
    }
  }
  return unsound;
}

TileLog::TileLog(const std::string& path, LogHeader header, Start start)
    : file_(path, base::PosixFile::Start::as_it_is),
      lock_(path, [&] { return owner_of_log(path); }),
      record_bytes_(record_bytes(header.fields)) {
  const std::uint64_t bytes = file_.size_bytes();
  const bool resumes = start == Start::resume && bytes >= sizeof(LogHeader);
  header.checksum = checksum_of(header);
  file_.write_at(0, std::as_bytes(std::span(&header, 1)));
  file_.cut(sizeof(LogHeader) +
            (resumes ? whole_records(bytes, record_bytes_) * record_bytes_ : 0));
}

void TileLog::renamed(const std::string& path) {
  file_.renamed(path);
  lock_.renamed(path);
}

void TileLog::append(LogRecord record) {
  record.checksum = checksum_of(record);
  file_.write(std::as_bytes(std::span(&record, 1)).first(record_bytes_));
}

}  // namespace tessera::store
