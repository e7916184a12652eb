// Tells whether a file is still the one that it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tessera::base {

struct FileStamp {
  std::uint64_t bytes = 0;
  std::int64_t changed_ns = 0;  ///< modification time, since 1970

  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// Without reading the file. Zero bytes and 1970 for a file that does not exist.
FileStamp stamp_of(const std::string& path);

/// What distinguishes a file from one that has replaced it, or from its earlier contents, also if
/// their sizes and modification times are equal: numbers with tabs between them. They are the size,
/// the modification time, and the CRC-32C of the contents. Of a file above `sample_bytes`, the
/// checksum is that of some pieces with as many bytes in all, and the inode and the time of the
/// last change of any kind follow: a copy of such a file is another file. Of what is no file, or
/// cannot be read, there is no checksum.
std::string describe_contents(const std::string& path, std::size_t sample_bytes);

/// For describe_contents(), so that many files do not take long.
std::size_t sample_bytes_of(std::size_t files);

}  // namespace tessera::base
