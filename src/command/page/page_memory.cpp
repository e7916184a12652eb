#include "command/page/page_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/read_number.hpp"
#include "view/http/access.hpp"

namespace tessera::command {
namespace {

constexpr std::size_t kTokenDigits = 32;

std::string state_folder() {
  const auto variable = [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value ? value : "");
  };
  if (const std::string state = variable("XDG_STATE_HOME"); !state.empty()) return state;
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.local/state";
}

/// Whether nobody else can have read or written it.
bool is_private(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && file.st_uid == ::geteuid() &&
         (file.st_mode & (S_IRWXG | S_IRWXO)) == 0;
}

bool is_token(const std::string& text) {
  return text.size() == kTokenDigits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

}  // namespace

PageMemory::PageMemory(std::string page) : page_(std::move(page)) {
  const std::string folder = state_folder();
  if (!folder.empty()) path_ = folder + "/tessera/pages";
  if (!path_.empty() && is_private(path_)) {
    std::ifstream file(path_);
    std::string name;
    std::string value;
    while (file >> name >> value) {
      if (name == "token" && is_token(value)) {
        token_ = value;
      } else if (name == page_) {
        port_ = base::read_integer<int>(value).value_or(0);
      } else if (name != "token") {
        others_ += fmt::format("{} {}\n", name, value);
      }
    }
  }
  if (!token_.empty()) return;
  token_ = view::random_token();
  save();
}

void PageMemory::save() const noexcept {
  if (path_.empty()) return;
  try {
    std::error_code ignored;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), ignored);
    const std::string unfinished = fmt::format("{}.{}", path_, ::getpid());
    const int file = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return;
    std::string text = fmt::format("token {}\n{}", token_, others_);
    if (port_ > 0) text += fmt::format("{} {}\n", page_, port_);
    const bool written = ::write(file, text.data(), text.size()) == std::ssize(text);
    ::close(file);
    if (!written || ::rename(unfinished.c_str(), path_.c_str()) != 0) ::unlink(unfinished.c_str());
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the page works without
  }
}

int PageMemory::listen(view::HttpServer& server, const job::ServeJob& job,
                       const std::string& what) {
  if (job.port >= 0) return server.listen(job.address, job.port, what);
  if (port_ > 0) {
    try {
      return server.listen(job.address, port_, what);
    } catch (const base::Error&) {  // somebody else has it now
      return server.listen(job.address, 0, what);
    }
  }
  port_ = server.listen(job.address, 0, what);
  save();
  return port_;
}

std::string token_of(const job::ServeJob& job, const PageMemory& memory) {
  if (!job.no_token) return memory.token();
  if (view::is_loopback(job.address)) return "";
  throw base::usage_error("--no-token: {} can be reached from other machines, which need the token",
                          job.listen());
}

}  // namespace tessera::command
