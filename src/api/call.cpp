#include "api/call.hpp"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <exception>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <thread>

#include "base/error.hpp"

namespace tessera::api {
namespace {

constexpr std::chrono::milliseconds kInterval{20};  ///< between two calls of Run::progress

/// What a run says and how far it is.
class CallEvents : public base::Events {
 public:
  explicit CallEvents(const Settings& settings) : log_(settings.log) {}

  void log(const std::string& text) override {
    if (!log_) return;
    // Remarks begin with the command, and what the program says of itself with its own name.
    log_(text.starts_with("tessera: ") ? Level::warning : Level::remark, text);
  }
  std::unique_ptr<base::StatusLine> status_line() override {
    class Line : public base::StatusLine {
     public:
      explicit Line(CallEvents& events) : events_(events) {}
      void count(const std::string& stage, std::int64_t done, std::int64_t total) override {
        const std::scoped_lock lock(events_.mutex_);
        events_.stage_ = stage;
        events_.done_ = done;
        events_.total_ = total;
      }

     private:
      CallEvents& events_;
    };
    return std::make_unique<Line>(*this);
  }

  void tell(const std::function<void(const Progress&)>& progress) {
    std::unique_lock lock(mutex_);
    const std::string stage = stage_;
    const Progress now{.stage = stage, .done = done_, .total = total_};
    lock.unlock();
    progress(now);
  }

 private:
  const std::function<void(Level, std::string_view)>& log_;
  std::mutex mutex_;
  std::string stage_;
  std::int64_t done_ = 0, total_ = 0;
};

/// Signals go to the threads of the caller, while threads are started here.
class SignalsElsewhere {
 public:
  SignalsElsewhere() {
    sigset_t all;
    ::sigfillset(&all);
    for (const int own : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
      ::sigdelset(&all, own);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsElsewhere() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsElsewhere(const SignalsElsewhere&) = delete;
  SignalsElsewhere& operator=(const SignalsElsewhere&) = delete;

 private:
  sigset_t before_{};
};

/// The floating-point environment by which numbers are read and results are defined.
class PlainFloats {
 public:
  PlainFloats() {
    std::fegetenv(&before_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlainFloats() { std::fesetenv(&before_); }
  PlainFloats(const PlainFloats&) = delete;
  PlainFloats& operator=(const PlainFloats&) = delete;

 private:
  std::fenv_t before_{};
};

/// Calls work() in a thread of its own, and tick() here from time to time. If that throws, calls
/// stop() and throws it when the work has ended; else throws what the work has thrown.
template <class Work, class Tick, class Stop>
void work_beside(const Work& work, const Tick& tick, const Stop& stop) {
  std::mutex mutex;
  std::condition_variable changed;
  bool over = false;
  std::exception_ptr thrown;
  const auto guarded = [&] {
    std::exception_ptr error;
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
    const std::scoped_lock lock(mutex);
    thrown = error;
    over = true;
    changed.notify_one();
  };
  std::jthread worker;
  {
    const SignalsElsewhere elsewhere;
    worker = std::jthread(guarded);
  }
  std::exception_ptr refused;
  std::unique_lock lock(mutex);
  while (!changed.wait_for(lock, kInterval, [&] { return over; })) {
    if (refused) continue;
    lock.unlock();
    try {
      tick();
    } catch (...) {
      refused = std::current_exception();
      stop();
    }
    lock.lock();
  }
  lock.unlock();
  worker.join();
  if (refused) std::rethrow_exception(refused);
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

void translated(const std::function<void()>& work) {
  const PlainFloats plain;
  try {
    work();
  } catch (const base::Error& error) {
    throw Error(static_cast<Code>(error.code()), error.what());
  } catch (const std::bad_alloc&) {
    throw Error(Code::failed, "not enough memory; fewer threads or less memory may do");
  }
}

void check_of_library(const Options& given) {
  constexpr std::string_view kOfProgram[] = {"pool",  "pool-shares", "pool-lease", "report",
                                             "trace", "report-html", "serve",      "no-token",
                                             "json",  "serve-listen"};
  for (const auto& [name, value] : given) {
    if (value.empty() || value == "false") continue;
    if (name == "memory" || name == "device-memory") {
      throw base::usage_error("{}: is a limit of the Context", name);
    }
    if (std::ranges::find(kOfProgram, name) == std::end(kOfProgram)) continue;
    throw base::usage_error(
        "{}: is for the command line; a call returns its report, and shares nothing", name);
  }
}

void apply(const Settings& settings, job::RunSpec& run) {
  run.device = settings.device;
  run.threads = settings.threads;
  run.memory_bytes = settings.memory_bytes;
  run.device_memory_bytes = settings.device_memory_bytes;
  run.quiet = false;
}

void call(Context& caller, const Run& watched, const std::function<void(run::Context&)>& work) {
  Context::State& state = caller.state();
  const Settings& settings = state.settings;
  CallEvents events(settings);
  base::StopToken token;
  const auto stop = [&] { token.request(kCaller); };
  const std::stop_callback stops(watched.stop, stop);
  const auto in_world = [&] {
    const std::scoped_lock busy(state.busy);
    translated([&] {
      comm::World world = settings.communicator == nullptr
                              ? comm::World::single()
                              : comm::World::adopt(settings.communicator, events);
      if (world.size() > 1) world.set_heartbeat_timeout(settings.heartbeat_s);
      run::Context context{world, {token, events, settings.program}};
      const base::RunScope scope(context.run);
      base::throw_if_stopped("tessera");
      work(context);
    });
  };
  if (!watched.progress) {
    const SignalsElsewhere elsewhere;
    return in_world();
  }
  work_beside(
      in_world, [&] { events.tell(watched.progress); }, stop);
}

}  // namespace tessera::api
