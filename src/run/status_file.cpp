#include "run/status_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/posix_file.hpp"
#include "report/printers.hpp"
#include "run/preflight.hpp"

namespace tessera::run {
namespace {

/// An empty one is what mktemp(1) makes.
bool is_status(const std::string& path) {
  std::ifstream file(path);
  std::string code(4, '\0');
  file.read(code.data(), static_cast<std::streamsize>(code.size()));
  code.resize(static_cast<std::size_t>(file.gcount()));
  code.resize(std::min(code.find('\n'), code.size()));
  return code.size() <= 3 && code.find_first_not_of("0123456789") == code.npos;
}

}  // namespace

void StatusFile::place_at(std::string path) {
  check_output(path, "--status-file", true);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) {
    if (!is_status(path)) {
      throw base::usage_error("--status-file {}: is there already, and is something else", path);
    }
    base::remove_file(path);
  }
  path_ = std::move(path);
}

void StatusFile::write(int exit_code, std::string_view reason) noexcept {
  if (path_.empty()) return;
  try {
    report::write_text_file(path_, fmt::format("{}\n{}\n", exit_code, reason));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera: --status-file: %s\n", error.what());
  }
}

}  // namespace tessera::run
