#include "base/file/user_path.hpp"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/file/posix_file.hpp"

namespace tessera::base {
namespace {

bool has_name(const std::string& path) noexcept {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0;
}

/// "" if there is no such user; `user` = "" is the one who runs the program.
std::string home_of(const std::string& user) {
  const char* const home =
      user.empty() ? std::getenv("HOME") : nullptr;  // NOLINT(concurrency-mt-unsafe)
  if (home != nullptr && *home != '\0') return home;
  const passwd* const entry = user.empty()
                                  ? ::getpwuid(::getuid())
                                  : ::getpwnam(user.c_str());  // NOLINT(concurrency-mt-unsafe)
  return entry == nullptr ? "" : entry->pw_dir;
}

/// The part of "~user/x" that names the user, with its tilde.
std::string_view tilde_of(std::string_view text) {
  return text.substr(0, text.find('/'));
}

}  // namespace

std::string home_path(std::string_view text) {
  if (!text.starts_with('~')) return std::string(text);
  const std::string_view tilde = tilde_of(text);
  if (tilde.size() > 1 && has_name(std::string(tilde))) return std::string(text);
  const std::string home = home_of(std::string(tilde.substr(1)));
  return home.empty() ? std::string(text) : home + std::string(text.substr(tilde.size()));
}

std::string user_path(std::string_view text, std::string_view what) {
  if (is_url(text)) throw usage_error("{} {}", what, url_error(text).what());
  std::string path = home_path(text);
  const std::string_view tilde = tilde_of(text);
  // Without a slash it is a name that shells leave alone, too.
  const bool names_nobody = text.starts_with('~') && tilde.size() < text.size() && path == text &&
                            !has_name(std::string(tilde));
  if (!names_nobody) return path;
  throw usage_error("{} {}: there is no user '{}'; a folder of that name is ./{}", what, text,
                    tilde.substr(1), tilde);
}

bool is_url(std::string_view text) {
  const std::size_t end = text.find("://");
  if (end == text.npos || end < 2 || std::isalpha(static_cast<unsigned char>(text[0])) == 0) {
    return false;
  }
  const std::string scheme(text.substr(0, end));
  const auto is_of_scheme = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '+' || c == '-' || c == '.';
  };
  return std::ranges::all_of(scheme, is_of_scheme) && !has_name(scheme + ":");
}

Error url_error(std::string_view text) {
  constexpr std::string_view kHere = "file://";
  if (text.starts_with(kHere)) {
    return usage_error("{}: is a URL; give the path alone, {}", text, text.substr(kHere.size()));
  }
  return usage_error(
      "{}: is a URL, and only files of this machine are read and written; copy the file, and give "
      "its path",
      text);
}

bool is_named(const std::string& path) noexcept {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) return !S_ISDIR(status.st_mode);
  return has_name(path);
}

Error no_such_file(const std::string& path) {
  std::error_code error;
  const std::string target = std::filesystem::read_symlink(path, error).string();
  if (!error) return missing_error("{}: is a link to {}, which is not there", path, target);
  for (const std::string& begun : {parts_folder(path), part_path(path)}) {
    if (exists(begun)) return missing_error("{}: no such file; unfinished: {}", path, begun);
  }
  return missing_error("{}: no such file", path);
}

}  // namespace tessera::base
