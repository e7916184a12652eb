#include "device/process/isolated_listing.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <span>

#include "base/fault.hpp"
#include "base/text.hpp"
#include "device/process/child_process.hpp"
#include "device/process/device_process.hpp"
#include "device/process/faults.hpp"
#include "device/process/stream_server.hpp"
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

base::Bytes parameters(std::span<const std::string> backends, const Placement& placement) {
  base::ByteWriter out;
  out.put(placement, backends.size());
  for (const std::string& backend : backends) {
    const auto fault = fault_of_next();
    out.put(backend, fault);
  }
  return out.take();
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

/// Lists `backends` in one process until it fails: at least one of them.
std::vector<Listing> list_in_one(std::span<const std::string> backends, const Placement& placement,
                                 double allowed_s) {
  std::vector<Listing> listings;
  auto [mine, theirs] = Channel::pair();
  ChildProcess child(
      kThisProgram,
      {"tessera", std::string(kServeCommand), std::string(kListing), std::to_string(::getpid())},
      std::move(theirs));
  Channel line = std::move(mine);  // destroyed first, so that the child leaves
  Outcome outcome = line.send(parameters(backends, placement), allowed_s);
  while (listings.size() < backends.size()) {
    Message answer;
    if (outcome == Outcome::done) outcome = line.receive(answer, allowed_s);
    if (outcome != Outcome::done) {
      listings.push_back({.end = end_of(child, outcome, allowed_s)});
      return listings;
    }
    listings.push_back(take_listing(answer));
  }
  child.let_go();
  return listings;
}

base::Bytes devices_of(std::span<const Backend> backends, const std::string& name,
                       const Placement& placement) {
  const auto backend = std::ranges::find(backends, name, &Backend::name);
  if (backend == backends.end()) throw base::run_error("{}: no such backend", name);
  return base::to_bytes(Answer::done, backend->list(placement));
}

}  // namespace

std::vector<Listing> list_isolated(const std::vector<std::string>& backends,
                                   const Placement& placement, const Isolation& isolation) {
  std::vector<Listing> listings;
  while (listings.size() < backends.size()) {
    const auto left = std::span(backends).subspan(listings.size());
    try {
      for (Listing& listing :
           list_in_one(left, placement, kListingTimeoutFactor * isolation.silence_s)) {
        listings.push_back(std::move(listing));
      }
    } catch (const base::Error& error) {  // the process could not be started
      listings.resize(backends.size(), {.end = error.what()});
    }
  }
  return listings;
}

void serve_listing(Channel& line, std::span<const Backend> backends) {
  Message asked;
  if (line.receive(asked, Channel::kForEver) != Outcome::done) return;
  base::ByteReader in(asked.body);
  const auto placement = in.get<Placement>();
  for (auto left = in.get<std::size_t>(); left > 0; --left) {
    const auto name = in.get<std::string>();
    const auto fault = in.get<std::optional<Fault>>();
    if (fault) fail(*fault);
    const base::Bytes answer = answer_of([&] { return devices_of(backends, name, placement); });
    if (line.send(answer, Channel::kForEver) != Outcome::done) return;
  }
}

}  // namespace tessera::device::process
