#include "run/status_file.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/posix_file.hpp"
#include "report/printers.hpp"
#include "run/preflight.hpp"

namespace tessera::run {

void StatusFile::place_at(std::string path) {
  check_output(path, "--status-file", true);
  std::error_code error;
  if (std::filesystem::is_regular_file(path, error)) base::remove_file(path);
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
