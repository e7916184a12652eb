#include "command/status_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "report/printers.hpp"
#include "store/outputs.hpp"

namespace tessera::command {
namespace {

constexpr std::array kCodes = {base::ExitCode::done, base::ExitCode::usage, base::ExitCode::missing,
                               base::ExitCode::failed, base::ExitCode::stopped};

/// Whether the file was written by StatusFile::write() (an exit code and one more line) or is
/// empty, as mktemp(1) creates it.
bool is_status(const std::string& path) {
  std::ifstream file(path);
  std::string code;
  std::string reason;
  if (!std::getline(file, code)) return true;
  const bool ours = std::ranges::any_of(kCodes, [&](base::ExitCode known) {
    return code == std::to_string(static_cast<int>(known));
  });
  return ours && std::getline(file, reason) && file.peek() == std::ifstream::traits_type::eof();
}

/// A name of a stream may lead to a file: that stays, and so does the name.
bool is_file(const std::string& path) {
  return !base::is_special(path) && base::is_regular(path);
}

bool is_something_else(const std::string& path) {
  return is_file(path) && !is_status(path);
}

}  // namespace

void StatusFile::place_at(std::string path) {
  store::check_stream_or_file(path, "--status-file", is_status);
  if (is_something_else(path)) {
    throw base::usage_error("--status-file {}: exists and is no status file; give another name",
                            path);
  }
  if (is_file(path)) base::remove_file(base::target_of(path));
  path_ = std::move(path);
}

void StatusFile::write(int exit_code, std::string_view reason) noexcept {
  if (path_.empty()) return;
  try {
    if (is_something_else(path_)) {  // an output of this run with the same name
      std::fprintf(stderr,
                   "tessera: --status-file %s: is no status file any more; not overwritten\n",
                   path_.c_str());
      return;
    }
    std::string line(reason);
    std::ranges::replace(line, '\n', ' ');
    report::write_text_file(path_, fmt::format("{}\n{}\n", exit_code, line), is_status);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tessera: --status-file: %s\n", error.what());
  }
}

}  // namespace tessera::command
