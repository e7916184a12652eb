#include "command/page/run_server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>

#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file/open_files.hpp"
#include "base/file/posix_file.hpp"
#include "base/read_number.hpp"
#include "base/run.hpp"
#include "command/page/page_memory.hpp"
#include "device/process/child_process.hpp"
#include "job/image/coloring.hpp"
#include "store/image/parts.hpp"
#include "view/answers.hpp"
#include "view/http/access.hpp"
#include "view/http/assets.hpp"
#include "view/http/http_server.hpp"
#include "view/image_json.hpp"
#include "view/viewer.hpp"

namespace tessera::command {
namespace {

using device::process::Channel;
using device::process::Message;

constexpr int kPollMs = 100;
constexpr double kAnswerSeconds = 10;
constexpr double kLastWordSeconds = 0.5;
constexpr std::chrono::seconds kLinger{4};
constexpr std::chrono::milliseconds kFresh{400};
constexpr int kConnections = 128;
constexpr int kThreads = 2;
constexpr std::size_t kCacheBytes = std::size_t{128} << 20;
constexpr int kNiceness = 10;  ///< the run comes first
/// The position of the words of colours behind the program, the command, the image, the address and
/// kNoToken or "".
constexpr int kLookWords = 5;
constexpr std::string_view kNoToken = "no-token";

std::string text_of(const Message& message) {
  return {reinterpret_cast<const char*>(message.body.data()), message.body.size()};
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

bool is_readable(const Channel& line, int events, int wait_ms) {
  pollfd ready{line.descriptor(), static_cast<short>(events), 0};
  return ::poll(&ready, 1, wait_ms) > 0;
}

/// The rank's answers, shared by all browsers.
class RunLine {
 public:
  explicit RunLine(Channel line) : line_(std::move(line)) {}

  /// The document of the run as it is, or was at last.
  std::string ask() {
    const std::scoped_lock lock(mutex_);
    const auto now = base::Clock::now();
    asked_ = now;
    if (!known_.empty() && now - learnt_ < kFresh) return known_;
    Message answer;
    if (!over()) line_.send(bytes_of("?"), kAnswerSeconds);
    if (line_.receive(answer, kAnswerSeconds) == Channel::Outcome::done) {
      known_ = text_of(answer);
      learnt_ = base::Clock::now();
    }
    return known_;
  }

  /// The rank has closed its end.
  bool over() const { return is_readable(line_, POLLRDHUP, 0); }
  bool has_readers() {
    const std::scoped_lock lock(mutex_);
    return base::Clock::now() - asked_ < kLinger;
  }
  Channel& line() { return line_; }

 private:
  Channel line_;
  std::mutex mutex_;
  std::string known_;
  base::Clock::time_point asked_{}, learnt_{};
};

constexpr std::string_view kRefused = "refused";

/// Tells the rank the port and the token, or why there is none.
bool listen_as_asked(RunLine& run, view::HttpServer& server, const job::ServeJob& page,
                     PageMemory& memory) {
  bool listens = true;
  std::string told;
  try {
    const std::string token = token_of(page, memory);
    const int port = memory.listen(server, page, "--serve-listen");
    told = fmt::format("{}\n{}", port, token);
  } catch (const base::Error& error) {
    listens = false;
    told = fmt::format("{}\n{}", kRefused, error.what());
  }
  run.line().send(bytes_of(told), kAnswerSeconds);
  return listens;
}

/// The colours of a run as words of a command line, "palette=ember", without those that are usual.
std::vector<std::string> words_of(const job::Coloring& look) {
  std::vector<std::string> words;
  for (const auto& row : job::coloring_rows()) {
    const std::string value = row.get(look);
    if (value != row.get({})) words.push_back(fmt::format("{}={}", row.name, value));
  }
  return words;
}

job::Coloring look_of_words(const std::vector<std::string>& words) {
  job::Coloring look;
  for (const std::string& word : words) {
    const std::size_t end = word.find('=');
    const job::Given given{word.substr(0, end), word.substr(end + 1), word};
    job::apply_options<job::Coloring>(look, job::coloring_rows(), {&given, 1});
  }
  return look;
}

view::ViewerSpec run_viewer_spec(RunLine& run, const std::string& image, const job::Coloring& look,
                                 const std::string& token) {
  const view::PaletteFiles palettes = view::palette_files({}, look.palette);
  auto document = [&run](const view::Asked&) {
    return view::fresh_answer("application/json", run.ask());
  };
  return {.expected = image.empty() ? std::vector<std::string>{} : std::vector{image},
          .threads = kThreads,
          .cache_bytes = kCacheBytes,
          .memory_bytes = 4 * kCacheBytes,
          .palettes = palettes,
          .token = token,
          .routes = {{"GET", {"api", "run"}, std::move(document)}},
          .facts = {{"run", true}, {"look", view::look_json(look, palettes)}}};
}

/// Until the rank has ended, and a moment longer if somebody looks.
void wait_until_over(RunLine& run) {
  constexpr std::chrono::milliseconds kPoll{kPollMs};
  while (!run.over()) std::this_thread::sleep_for(kPoll);
  const auto end = base::Clock::now() + kLinger;
  while (run.has_readers() && base::Clock::now() < end) std::this_thread::sleep_for(kPoll);
}

}  // namespace

bool is_page_call(int argc, const char* const* argv) {
  return argc >= kLookWords && std::string_view(argv[1]) == kPageCommand;
}

int serve_page(int argc, const char* const* argv) {
  base::close_files_from(device::process::kLineDescriptor + 1);
  ::setpriority(PRIO_PROCESS, 0, kNiceness);
  RunLine run{Channel{device::process::Descriptor(device::process::kLineDescriptor)}};
  job::ServeJob page;
  job::set_listen(page, argv[3], "--serve-listen");
  page.no_token = argv[4] == kNoToken;
  PageMemory memory("run");
  const job::Coloring look = look_of_words({argv + kLookWords, argv + argc});
  {
    view::Viewer viewer(
        run_viewer_spec(run, argv[2], look, page.no_token ? std::string() : memory.token()));
    view::HttpServer server(
        [&](const view::HttpRequest& request) { return viewer.answer(request); }, kConnections);
    if (!listen_as_asked(run, server, page, memory)) return 0;
    wait_until_over(run);
    server.stop();
  }
  // Of a picture alone, whose data is gone.
  const std::string image = argv[2];
  const bool gone = !base::exists(image) && store::unfinished_image(image).empty();
  if (gone && !image.empty()) view::remove_pyramids(image);
  return 0;
}

RunServer::RunServer(const report::LiveRun& live, const std::string& image,
                     const job::Coloring& look, const std::string& listen, bool no_token)
    : live_(live), line_(device::process::Descriptor()) {
  view::check_pages("--serve");
  job::set_listen(page_, listen, "--serve-listen");
  auto [mine, theirs] = Channel::pair();
  line_ = std::move(mine);
  std::vector<std::string> words = {"tessera", std::string(kPageCommand), image, listen,
                                    no_token ? std::string(kNoToken) : std::string()};
  for (std::string& word : words_of(look)) words.push_back(std::move(word));
  device::process::ChildProcess child(base::this_run().program, words, std::move(theirs));
  child.let_go();
  Message told;
  if (line_.receive(told, kAnswerSeconds) != Channel::Outcome::done) {
    throw base::run_error("--serve: the process that shows the run did not start");
  }
  const std::string text = text_of(told);
  const std::size_t end = text.find('\n');
  if (text.starts_with(kRefused)) throw base::Error(base::ExitCode::usage, text.substr(end + 1));
  page_.port = base::read_integer<int>(text.substr(0, end)).value();
  token_ = text.substr(end + 1);
  thread_ = std::thread([this] { answer_requests(); });
}

RunServer::~RunServer() {
  over_ = true;
  thread_.join();
  if (asked_) line_.send(bytes_of(document()), kLastWordSeconds);
}

std::string RunServer::document() const {
  return live_.document().dump(-1, ' ', false, report::Json::error_handler_t::replace);
}

bool RunServer::wait_for_request() {
  while (!over_) {
    if (is_readable(line_, POLLIN, kPollMs)) return true;
  }
  return false;
}

void RunServer::answer_requests() {
  while (wait_for_request()) {
    Message request;
    if (line_.receive(request, kAnswerSeconds) != Channel::Outcome::done) return;
    asked_ = true;
    if (line_.send(bytes_of(document()), kAnswerSeconds) != Channel::Outcome::done) return;
  }
}

}  // namespace tessera::command
