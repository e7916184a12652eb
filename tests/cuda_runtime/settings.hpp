// What the environment says about the simulated machine.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuda_runtime {

/// When a stream executes an operation.
enum class Schedule {
  eager,   ///< at once
  random,  ///< after a random delay
  late     ///< when a thread waits for it: every wait that is missing is noticed
};

/// Makes calls fail. Besides functions of CUDA, `call` may be "kernel" or "copy": an execution in a
/// stream.
struct FaultRule {
  std::string call;
  long first = 1;                  ///< the first call that fails, counted from 1
  cudaError_t code = cudaSuccess;  ///< cudaSuccess: the call never returns, or is slow
  int slow_ms = 0;                 ///< so much later it goes on
  bool sticky = false;             ///< the context is lost with it
  bool all_later = false;          ///< all calls from the first one on fail
  std::string once;                ///< only the process that can create this file obeys
  std::string after;               ///< only once this file exists
};

/// TESSERA_CUDA_RUNTIME="key=value,key=value,...". The keys are the names of the members. A fault
/// rule is fail=CALL:NUMBER:CODE[:sticky][:later][:slow=MS][:once=FILE][:after=FILE], for example
/// fail=cudaMalloc:3:2.
struct Settings {
  int devices = 1;
  std::size_t memory = std::size_t{2} << 30;  ///< bytes of each device, for this process
  std::size_t most = memory;                  ///< more of them in use are reported
  int driver = CUDART_VERSION;                ///< CUDA version of the driver; 0 = no driver
  int major = 9, minor = 0;                   ///< compute capability
  int multiprocessors = 3;
  int occupancy = 2;        ///< blocks of a multiprocessor at a time
  bool mig = false;         ///< the devices are instances of one GPU
  bool prohibited = false;  ///< compute mode
  bool page_lock = true;    ///< false: page-locked memory is refused
  bool pools = true;        ///< devices have stream-ordered memory
  std::uint64_t seed = 1;
  Schedule schedule = Schedule::random;
  int delay_us = 200;   ///< the longest delay of Schedule::random
  std::string reports;  ///< file to which each report is appended
  std::vector<FaultRule> faults;
};

/// Of this process. A wrong text is reported.
const Settings& settings();

/// An injected error; cudaSuccess = none.
struct Fault {
  cudaError_t code = cudaSuccess;
  bool sticky = false;
};
/// Counts a call by this name, and applies the rules. Does not return if a rule says so.
Fault next_fault(std::string_view call);

/// Names a misuse of CUDA, on stderr and in the file of reports, and ends the process.
[[noreturn]] void report(const std::string& misuse);

}  // namespace cuda_runtime
