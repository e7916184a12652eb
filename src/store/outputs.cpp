#include "store/outputs.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::store {
namespace {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto whole = [&](const std::filesystem::path& path) {
    const std::filesystem::path target = base::target_of(path.string());
    return std::filesystem::weakly_canonical(std::filesystem::absolute(target, error), error);
  };
  return whole(a) == whole(b);
}

/// Whether `path` would be replaced with the folder in which it is.
bool is_inside(const std::filesystem::path& path, const std::string& folder) {
  for (auto above = path.parent_path(); above.has_relative_path(); above = above.parent_path()) {
    if (same_file(above, folder)) return true;
  }
  return false;
}

bool is_replaceable(const std::string& path, const base::TextKind& kind) {
  std::error_code error;
  if (!base::exists(path) || std::filesystem::file_size(path, error) == 0) return true;
  return base::is_of_kind(path, kind);
}

}  // namespace

namespace {

/// Of a file or a folder.
void check_place(const std::string& path, const std::string& what) {
  std::error_code error;
  if (base::is_standard_output(path)) {
    throw base::usage_error("{} {}: cannot be standard output; name a file", what, path);
  }
  if (base::is_endless_link(path)) {
    throw base::usage_error("{} {}: is a symbolic link that leads to no place for a file", what,
                            path);
  }
  const std::string folder = base::existing_folder_of(base::target_of(path));
  if (!std::filesystem::is_directory(folder, error)) {
    throw base::usage_error("{} {}: {} is no folder", what, path, folder);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw base::usage_error("{} {}: cannot write in {}: {}", what, path, folder,
                            std::strerror(errno));
  }
}

void check_replaced(const std::string& path, const std::string& what, bool may_replace) {
  if (may_replace || !base::exists(path)) return;
  throw base::usage_error("{} {}: is there already; --overwrite replaces it", what, path);
}

}  // namespace

void check_output(const std::string& path, const std::string& what, bool may_replace) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw base::usage_error("{} {}: is a folder; name a file", what, path);
  }
  if (base::exists(path) && !base::is_regular(path) && !base::is_standard_output(path)) {
    throw base::usage_error("{} {}: is a pipe, a socket or a device; name a file", what, path);
  }
  check_place(path, what);
  check_replaced(path, what, may_replace);
}

void check_output_folder(const std::string& path, const std::string& what, bool may_replace,
                         bool (*is_ours)(const std::string& path)) {
  check_place(path, what);
  if (!base::exists(path)) return;
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    throw base::usage_error("{} {}: is a file, and is not replaced by a folder; give another name",
                            what, path);
  }
  if (!is_ours(path)) {
    throw base::usage_error(
        "{} {}: is a folder with other files than those of Zarr; give another "
        "name",
        what, path);
  }
  check_replaced(path, what, may_replace);
}

void check_binary_stdout(const std::string& what) {
  if (::isatty(STDOUT_FILENO) == 0) return;
  throw base::usage_error("{} -: standard output is a terminal; redirect it, or name a file", what);
}

void check_text_output(const std::string& path, const std::string& what, const base::TextKind& kind,
                       bool may_replace) {
  check_stream_or_file(path, what, base::of_kind(kind));
  if (base::is_special(path) || may_replace || is_replaceable(path, kind)) return;
  throw base::usage_error("{} {}: is there already, and is no {} of tessera; give another name",
                          what, path, kind.name);
}

void check_stream_or_file(const std::string& path, const std::string& what,
                          const base::IsOurs& is_ours) {
  if (!base::is_special(path)) {
    check_output(path, what, true);
    return base::check_left_over(base::part_path(path), is_ours);
  }
  if (base::is_standard_output(path) || access(path.c_str(), W_OK) == 0) return;
  throw base::usage_error("{} {}: cannot be written: {}", what, path, std::strerror(errno));
}

void check_text_outputs(const std::vector<TextOutput>& files, bool may_replace) {
  for (const TextOutput& file : files) {
    if (!file.path.empty()) check_text_output(file.path, file.what, file.kind, may_replace);
  }
}

void check_distinct(const std::vector<NamedFile>& files) {
  std::vector<NamedFile> taken;
  for (const NamedFile& file : files) {
    if (file.path.empty() || base::is_special(file.path)) continue;
    const std::string part = base::part_path(file.path);
    for (const NamedFile& other : taken) {
      const bool is_safe = !same_file(file.path, other.path) && !same_file(part, other.path) &&
                           !is_inside(other.path, file.path);
      if (is_safe) continue;
      throw base::usage_error("{} {}: would overwrite {} {}; give another name", file.what,
                              file.path, other.what, other.path);
    }
    taken.push_back(file);
    taken.push_back({file.what, part});
  }
}

}  // namespace tessera::store
