// What a thread is doing, for a profiler that watches from outside (Nsight Systems, by NVTX). Costs
// a call through a null pointer when none does, nothing in a build without the CUDA toolkit's
// headers.
#pragma once

#include "report/timings.hpp"

namespace tessera::report {

/// A range with the name of a stage on this thread, from construction to destruction.
class ProfilerRange {
 public:
  explicit ProfilerRange(Stage stage);
  ~ProfilerRange();
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace tessera::report
