#include "device/process/remote_meter.hpp"

#include "device/process/commands.hpp"

namespace tessera::device::process {
namespace {

/// The library may have to be loaded first.
constexpr double kSilenceSeconds = 10;

}  // namespace

bool RemoteMeter::connect() try {
  const std::scoped_lock lock(mutex_);
  int process = 0;
  if (!line_ && !ended_) line_ = supervisor_->connect(ConnectionKind::meter, process);
  return !ended_;
} catch (const base::Error&) {  // no descriptor is left
  return false;
}

base::Reading RemoteMeter::read() {
  if (!connect()) return {};
  Message answer;
  auto outcome = line_->send(base::to_bytes(ConnectionKind::meter), kSilenceSeconds);
  if (outcome == Channel::Outcome::done) outcome = line_->receive(answer, kSilenceSeconds);
  if (outcome == Channel::Outcome::done) return base::from_bytes<base::Reading>(answer.body);
  const std::scoped_lock lock(mutex_);
  if (outcome == Channel::Outcome::silent) ended_ = true;
  line_.reset();  // a process that is started again has another one
  return {};
}

void RemoteMeter::end() {
  const std::scoped_lock lock(mutex_);
  ended_ = true;
  if (line_) line_->shut_down();
}

}  // namespace tessera::device::process
