#include "explore/finds.hpp"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "explore/child_program.hpp"
#include "job/values.hpp"
#include "view/http/http.hpp"

namespace tessera::explore {
namespace {

constexpr double kMaxFindSeconds = 60;
constexpr std::chrono::milliseconds kFindPoll{5};
/// An orbit that is followed for longer is for the command.
constexpr std::string_view kMaxPeriod = "1000000";
constexpr std::string_view kProgram = "tessera: find: ";

struct Busy {
  explicit Busy(std::atomic<bool>& finding) : flag(finding) {
    if (flag.exchange(true)) throw view::HttpError(429, "another minibrot is being looked for");
  }
  ~Busy() { flag = false; }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

  std::atomic<bool>& flag;
};

/// A request to stop the server ends it too.
bool wait_for(ChildProgram& program) {
  const auto begun = base::Clock::now();
  while (program.runs()) {
    if (base::stop_requested() ||
        base::seconds_between(begun, base::Clock::now()) > kMaxFindSeconds) {
      return program.wait(0);
    }
    std::this_thread::sleep_for(kFindPoll);
  }
  return true;
}

std::string said_by(const ChildProgram& program) {
  const std::string words = base::printable(std::string(base::trim(program.words())));
  return words.starts_with(kProgram) ? words.substr(kProgram.size()) : words;
}

}  // namespace

std::string Finds::find(const view::Target& target, const job::RenderJob& job) {
  const job::PointText center = job::split_point(target.parameter("center"), "center");
  const std::string width(target.parameter("width"));
  std::string formula(target.parameter("formula"));
  if (formula.empty()) formula = job.formula_text;
  const Busy busy(finding_);
  ChildProgram program(
      {"find", fmt::format("--near={},{}", center.re, center.im), "--width=" + width,
       "--formula=" + formula, fmt::format("--max-period={}", kMaxPeriod), "--json"},
      "", true);
  if (!wait_for(program)) {
    throw view::HttpError(503, "it takes too long here; tessera find has no limit");
  }
  if (program.exit_code() == 0) return program.words();
  const bool none = program.exit_code() == static_cast<int>(base::ExitCode::missing);
  throw view::HttpError(none ? 404 : 400, said_by(program));
}

}  // namespace tessera::explore
