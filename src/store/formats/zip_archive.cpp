#include "store/formats/zip_archive.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <span>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/printable.hpp"
#include "codec/inflate_stream.hpp"

namespace tessera::store {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers of zip are little-endian");

constexpr std::size_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kEntryBytes = 46;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kMaxCommentBytes = 0xffff;
constexpr std::uint32_t kIn64 = 0xffffffff;

template <class T>
T number_at(std::span<const std::byte> bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.subspan(at, sizeof value).data(), sizeof value);
  return value;
}

bool is_signature(std::span<const std::byte> bytes, char a, char b) {
  return bytes.size() >= 4 && bytes[0] == std::byte{'P'} && bytes[1] == std::byte{'K'} &&
         bytes[2] == std::byte(a) && bytes[3] == std::byte(b);
}

/// Where the entries of all members are.
struct Directory {
  std::uint64_t members = 0, bytes = 0, offset = 0;
};

base::Error no_directory(const std::string& path) {
  return base::usage_error("{}: a zip archive without its end: it is cut off or damaged", path);
}

/// Of ZIP64, if its locator lies before the end record at `end`.
std::optional<Directory> find_directory64(const base::InputFile& file, std::uint64_t end) {
  if (end < kLocatorBytes) return std::nullopt;
  base::Bytes locator(kLocatorBytes);
  file.read_at(end - kLocatorBytes, locator);
  if (!is_signature(locator, 6, 7)) return std::nullopt;
  const auto offset = number_at<std::uint64_t>(locator, 8);
  base::Bytes record(kEnd64Bytes);
  if (offset > end || end - offset < kEnd64Bytes) throw no_directory(file.path());
  file.read_at(offset, record);
  if (!is_signature(record, 6, 6)) throw no_directory(file.path());
  return Directory{number_at<std::uint64_t>(record, 32), number_at<std::uint64_t>(record, 40),
                   number_at<std::uint64_t>(record, 48)};
}

Directory find_directory(const base::InputFile& file) {
  const std::uint64_t all = file.size_bytes();
  base::Bytes tail(std::min<std::uint64_t>(all, kEndBytes + kMaxCommentBytes));
  file.read_at(all - tail.size(), tail);
  for (std::size_t at = tail.size() < kEndBytes ? 0 : tail.size() - kEndBytes + 1; at-- > 0;) {
    const auto record = std::span(tail).subspan(at);
    if (!is_signature(record, 5, 6)) continue;
    if (number_at<std::uint16_t>(record, 20) != record.size() - kEndBytes) continue;
    if (auto wide = find_directory64(file, all - tail.size() + at)) return *wide;
    return {number_at<std::uint16_t>(record, 10), number_at<std::uint32_t>(record, 12),
            number_at<std::uint32_t>(record, 16)};
  }
  throw no_directory(file.path());
}

/// Sizes and offset that do not fit into the entry are in its extra field, in this order.
void read_extra(std::span<const std::byte> extra, ZipMember& member) {
  while (extra.size() >= 4) {
    const auto id = number_at<std::uint16_t>(extra, 0);
    const auto bytes = std::min<std::size_t>(number_at<std::uint16_t>(extra, 2), extra.size() - 4);
    auto field = extra.subspan(4, bytes);
    extra = extra.subspan(4 + bytes);
    if (id != 1) continue;
    for (std::uint64_t* value : {&member.bytes, &member.stored_bytes, &member.header_offset}) {
      if (*value != kIn64 || field.size() < 8) continue;
      *value = number_at<std::uint64_t>(field, 0);
      field = field.subspan(8);
    }
  }
}

std::string problem_of(unsigned flags, unsigned method) {
  if ((flags & 1) != 0) return "is encrypted";
  if (method != 0 && method != 8) {
    return "is compressed by method " + std::to_string(method) +
           " of zip; stored and deflated members are read";
  }
  return "";
}

