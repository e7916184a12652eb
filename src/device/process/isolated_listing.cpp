#include "device/process/isolated_listing.hpp"

#include <signal.h>

#include <optional>

#include "base/fault.hpp"
#include "base/text.hpp"
#include "device/process/commands.hpp"
#include "device/process/faults.hpp"
#include "device/process/supervisor.hpp"

namespace tessera::device::process {
namespace {

using Outcome = Channel::Outcome;

/// Multiplies the silence timeout: without a loaded driver, listing the GPUs of a large node takes
/// tens of seconds.
constexpr double kListingTimeoutFactor = 5;

/// The fault that the process shall execute at the next backend, for tests.
std::optional<Fault> fault_of_next() {
  if (base::fault("device.list.crash")) return Fault::crash;
  if (base::fault("device.list.hang")) return Fault::hang;
  return std::nullopt;
}

Listing take_listing(const Message& answer) {
  Listing listing;
  try {
    base::ByteReader in = take_answer(answer);
    in.read(listing.devices);
  } catch (const base::Error& error) {
    listing.failure = error.what();
  }
  return listing;
}

/// Describes how a process without an answer ended; kills it if it is still running.
std::string end_of(const ChildProcess& child, Outcome outcome, double silent_s) {
  if (outcome == Outcome::silent) {
    child.signal(SIGKILL);
    return fmt::format(
        "a process that asked its driver for devices was silent for {} and has been killed",
        base::format_seconds(silent_s));
  }
  const std::string end = child.end();
  if (end.empty()) child.signal(SIGKILL);
  return "a process that asked its driver for devices " + (end.empty() ? "fell silent" : end);
}

}  // namespace

Listing IsolatedListing::list(const std::string& backend) {
  try {
    return ask(backend);
  } catch (const base::Error& error) {  // the process could not be started
    return {.end = error.what()};
  }
}

Listing IsolatedListing::ask(const std::string& backend) {
  if (!process_) process_ = std::make_shared<DriverProcess>(devices_, isolation_.stop);
  const double allowed_s = kListingTimeoutFactor * isolation_.silence_s;
  Message answer;
  const Outcome outcome = process_->ask(
      base::to_bytes(Request::list, backend, placement_, fault_of_next()), answer, allowed_s);
  if (outcome == Outcome::done) return take_listing(answer);
  const auto ended = take_process();
  if (isolation_.stop.stop_requested()) return {.end = "it is not needed any more"};
  return {.end = end_of(ended->child(), outcome, allowed_s)};
}

}  // namespace tessera::device::process
