#include "store/video_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file/unfinished_file.hpp"
#include "base/text.hpp"

namespace tessera::store {
namespace {

struct VideoKind {
  std::string_view suffix;
  std::string_view format;  ///< format of ffmpeg
  std::string_view codec;   ///< its options
  std::string_view colors;  ///< options
  bool has_even_sides = true;
  double most_fps = 1000;  ///< that viewers show
};

/// sRGB's colours, as nearly as televisions have them.
constexpr std::string_view kColors =
    "-vf scale=out_color_matrix=bt709:out_range=tv -colorspace bt709 -color_primaries bt709 "
    "-color_trc bt709 -pix_fmt yuv420p";
/// 256 colours for each frame, since those of a whole film take its memory.
constexpr std::string_view kOwnColors =
    "-filter_complex split[a][b];[a]palettegen=stats_mode=single[p];[b][p]paletteuse=new=1";

constexpr std::array kVideoKinds = {
    VideoKind{".mp4", "mp4", "-c:v libx264 -preset slow -crf 18 -movflags +faststart", kColors},
    VideoKind{".webm", "webm", "-c:v libvpx-vp9 -crf 24 -b:v 0 -row-mt 1", kColors},
    VideoKind{".webp", "webp", "-c:v libwebp_anim -quality 85 -loop 0", "-pix_fmt yuv420p", false},
    VideoKind{".gif", "gif", "-c:v gif -loop 0", kOwnColors, false, 50},
};

/// Signals that ask the run to stop, or come from a terminal: the run ends ffmpeg itself.
constexpr std::array kNotForFfmpeg = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

const VideoKind* kind_of(std::string_view path) {
  const auto* const found = std::ranges::find_if(
      kVideoKinds, [&](const VideoKind& kind) { return path.ends_with(kind.suffix); });
  return found == kVideoKinds.end() ? nullptr : found;
}

bool has_ffmpeg() {
  const char* const path = std::getenv("PATH");
  const auto folders = base::split(path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin", ':');
  return std::ranges::any_of(folders, [](const std::string& folder) {
    return ::access((folder + "/ffmpeg").c_str(), X_OK) == 0;
  });
}

std::string encoding(const VideoKind& kind) {
  return fmt::format("{} {}", kind.codec, kind.colors);
}

/// A filter has signs that a shell takes.
std::string for_a_shell(const std::string& words) {
  std::string text;
  for (const std::string& word : base::split(words, ' ')) {
    const bool plain = word.find_first_of("[;") == word.npos;
    text += fmt::format("{}{}", text.empty() ? "" : " ", plain ? word : fmt::format("'{}'", word));
  }
  return text;
}

std::vector<std::string> arguments_of(const std::string& part, const VideoKind& kind,
                                      const VideoLayout& layout) {
  std::vector<std::string> words = {"ffmpeg", "-hide_banner", "-loglevel", "error",
                                    "-y",     "-f",           "rawvideo"};
  words.insert(words.end(),
               {"-pixel_format", layout.depth == 16 ? "rgb48be" : "rgb24", "-video_size",
                fmt::format("{}x{}", layout.size_px.width, layout.size_px.height), "-framerate",
                fmt::format("{}", layout.fps), "-i", "pipe:0"});
  for (const std::string& word : base::split(encoding(kind), ' ')) words.push_back(word);
  words.insert(words.end(), {"-f", std::string(kind.format),
                             "file:" + std::filesystem::absolute(part).string()});
  return words;
}

/// ffmpeg, with `input` as its standard input.
pid_t start_ffmpeg(std::vector<std::string> words, int input) {
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t blocked;
  ::sigemptyset(&blocked);
  for (const int number : kNotForFfmpeg) ::sigaddset(&blocked, number);
  ::posix_spawnattr_setsigmask(&attributes, &blocked);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  pid_t pid = 0;
  const int error = ::posix_spawnp(&pid, "ffmpeg", &files, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  if (error != 0) throw base::run_error("ffmpeg: cannot start: {}", std::strerror(error));
  return pid;
}

}  // namespace

struct VideoWriter::State {
  State(const std::string& path_, const VideoLayout& layout, base::Replace replace_)
      : path(path_),
        replace(replace_),
        unfinished(path_, replace_ == base::Replace::what_is_there ? base::IsOurs(base::anything)
                                                                   : base::IsOurs()) {
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
      throw base::run_error("{}: socketpair: {}", path, std::strerror(errno));
    }
    line = ends[0];
    try {
      pid = start_ffmpeg(arguments_of(unfinished.part(), *kind_of(path), layout), ends[1]);
    } catch (...) {
      ::close(ends[1]);
      ::close(line);
      throw;
    }
    ::close(ends[1]);
  }

  ~State() {
    hang_up();
    if (pid > 0) {
      ::kill(pid, SIGKILL);
      wait();
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void hang_up() {
    if (line >= 0) ::close(std::exchange(line, -1));
  }

  int wait() {
    int status = 0;
    while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    pid = 0;
    return status;
  }

  /// Waits for ffmpeg, which has no more input. Throws if it did not succeed.
  void end(bool expected) {
    hang_up();
    const int status = wait();
    if (expected && status == 0) return;
    throw base::run_error("{}: ffmpeg ended with {} {}; what it said is above", path,
                          WIFEXITED(status) ? "exit code" : "signal",
                          WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
  }

  std::string path;
  base::Replace replace;
  base::UnfinishedFile unfinished;
  int line = -1;  ///< a socket: a write to a pipe of a dead process would raise SIGPIPE
  pid_t pid = 0;
};

bool is_video(std::string_view path) {
  return kind_of(path) != nullptr;
}

void check_video(const std::string& path, const VideoLayout& layout) {
  const base::ImageSize& size = layout.size_px;
  const VideoKind& kind = *kind_of(path);
  if (kind.has_even_sides && (size.width % 2 != 0 || size.height % 2 != 0)) {
    throw base::usage_error("--size {}x{}: a video has an even number of rows and columns",
                            size.width, size.height);
  }
  if (layout.fps > kind.most_fps) {
    throw base::usage_error("--fps {}: viewers of {} show at most {} frames in a second",
                            layout.fps, kind.suffix, kind.most_fps);
  }
  if (has_ffmpeg()) return;
  const std::string stem = path.substr(0, path.size() - kind.suffix.size());
  throw base::missing_error(
      "{}: ffmpeg is not installed; make {}.png, and where it is: ffmpeg -framerate {} -i "
      "{}-%04d.png {} {}",
      path, stem, layout.fps, stem, for_a_shell(encoding(kind)), path);
}

VideoWriter::VideoWriter(const std::string& path, const VideoLayout& layout, base::Replace replace)
    : state_(std::make_unique<State>(path, layout, replace)) {}

VideoWriter::~VideoWriter() = default;

void VideoWriter::write(std::span<const std::byte> frame) {
  while (!frame.empty()) {
    const ssize_t sent = ::send(state_->line, frame.data(), frame.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) state_->end(false);
    frame = frame.subspan(static_cast<std::size_t>(sent));
  }
}

void VideoWriter::finish() {
  state_->end(true);
  base::sync_file(state_->unfinished.part());
  state_->unfinished.publish(state_->replace);
}

}  // namespace tessera::store
