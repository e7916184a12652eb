#include "base/file/output_name.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstddef>
#include <filesystem>
#include <system_error>

#include "base/hash.hpp"

namespace tessera::base {
namespace {

namespace fs = std::filesystem;

/// As many as the kernel follows.
constexpr int kMaxLinks = 40;

bool is_link(const fs::path& path) {
  std::error_code unknown;
  return fs::is_symlink(fs::symlink_status(path, unknown));
}

/// The first `bytes` bytes of UTF-8 at most, and no part of a character.
std::string_view beginning_of(std::string_view text, std::size_t bytes) {
  while (bytes > 0 && (text[bytes] & '\xc0') == '\x80') --bytes;
  return text.substr(0, bytes);
}

std::string shortened(const std::string& name) {
  if (name.size() + kSuffixBytes <= kMaxNameBytes) return name;
  const std::string hash = fmt::format("~{:016x}", fnv1a(name));
  return fmt::format("{}{}", beginning_of(name, kMaxNameBytes - kSuffixBytes - hash.size()), hash);
}

}  // namespace

std::string target_of(const std::string& path) {
  fs::path target = path;
  for (int links = 0; is_link(target); ++links) {
    std::error_code failed;
    const fs::path to = fs::read_symlink(target, failed);
    // The links in /proc are none: what they say may be no path, and a rename would miss the file.
    if (failed || links == kMaxLinks || to.string().starts_with("/proc/")) return path;
    target = to.is_absolute() ? to : target.parent_path() / to;
  }
  return target.string();
}

bool is_endless_link(const std::string& path) noexcept {
  return is_link(path) && is_link(target_of(path));
}

std::string beside(const std::string& path, std::string_view suffix) {
  const fs::path target = target_of(path);
  const std::string name = shortened(target.filename().string());
  return fmt::format("{}{}", (target.parent_path() / name).string(), suffix);
}

std::string part_path(const std::string& path) {
  return beside(path, ".part");
}

std::string parts_folder(const std::string& path) {
  return beside(path, ".parts");
}

}  // namespace tessera::base
