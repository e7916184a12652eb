// --serve: a process beside the gather rank that shows the run in browsers. It reads the image as
// any other reader does, and requests the progress from the rank only when a browser does. So a
// slow browser never delays the run.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <thread>

#include "device/process/channel.hpp"
#include "job/image/render_job.hpp"
#include "job/serve_job.hpp"
#include "report/live_run.hpp"

namespace tessera::command {

/// First argument of that process. It is not shown in the program's help.
inline constexpr std::string_view kPageCommand = "page-process";

/// Whether the command line starts such a process.
bool is_page_call(int argc, const char* const* argv);
/// Serves until the rank has ended and browsers had time for the last answer. Returns the exit code
/// of the process.
int serve_page(int argc, const char* const* argv);

class RunServer {
 public:
  /// `image`: the file that the run writes, or "", and `look` its colours. Throws base::Error if
  /// the process cannot start or cannot listen there.
  RunServer(const report::LiveRun& live, const std::string& image, const job::Coloring& look,
            const std::string& listen, bool no_token);
  /// Sends the last state to the process if it waits for an answer.
  ~RunServer();
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  const job::ServeJob& page() const { return page_; }  ///< where it listens
  const std::string& token() const { return token_; }  ///< "" = none is needed

 private:
  void answer_requests();
  bool wait_for_request();
  std::string document() const;

  const report::LiveRun& live_;
  device::process::Channel line_;
  job::ServeJob page_;
  std::string token_;
  std::atomic<bool> over_ = false;
  bool asked_ = false;
  std::thread thread_;
};

}  // namespace tessera::command
