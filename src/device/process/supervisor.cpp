#include "device/process/supervisor.hpp"

#include <signal.h>

#include <algorithm>

#include "base/text.hpp"
#include "device/process/faults.hpp"
#include "device/process/retry_while_busy.hpp"

namespace tessera::device::process {

base::ByteReader take_answer(const Message& answer) {
  base::ByteReader in(answer.body);
  switch (in.get<Answer>()) {
    case Answer::done:
      return in;
    case Answer::failed: {
      const auto code = in.get<base::ExitCode>();
      throw base::Error(code, in.get<std::string>());
    }
    case Answer::lost:
      throw DeviceError(in.get<std::string>());
    case Answer::context_lost:
      throw ContextLostError(in.get<std::string>());
    case Answer::busy:
      throw DeviceBusyError(in.get<std::string>());
  }
  throw base::run_error("an answer that is none");
}

Supervisor::Supervisor(std::string device, const Placement& placement, const Isolation& isolation,
                       std::shared_ptr<DriverProcess> process)
    : device_(std::move(device)), placement_(placement), isolation_(isolation) {
  const base::Bytes said = open(std::move(process));
  describe(base::ByteReader(said));
  response_timeout_ = std::make_unique<ResponseTimeout>(isolation_.silence_s, lanes_);
}

Supervisor::~Supervisor() = default;

/// Starts a process if `process` is null, and returns the description of the device.
base::Bytes Supervisor::open(std::shared_ptr<DriverProcess> process) {
  driver_ =
      process ? std::move(process) : std::make_shared<DriverProcess>(device_, isolation_.stop);
  driver_->will_drive();
  ++process_;
  end_.clear();
  Message answer;
  const auto outcome =
      driver_->ask(base::to_bytes(Request::open, device_, placement_, fault_of_opening()), answer,
                   kOpeningSeconds);
  if (isolation_.stop.stop_requested()) throw DeviceError(device_ + ": is not needed any more");
  if (outcome != Channel::Outcome::done) {
    const bool silent = outcome == Channel::Outcome::silent;
    throw DeviceError(fmt::format("{}: {}", device_, end_of_last(silent ? kOpeningSeconds : 0)));
  }
  base::ByteReader in = take_answer(answer);
  const auto rest = in.get_rest();
  return {rest.begin(), rest.end()};
}

void Supervisor::describe(base::ByteReader said) {
  said.read(info_);
  said.read(lanes_);
  said.read(opening_);
  opening_.front().start = driver_->started();
}

Channel Supervisor::connect(ConnectionKind kind, int& process) {
  auto [mine, theirs] = Channel::pair();
  {
    const std::scoped_lock lock(mutex_);
    process = process_;
    // There is none after one that could not be started.
    if (driver_) {
      driver_->control().send(base::to_bytes(Request::connect, kind), kOpeningSeconds,
                              theirs.descriptor());
    }
  }
  // `theirs` is closed here, otherwise the process could not detect the end of the other holder.
  return std::move(mine);
}

OpenConnection Supervisor::open_connection(ConnectionKind kind) {
  int process = 0;
  OpenConnection line{.channel = connect(kind, process)};
  line.process = process;
  const std::stop_callback wake(isolation_.stop, [&line] { line.channel.shut_down(); });
  Message answer;
  const auto outcome = line.channel.receive(answer, kOpeningSeconds);
  if (isolation_.stop.stop_requested()) throw DeviceError(device_ + ": is not needed any more");
  if (outcome != Channel::Outcome::done) {
    const bool silent = outcome == Channel::Outcome::silent;
    throw DeviceError(end_of(line.process, silent ? kOpeningSeconds : 0));
  }
  try {
    line.capacity_bytes = take_answer(answer).get<std::size_t>();
  } catch (const ContextLostError& error) {
    throw DeviceError(end_process(line.process, error.what()));
  }
  return line;
}

std::string Supervisor::end_of(int process, double silent_s) {
  const std::scoped_lock lock(mutex_);
  if (process != process_) return end_before_;
  return end_of_last(silent_s);
}

std::string Supervisor::end_process(int process, const std::string& why) {
  const std::scoped_lock lock(mutex_);
  if (process != process_) return end_before_;
  if (end_.empty()) {
    driver_->child().signal(SIGKILL);
    end_ = "its process has been killed: " + why;
  }
  return end_;
}

std::string Supervisor::end_of_last(double silent_s) {
  if (!end_.empty()) return end_;
  if (silent_s > 0) {
    hung_ = true;
    driver_->child().signal(SIGKILL);
    end_ = fmt::format("its process was silent for {} and has been killed (--device-timeout)",
                       base::format_seconds(silent_s));
    return end_;
  }
  std::string end = driver_->child().end();
  if (end.empty()) {  // the process closed a connection but did not end
    driver_->child().signal(SIGKILL);
    end = "closed a line to the rank";
  }
  end_ = "its process " + end;
  return end_;
}

bool Supervisor::start_again(int process) {
  const std::scoped_lock lock(mutex_);
  if (process != process_) return end_.empty();
  if (end_.empty() || hung_ || restarts_ == kMaxRestarts) return false;
  const std::string why = end_;
  try {
    end_before_ = why;
    ++restarts_;
    compiled_.clear();
    retry_while_busy([this] {
      driver_.reset();
      open(nullptr);
    });
  } catch (const base::Error& error) {
    end_ = fmt::format("{}; started again: {}", why, error.what());
    return false;
  }
  if (isolation_.restarted) isolation_.restarted(device_, why);
  return true;
}

double Supervisor::compiling_s(const std::set<ProgramNumber>& programs) {
  const std::scoped_lock lock(mutex_);
  return std::ranges::includes(compiled_, programs) ? 0 : kOpeningSeconds;
}

void Supervisor::note_compiled(const std::set<ProgramNumber>& programs) {
  const std::scoped_lock lock(mutex_);
  compiled_.insert(programs.begin(), programs.end());
}

}  // namespace tessera::device::process
