#include "store/outputs.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"

namespace tessera::store {
namespace {

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::error_code error;
  if (std::filesystem::equivalent(a, b, error)) return true;
  const auto whole = [&](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
  };
  return whole(a) == whole(b);
}

/// True for a file that is empty or not there, too.
bool is_of_kind(const std::string& path, const TextKind& kind) {
  std::string front(4096, '\0');
  std::ifstream file(path, std::ios::binary);
  file.read(front.data(), static_cast<std::streamsize>(front.size()));
  front.resize(static_cast<std::size_t>(file.gcount()));
  return front.empty() || front.find(kind.mark) != std::string::npos;
}

}  // namespace

void check_output(const std::string& path, const std::string& what, bool may_replace) {
  std::error_code error;
  if (base::is_standard_output(path)) {
    throw base::usage_error("{} {}: cannot be standard output; name a file", what, path);
  }
  const std::string folder = base::existing_folder_of(path);
  if (!std::filesystem::is_directory(folder, error)) {
    throw base::usage_error("{} {}: {} is no folder", what, path, folder);
  }
  if (std::filesystem::is_directory(path, error)) {
    throw base::usage_error("{} {}: is a folder; name a file", what, path);
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) {
    throw base::usage_error("{} {}: cannot write in {}: {}", what, path, folder,
                            std::strerror(errno));
  }
  if (!may_replace && std::filesystem::exists(path, error)) {
    throw base::usage_error("{} {}: is there already; --overwrite replaces it", what, path);
  }
}

void check_binary_stdout(const std::string& what) {
  if (::isatty(STDOUT_FILENO) == 0) return;
  throw base::usage_error("{} -: standard output is a terminal; redirect it, or name a file", what);
}

void check_text_output(const std::string& path, const std::string& what, const TextKind& kind,
                       bool may_replace) {
  if (!base::is_special(path)) {
    check_output(path, what, true);
    if (may_replace || is_of_kind(path, kind)) return;
    throw base::usage_error("{} {}: is there already, and is no {} of tessera; give another name",
                            what, path, kind.name);
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
      if (!same_file(file.path, other.path) && !same_file(part, other.path)) continue;
      throw base::usage_error("{} {}: would overwrite {} {}; give another name", file.what,
                              file.path, other.what, other.path);
    }
    taken.push_back(file);
    taken.push_back({file.what, part});
  }
}

}  // namespace tessera::store
