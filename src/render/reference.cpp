#include "render/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/status_line.hpp"
#include "base/stop_request.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "deep/prepared.hpp"
#include "device/deep_block.hpp"
#include "device/select/registry.hpp"
#include "job/memory.hpp"
#include "job/values.hpp"
#include "render/orbit_cache.hpp"

namespace tessera::render {
namespace {

/// "1,234,567"
std::string with_commas(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t at = 0; at < digits.size(); ++at) {
    if (at > 0 && (digits.size() - at) % 3 == 0) text += ',';
    text += digits[at];
  }
  return text;
}

void check_memory(const job::RenderJob& job, std::uint64_t iterations) {
  const std::uint64_t bytes = iterations * deep::kBytesPerIteration + job::kProgramBytes;
  if (bytes <= job.memory_bytes) return;
  const auto most = job.image.iterations * std::uint64_t{deep::kBytesPerIteration};
  throw base::usage_error(
      "--memory {}: {} iterations of the reference orbit fill it; all {} would need up to {}",
      job::format_memory(job.memory_bytes), with_commas(iterations),
      with_commas(job.image.iterations),
      base::format_bytes(static_cast<double>(most + job::kProgramBytes)));
}

/// A longer orbit does not fit into a message, so that each rank computes it.
constexpr std::int64_t kMostSent = std::int64_t{1} << 25;

deep::OrbitProgress stop_on_request(const job::RenderJob& job) {
  return [&job](std::uint64_t iterations) {
    base::throw_if_stopped(job.output);
    check_memory(job, iterations);
  };
}

deep::ReferenceOrbit compute(const job::RenderJob& job, const std::string& command, bool launched) {
  base::StatusLine line(job.quiet, launched);
  const deep::OrbitProgress check = stop_on_request(job);
  return deep::orbit_of(place_of(job), [&](std::uint64_t iterations) {
    check(iterations);
    if (!line.due()) return;
    line.show(fmt::format("{}: reference orbit: {} of at most {} iterations", command,
                          with_commas(iterations), with_commas(job.image.iterations)));
  });
}

deep::ReferenceOrbit find_orbit(const job::RenderJob& job, const std::string& command,
                                const std::string& cache, bool launched) {
  if (auto kept = read_orbit(cache, place_of(job))) return std::move(*kept);
  deep::ReferenceOrbit orbit = compute(job, command, launched);
  if (!cache.empty()) write_orbit(cache, place_of(job), orbit);
  return orbit;
}

bool takes_cores(std::string_view device) {
  const std::string_view backend = device.substr(0, device.find(':'));
  const auto row = std::ranges::find(device::backends(), backend, &device::Backend::name);
  return row != device::backends().end() && row->cores;
}

}  // namespace

deep::Place place_of(const job::RenderJob& job) {
  const bool smooth = std::ranges::find(job.fields, job::Field::smooth) != job.fields.end();
  return device::deep_place(job.image, smooth);
}

void prepare_reference(comm::World& world, const job::RenderJob& job, const std::string& command,
                       const std::string& cache) {
  if (!job.image.deep()) return;
  deep::ReferenceOrbit orbit;
  comm::agree(world, [&] {
    if (world.is_root()) orbit = find_orbit(job, command, cache, world.has_launcher());
  });
  const bool sent = comm::broadcast_value(world, orbit.length()) <= kMostSent;
  if (world.size() > 1 && sent) orbit = comm::broadcast_value(world, orbit);
  comm::agree(world, [&] {
    if (!sent && !world.is_root()) orbit = deep::orbit_of(place_of(job), stop_on_request(job));
    deep::prepare(place_of(job), std::move(orbit));
  });
}

std::uint64_t reference_bytes(const job::RenderJob& job) {
  return job.image.deep() ? deep::memory_bytes(*deep::prepared(place_of(job))) : 0;
}

ReferenceFacts reference_facts(const job::RenderJob& job) {
  const deep::Place place = place_of(job);
  const auto image = deep::prepared(place);
  return {image->orbit.length(), deep::orbit_bits(place), image->orbit.escaped};
}

std::string devices_for(const job::RenderJob& job, const std::string& list) {
  if (!job.image.deep()) return list;
  std::vector<std::string> names;
  for (const device::Wanted& wanted : device::parse_device_list(list)) {
    const bool open = wanted.kind == device::Wanted::Kind::automatic;
    if (!open && !takes_cores(wanted.name)) {
      throw base::usage_error(
          "--device {}: GPUs do not render with --arithmetic perturbation yet; take cpu", list);
    }
    names.push_back(open ? std::string(device::kCores) : wanted.name);
  }
  return base::join(names, ",");
}

}  // namespace tessera::render