/// The entry at the beginning of `entries`, which is dropped from it.
ZipMember take_entry(std::span<const std::byte>& entries, const std::string& path) {
  if (entries.size() < kEntryBytes || !is_signature(entries, 1, 2)) throw no_directory(path);
  const std::size_t name = number_at<std::uint16_t>(entries, 28);
  const std::size_t extra = number_at<std::uint16_t>(entries, 30);
  const std::size_t whole = kEntryBytes + name + extra + number_at<std::uint16_t>(entries, 32);
  if (entries.size() < whole) throw no_directory(path);
  const auto method = number_at<std::uint16_t>(entries, 10);
  ZipMember member{.is_deflated = method == 8,
                   .problem = problem_of(number_at<std::uint16_t>(entries, 8), method),
                   .crc32 = number_at<std::uint32_t>(entries, 16),
                   .stored_bytes = number_at<std::uint32_t>(entries, 20),
                   .bytes = number_at<std::uint32_t>(entries, 24),
                   .header_offset = number_at<std::uint32_t>(entries, 42)};
  member.name.assign(reinterpret_cast<const char*>(entries.data()) + kEntryBytes, name);
  read_extra(entries.subspan(kEntryBytes + name, extra), member);
  entries = entries.subspan(whole);
  return member;
}

}  // namespace

ZipArchive::ZipArchive(const std::string& path) : file_(std::make_unique<base::InputFile>(path)) {
  const Directory directory = find_directory(*file_);
  if (directory.offset > file_->size_bytes() ||
      directory.bytes > file_->size_bytes() - directory.offset) {
    throw no_directory(path);
  }
  base::Bytes bytes(directory.bytes);
  file_->read_at(directory.offset, bytes);
  std::span<const std::byte> entries(bytes);
  for (std::uint64_t i = 0; i < directory.members; ++i) {
    ZipMember member = take_entry(entries, path);
    const auto [place, is_new] = places_.emplace(member.name, members_.size());
    if (is_new) {
      members_.push_back(std::move(member));
    } else {
      members_[place->second] = std::move(member);
    }
  }
}

const ZipMember* ZipArchive::find(const std::string& name) const {
  const auto found = places_.find(name);
  return found == places_.end() ? nullptr : &members_[found->second];
}

std::uint64_t ZipArchive::data_offset(const ZipMember& member) const {
  const auto damaged = [&] {
    return base::run_error("{}: {} is not where the directory says: the archive is damaged", path(),
                           base::printable(member.name));
  };
  const std::uint64_t all = file_->size_bytes();
  if (member.header_offset > all || all - member.header_offset < kLocalBytes) throw damaged();
  base::Bytes header(kLocalBytes);
  file_->read_at(member.header_offset, header);
  if (!is_signature(header, 3, 4)) throw damaged();
  const std::uint64_t offset = member.header_offset + kLocalBytes +
                               number_at<std::uint16_t>(header, 26) +
                               number_at<std::uint16_t>(header, 28);
  if (offset > all || all - offset < member.stored_bytes) throw damaged();
  if (!member.is_deflated && member.stored_bytes != member.bytes) throw damaged();
  return offset;
}

void ZipArchive::inflate(const ZipMember& member,
                         const std::function<void(std::span<const std::byte>)>& write) const {
  std::uint64_t offset = data_offset(member);
  const std::uint64_t end = offset + member.stored_bytes;
  const auto read = [&](std::span<std::byte> bytes) {
    const auto some = bytes.first(std::min<std::uint64_t>(bytes.size(), end - offset));
    file_->read_at(offset, some);
    offset += some.size();
    return some.size();
  };
  try {
    if (codec::inflate_stream(read, write, member.bytes) == member.crc32) return;
  } catch (const base::FileError&) {
    throw;
  } catch (const base::Error& error) {
    throw base::run_error("{}: {}: {}", path(), base::printable(member.name), error.what());
  }
  throw base::run_error("{}: {}: wrong CRC-32", path(), base::printable(member.name));
}

}  // namespace tessera::store
