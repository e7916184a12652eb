// Marks the stage of a thread for an external profiler (Nsight Systems, through NVTX). Without a
// profiler it costs one test of a null function pointer, and without the headers of the CUDA
// toolkit nothing.
#pragma once

#include "report/timings.hpp"

namespace tessera::report {

/// A profiler range of this thread, named after a stage, from construction to destruction.
class ProfilerRange {
 public:
  explicit ProfilerRange(Stage stage);
  ~ProfilerRange();  // NOLINT(performance-trivially-destructible): not with the toolkit's headers
  ProfilerRange(const ProfilerRange&) = delete;
  ProfilerRange& operator=(const ProfilerRange&) = delete;
};

}  // namespace tessera::report
