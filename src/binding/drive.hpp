// How a rank drives its devices, of what its job says.
#pragma once

namespace tessera::binding {

struct Drive {
  int threads = 0;  ///< CPU threads as asked for; 0 = all of the affinity mask
  bool isolate = true;
  int device_timeout_s = 60;
};

template <class Job>
Drive drive_of(const Job& job) {
  return {job.threads, job.isolate, job.device_timeout_s};
}

}  // namespace tessera::binding
