// The frame of the commands `color` and `film`: they check, work and report in the same order.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "comm/world.hpp"
#include "job/run_spec.hpp"
#include "plan/schedule.hpp"
#include "report/timings.hpp"

namespace tessera::command {

/// The result of `make`. Other facts go straight into the report.
struct MadePictures {
  std::vector<report::ThreadReport> threads;  ///< threads of this rank
  plan::Repeats repeats;                      ///< on the gather rank
  std::uint64_t output_bytes = 0;             ///< on the gather rank
};

struct PictureRun {
  std::string command, label;  ///< "color" in the report, "colour" for people
  const job::RunSpec& job;
  const bool& overwrite;
  /// Applies the options to the job, and checks the outputs on the gather rank.
  std::function<void()> check;
  /// Collective. Sets `job`, `outputs` and counts of the report.
  std::function<MadePictures(report::RunReport&)> make;
  /// The line that the gather rank prints; "" = none.
  std::function<std::string(const report::RunReport&)> line;
};

/// Collective. Throws the same base::Error on every rank.
base::ExitCode run_pictures(comm::World& world, const PictureRun& run);

}  // namespace tessera::command
