#include "command/page/terminal_picture.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>

#include "base/error.hpp"
#include "base/terminal.hpp"

namespace tessera::command {
namespace {

constexpr int kAnswerTimeMs = 200;
constexpr int kUsualCellPx = 10;  ///< width of a character
constexpr int kUsualRows = 24;
// crossed by: test_a_picture_in_sixels_has_its_pixels
constexpr int kCubeSide = 6;
constexpr int kCubeColors = kCubeSide * kCubeSide * kCubeSide;
constexpr int kFirstCubeColor = 16;  ///< of the 256 colours
constexpr int kSixelRows = 6;

struct Color {
  std::uint8_t r = 0, g = 0, b = 0, a = 0;
  bool visible() const { return a >= 128; }
};

Color color_at(const store::PngPixels& picture, std::int64_t x, std::int64_t y) {
  if (y >= picture.size_px.height) return {};
  const auto at = static_cast<std::size_t>(4 * (y * picture.size_px.width + x));
  return {picture.rgba[at], picture.rgba[at + 1], picture.rgba[at + 2], picture.rgba[at + 3]};
}

/// The number of a colour in the cube of 6 x 6 x 6; `steps` are the ends of its parts.
int cube_color(const Color& color, const std::array<int, kCubeSide>& levels) {
  const auto nearest = [&](int value) {
    int best = 0;
    for (int i = 1; i < kCubeSide; ++i) {
      const auto side = static_cast<std::size_t>(i);
      if (std::abs(levels[side] - value) < std::abs(levels[static_cast<std::size_t>(best)] - value))
        best = i;
    }
    return best;
  };
  return (nearest(color.r) * kCubeSide + nearest(color.g)) * kCubeSide + nearest(color.b);
}

/// The parameters of the sequence that chooses a colour; "" = that of the terminal.
std::string parameters(const Color& color, bool foreground, PictureWay way) {
  constexpr std::array<int, kCubeSide> kTerminalLevels = {0, 95, 135, 175, 215, 255};
  const int kind = foreground ? 38 : 48;
  if (!color.visible()) return std::to_string(kind + 1);
  if (way == PictureWay::true_color_blocks) {
    return fmt::format("{};2;{};{};{}", kind, color.r, color.g, color.b);
  }
  return fmt::format("{};5;{}", kind, kFirstCubeColor + cube_color(color, kTerminalLevels));
}

std::string draw_blocks(const store::PngPixels& picture, PictureWay way) {
  std::string text;
  for (std::int64_t y = 0; y < picture.size_px.height; y += 2) {
    std::string before;
    for (std::int64_t x = 0; x < picture.size_px.width; ++x) {
      const Color upper = color_at(picture, x, y);
      const Color lower = color_at(picture, x, y + 1);
      // Only a half block in the foreground leaves the other half to the terminal.
      const bool turned = !upper.visible() && lower.visible();
      const std::string colors =
          fmt::format("\x1b[{};{}m", parameters(turned ? lower : upper, true, way),
                      parameters(turned ? upper : lower, false, way));
      if (colors != before) text += colors;
      before = colors;
      text += turned ? "▄" : upper.visible() ? "▀" : " ";
    }
    text += "\x1b[0m\n";
  }
  return text;
}

void add_run(std::string& text, char sixel, std::int64_t times) {
  if (times > 3) {
    text += fmt::format("!{}{}", times, sixel);
  } else {
    text.append(static_cast<std::size_t>(times), sixel);
  }
}

/// One colour of a band of six rows; "" if it is not in there.
std::string sixel_line(const std::vector<int>& colors, std::int64_t width, int rows, int wanted) {
  std::string line;
  char last = 0;
  std::int64_t times = 0;
  bool any = false;
  for (std::int64_t x = 0; x < width; ++x) {
    int bits = 0;
    for (int row = 0; row < rows; ++row) {
      if (colors[static_cast<std::size_t>(row * width + x)] == wanted) bits |= 1 << row;
    }
    any |= bits != 0;
    const auto sixel = static_cast<char>('?' + bits);
    if (sixel != last && times > 0) add_run(line, last, times);
    times = sixel == last ? times + 1 : 1;
    last = sixel;
  }
  if (any) add_run(line, last, times);
  return any ? line : "";
}

std::string draw_sixel(const store::PngPixels& picture) {
  constexpr std::array<int, kCubeSide> kEvenLevels = {0, 51, 102, 153, 204, 255};
  const auto [width, height] = picture.size_px;
  std::string text = fmt::format("\x1bP0;1;0q\"1;1;{};{}", width, height);
  for (int i = 0; i < kCubeColors; ++i) {
    text += fmt::format("#{};2;{};{};{}", i, i / 36 * 20, i / 6 % 6 * 20, i % 6 * 20);
  }
  for (std::int64_t top = 0; top < height; top += kSixelRows) {
    const int rows = static_cast<int>(std::min<std::int64_t>(kSixelRows, height - top));
    std::vector<int> colors;
    for (int row = 0; row < rows; ++row) {
      for (std::int64_t x = 0; x < width; ++x) {
        const Color color = color_at(picture, x, top + row);
        colors.push_back(color.visible() ? cube_color(color, kEvenLevels) : -1);
      }
    }
    std::vector<int> used = colors;
    std::ranges::sort(used);
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (const int color : used) {
      if (color >= 0) text += fmt::format("#{}{}$", color, sixel_line(colors, width, rows, color));
    }
    text += "-";
  }
  return text + "\x1b\\\n";
}

/// Asks the terminal for its abilities (DA1); "4" among them is sixel.
bool terminal_has_sixel() {
  if (::isatty(STDOUT_FILENO) == 0) return false;
  const int terminal = ::open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios before{};
  if (terminal < 0 || ::tcgetattr(terminal, &before) != 0) return false;
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  ::tcsetattr(terminal, TCSANOW, &raw);
  constexpr std::string_view kAsk = "\x1b[c";
  std::string answer;
  if (::write(terminal, kAsk.data(), kAsk.size()) > 0) {
    pollfd ready{terminal, POLLIN, 0};
    char next = 0;
    while (answer.size() < 100 && next != 'c' && ::poll(&ready, 1, kAnswerTimeMs) > 0 &&
           ::read(terminal, &next, 1) == 1) {
      answer += next == 'c' ? ';' : next;
    }
  }
  ::tcsetattr(terminal, TCSANOW, &before);
  ::close(terminal);
  return answer.find(";4;") != std::string::npos;
}

winsize window() {
  winsize size{};
  ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return size;
}

}  // namespace

bool is_picture_way(std::string_view how) {
  return how == "auto" || how == "blocks" || how == "sixel";
}

void check_picture_way(const std::string& how) {
  if (!is_picture_way(how))
    throw base::usage_error("--picture {}: is none of auto, blocks and sixel", how);
}

TerminalCanvas canvas_for(const std::string& how) {
  const winsize size = window();
  const int columns = base::columns_of(STDOUT_FILENO);
  const int rows = size.ws_row > 0 ? size.ws_row : kUsualRows;
  if (how == "sixel" || (how == "auto" && terminal_has_sixel())) {
    const bool known = size.ws_xpixel > 0 && size.ws_ypixel > 0;
    return {PictureWay::sixel, known ? size.ws_xpixel : columns * kUsualCellPx,
            known ? size.ws_ypixel : 2 * rows * kUsualCellPx};
  }
  const char* const colors = std::getenv("COLORTERM");
  const std::string_view said = colors == nullptr ? "truecolor" : colors;
  const bool all = said == "truecolor" || said == "24bit";
  // A prompt follows; where the output goes to a file, only its width matters.
  const int height = ::isatty(STDOUT_FILENO) != 0 ? 2 * std::max(1, rows - 2) : 4 * columns;
  return {all ? PictureWay::true_color_blocks : PictureWay::blocks_of_256_colors, columns, height};
}

std::string drawn(const store::PngPixels& picture, const TerminalCanvas& canvas) {
  return canvas.way == PictureWay::sixel ? draw_sixel(picture) : draw_blocks(picture, canvas.way);
}

}  // namespace tessera::command
