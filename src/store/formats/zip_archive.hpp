// Reads the directory of a zip archive, with ZIP64 (PKWARE's APPNOTE.TXT). Private to store.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/file/input_file.hpp"

namespace tessera::store {

struct ZipMember {
  std::string name;
  bool is_deflated = false;  ///< otherwise stored
  std::string problem;       ///< why it cannot be read; "" if it can
  std::uint32_t crc32 = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t bytes = 0;
  std::uint64_t header_offset = 0;
};

class ZipArchive {
 public:
  /// Throws a usage error if the directory at the end of the file is missing or damaged.
  explicit ZipArchive(const std::string& path);

  const std::string& path() const { return file_->path(); }
  const base::InputFile& file() const { return *file_; }
  /// Of several members of one name only the last one.
  const std::vector<ZipMember>& members() const { return members_; }
  /// Null if there is none.
  const ZipMember* find(const std::string& name) const;
  /// Offset of the first stored byte in the file. Throws base::Error (failed) if there is no member
  /// header, or if the member ends behind the file.
  std::uint64_t data_offset(const ZipMember& member) const;
  /// Inflates a member and checks its CRC-32. Throws base::Error (failed) that names it.
  void inflate(const ZipMember& member,
               const std::function<void(std::span<const std::byte>)>& write) const;

 private:
  std::unique_ptr<base::InputFile> file_;
  std::vector<ZipMember> members_;
  std::map<std::string, std::size_t, std::less<>> places_;  ///< in members_, by name
};

}  // namespace tessera::store
