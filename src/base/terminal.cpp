#include "base/terminal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "base/read_number.hpp"

namespace tessera::base {
namespace {

constexpr int kFewestColumns = 20;

int columns_of_environment() {
  const char* const text = std::getenv("COLUMNS");
  return text == nullptr ? 0 : read_integer<int>(text).value_or(0);
}

bool continues_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
}

int columns_in(std::string_view text) {
  return static_cast<int>(std::ranges::count_if(text, std::not_fn(continues_character)));
}

/// Where the last column of a line begins; 0 if there is only one.
std::size_t last_column(std::string_view line) {
  const std::size_t gap = line.rfind("  ");
  return gap == std::string_view::npos ? 0 : gap + 2;
}

/// The longest front of `line` that ends before a blank and fits, or its first word.
std::string_view front_of(std::string_view line, std::size_t indent, int columns) {
  std::size_t end = line.find(' ', indent);
  for (std::size_t next = end; next != std::string_view::npos; next = line.find(' ', next + 1)) {
    if (columns_in(line.substr(0, next)) <= columns) end = next;
  }
  return line.substr(0, end);
}

/// How far a continuation of the line is indented.
std::size_t indent_of(std::string_view line, int columns) {
  const std::size_t column = last_column(line);
  if (column + 20 <= static_cast<std::size_t>(columns)) return column;
  return std::min(line.find_first_not_of(' '), line.size());
}

void wrap_line(std::string& out, std::string line, int columns) {
  const std::size_t indent = indent_of(line, columns);
  while (columns_in(line) > columns) {
    const std::string_view front = front_of(line, indent, columns);
    const std::size_t rest = line.find_first_not_of(' ', front.size());
    if (rest == line.npos) break;
    out.append(front).append("\n");
    line = std::string(indent, ' ') + line.substr(rest);
  }
  out += line;
}

/// The parent of a process; 0 if that is unknown.
int parent_of(int process) {
  std::ifstream status(fmt::format("/proc/{}/stat", process));
  std::string line;
  std::getline(status, line);
  const std::size_t name_end = line.rfind(')');  // "PID (NAME) STATE PARENT"
  int parent = 0;
  if (name_end != std::string::npos && line.size() > name_end + 4) {
    std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  }
  return parent;
}

enum class Stderr { unknown, pipe, terminal };

Stderr stderr_of(int process) {
  const std::string path = fmt::format("/proc/{}/fd/2", process);
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return Stderr::unknown;
  if (S_ISFIFO(file.st_mode) || S_ISSOCK(file.st_mode)) return Stderr::pipe;
  constexpr unsigned kFirstPty = 136;
  constexpr unsigned kLastPty = 143;
  const unsigned kind = static_cast<unsigned>(file.st_rdev >> 8);
  const bool terminal =
      S_ISCHR(file.st_mode) && (kind == 4 || (kind >= kFirstPty && kind <= kLastPty));
  return terminal ? Stderr::terminal : Stderr::unknown;
}

/// Whether the launcher reads this process's stderr through a pipe and writes its own to a
/// terminal. Some launchers put a process of their own between them.
bool launcher_has_terminal() {
  if (stderr_of(getpid()) != Stderr::pipe) return false;
  const int launcher = getppid();
  const Stderr kind = stderr_of(launcher);
  return (kind == Stderr::pipe ? stderr_of(parent_of(launcher)) : kind) == Stderr::terminal;
}

/// A process in the background is stopped if it writes to a terminal with this setting.
bool stops_writers(int descriptor) {
  termios settings{};
  return tcgetattr(descriptor, &settings) != 0 || (settings.c_lflag & TOSTOP) != 0;
}

}  // namespace

int columns_of(int descriptor) {
  int columns = columns_of_environment();
  winsize size{};
  if (columns <= 0 && ioctl(descriptor, TIOCGWINSZ, &size) == 0) columns = size.ws_col;
  return columns <= 0 ? kDefaultColumns : std::max(columns, kFewestColumns);
}

std::string wrapped(std::string_view text, int columns) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    wrap_line(out, std::string(text.substr(0, end)), columns);
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string fitted(std::string_view line, int columns) {
  std::size_t end = 0;
  for (int left = columns; end < line.size(); ++end) {
    if (!continues_character(line[end]) && left-- == 0) break;
  }
  return std::string(line.substr(0, end));
}

std::unique_ptr<Terminal> Terminal::find(bool launched) {
  if (isatty(STDERR_FILENO) == 1)
    return std::unique_ptr<Terminal>(new Terminal(STDERR_FILENO, false));
  if (!launched || !launcher_has_terminal()) return nullptr;
  const int descriptor = ::open("/dev/tty", O_WRONLY | O_NOCTTY | O_CLOEXEC);
  if (descriptor < 0) return nullptr;
  auto terminal = std::unique_ptr<Terminal>(new Terminal(descriptor, true));
  return stops_writers(descriptor) ? nullptr : std::move(terminal);
}

Terminal::~Terminal() {
  if (owned_) ::close(descriptor_);
}

void Terminal::write(std::string_view text) const noexcept {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace tessera::base
