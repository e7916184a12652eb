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

/// Which file has the name, its size and its times, without reading it: another text after every
/// change, also if the modification time was set back. "none" for a file that does not exist.
std::string describe_status(const std::string& path);

/// Marks that distinguish the contents of a file from others, also if their sizes and modification
/// times are equal: numbers with tabs between them. They are the size, the modification time, and
/// the CRC-32C of the contents, or, above `sample_bytes`, of some pieces with as many bytes in all.
/// There is no checksum of what is no file, or cannot be read. Of a folder they are those of the
/// files below it, by their names, sizes and times.
std::string describe_contents(const std::string& path, std::size_t sample_bytes);

/// The same without times: a copy of a file is that file, and so is one that was only touched. Of a
/// folder with times.
std::string describe_data(const std::string& path, std::size_t sample_bytes);

/// The same as describe_contents() for a file that a result depends on. If the checksum does not
/// cover all of it, its inode and the time of its last change of any kind follow, so that a copy of
/// it is another file.
std::string describe_file(const std::string& path, std::size_t sample_bytes);

/// For both, so that many files do not take long.
std::size_t sample_bytes_of(std::size_t files);

}  // namespace tessera::base
