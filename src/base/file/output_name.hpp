// Where an output goes, and the names of the files beside it.
#pragma once

#include <string>
#include <string_view>

namespace tessera::base {

/// The file that `path` means: through symbolic links, also those to files that do not exist yet.
/// `path` itself if the links lead in a circle, or to what the kernel only shows as a link, such as
/// /dev/stderr.
std::string target_of(const std::string& path);

/// True if `path` is a symbolic link that target_of() does not follow to its end.
bool is_endless_link(const std::string& path) noexcept;

/// The name of a file that belongs to `path`: that of target_of(), with the suffix, in the same
/// folder. Of a name that leaves no room for suffixes, only the beginning is taken, and a hash of
/// all of it.
std::string beside(const std::string& path, std::string_view suffix);

/// The name of the unfinished `path`, so that a rename can finish it.
std::string part_path(const std::string& path);

/// The folder of the parts of an image in several files.
std::string parts_folder(const std::string& path);

/// The longest name that file systems take.
// crossed by: is_cut_where_suffixes_have_no_room, test_names_of_any_length
inline constexpr std::size_t kMaxNameBytes = 255;
/// Room for all suffixes of the files beside an output: ".part.checkpoint.new.lock.1234567".
// crossed by: is_cut_where_suffixes_have_no_room, test_names_of_any_length
inline constexpr std::size_t kSuffixBytes = 40;

}  // namespace tessera::base
