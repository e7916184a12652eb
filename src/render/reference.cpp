#include "render/reference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/grouped_digits.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "deep/jump_table.hpp"
#include "deep/memory.hpp"
#include "deep/prepared.hpp"
#include "device/pixels/deep_block.hpp"
#include "job/memory.hpp"
#include "job/values.hpp"
#include "render/orbit_cache.hpp"

namespace tessera::render {
namespace {

/// An orbit that is not complete.
void check_orbit(const job::RenderJob& job, std::uint64_t iterations) {
  const deep::Place place = place_of(job);
  if (deep::min_bytes(place, iterations) + job::kProgramBytes <= job.memory_bytes) return;
  const std::uint64_t most = deep::min_bytes(place, job.image.iterations) + job::kProgramBytes;
  throw base::usage_error(
      "--memory {}: {} iterations of the reference orbit fill it; all {} would need {} or more",
      job::format_memory(job.memory_bytes), base::with_commas(iterations),
      base::with_commas(job.image.iterations), base::format_bytes(static_cast<double>(most)));
}

void check_table(const job::RenderJob& job, const deep::ReferenceOrbit& orbit) {
  const std::uint64_t most = job.memory_bytes - std::min(job.memory_bytes, job::kProgramBytes);
  const std::uint64_t bytes = deep::table_bytes(place_of(job), orbit, most);
  constexpr std::uint64_t kMaxJumps = std::numeric_limits<std::uint32_t>::max();
  const auto length = static_cast<std::uint64_t>(orbit.length());
  if (deep::max_jumps(length) > kMaxJumps && deep::count_jumps(orbit) > kMaxJumps) {
    throw base::usage_error("the reference orbit of {} iterations has more than 2^32 jumps",
                            base::with_commas(length));
  }
  if (bytes <= most) return;
  const auto [given, needed] = base::format_different_bytes(
      static_cast<double>(job.memory_bytes), static_cast<double>(bytes + job::kProgramBytes));
  throw base::usage_error(
      "--memory {}: the reference orbit of {} iterations and its table need {} a rank, with the "
      "program; give more",
      given, base::with_commas(length), needed);
}

/// The orbit of a job on the gather rank: restored, computed and saved.
class OrbitRun {
 public:
  OrbitRun(const comm::World& world, const job::RenderJob& job, const std::string& command,
           const std::string& cache)
      : job_(job),
        command_(command),
        orbit_(deep::orbit_start(place_of(job)), limits_of(job)),
        file_(cache, place_of(job)),
        line_(base::status_line(job.quiet)) {
    if (job.max_s > 0) until_ = base::later(world.origin(), job.max_s);
  }

  deep::ReferenceOrbit run() {
    if (file_.restore(orbit_) && !orbit_.complete()) say_resuming();
    check_orbit(job_, orbit_.iterations());
    while (!orbit_.complete()) {
      orbit_.advance();
      file_.save_if_many(orbit_);
      save_if_due();
      base::throw_if_stopped(job_.output);
      check_orbit(job_, orbit_.iterations());
      if (line_->due()) show();
    }
    check_table(job_, orbit_.orbit());
    file_.save(orbit_);
    return orbit_.take();
  }

 private:
  static deep::OrbitLimits limits_of(const job::RenderJob& job) {
    deep::OrbitLimits limits = deep::orbit_limits(place_of(job));
    if (job.threads == 1) limits.threads = 1;
    return limits;
  }

  void say_resuming() const {
    if (job_.quiet) return;
    base::log("{}: resuming the reference orbit after {} iterations", command_,
              base::with_commas(orbit_.iterations()));
  }

  void save_if_due() {
    const auto now = base::Clock::now();
    if (until_ && now > *until_) base::this_run().stop.request("--max-seconds");
    if (!base::stop_requested() && now < saved_ + std::chrono::seconds(job_.checkpoint_s)) return;
    file_.save(orbit_);
    saved_ = now;
  }

  void show() {
    line_->show(fmt::format("{}: reference orbit: {} of at most {} iterations", command_,
                            base::with_commas(orbit_.iterations()),
                            base::with_commas(job_.image.iterations)));
  }

  const job::RenderJob& job_;
  const std::string& command_;
  deep::PartialOrbit orbit_;
  OrbitFile file_;
  std::unique_ptr<base::StatusLine> line_;
  std::optional<base::Clock::time_point> until_;
  base::Clock::time_point saved_ = base::Clock::now();
};

}  // namespace

deep::Place place_of(const job::RenderJob& job) {
  return device::deep_place(job.image, job::more_fields(job.fields));
}

void prepare_reference(comm::World& world, const job::RenderJob& job, const std::string& command,
                       const std::string& cache) {
  prepare_reference(world, job, command, cache, job);
}

void prepare_reference(comm::World& world, const job::RenderJob& job, const std::string& command,
                       const std::string& cache, const job::RenderJob& deepest) {
  if (!job.image.deep()) return;
  deep::forget_images();  // those of earlier images of a zoom
  deep::ReferenceOrbit orbit;
  comm::agree(world, [&] {
    if (world.is_root()) orbit = OrbitRun(world, deepest, command, cache).run();
  });
  orbit = comm::broadcast_long_value(world, std::move(orbit));
  comm::agree(world, [&] {
    deep::prepare(place_of(job), std::make_shared<const deep::ReferenceOrbit>(std::move(orbit)));
  });
}

ReferenceFacts reference_facts(const job::RenderJob& job) {
  const deep::Place place = place_of(job);
  const auto image = deep::prepared(place);
  return {image->orbit->length(), deep::orbit_bits(place), image->orbit->escaped};
}

}  // namespace tessera::render
