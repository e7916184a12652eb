#include "report/profiler_range.hpp"

#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>

namespace tessera::report {

// kStageNames are literals, so each is followed by a terminating 0.
ProfilerRange::ProfilerRange(Stage stage) {
  nvtxRangePushA(kStageNames[static_cast<std::size_t>(stage)].data());
}
ProfilerRange::~ProfilerRange() {
  nvtxRangePop();
}

}  // namespace tessera::report
#else
namespace tessera::report {

ProfilerRange::ProfilerRange(Stage) {}
ProfilerRange::~ProfilerRange() = default;

}  // namespace tessera::report
#endif
