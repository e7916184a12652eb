// The devices and limits of calls, and how a call reports progress and is stopped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tessera/error.hpp"
#include "tessera/export.hpp"

namespace tessera::TESSERA_INLINE v0 {

/// Names and values of options, as the program takes them: {{"view", "seahorse"}, {"size", "4k"}}.
/// A list of its own type, so that braces mean nothing else.
struct Options : std::vector<std::pair<std::string, std::string>> {
  Options() = default;
  Options(std::initializer_list<value_type> all) : vector(all) {}
};

/// The report of a call as JSON (docs/report.md). Empty on all ranks of a communicator but rank 0.
using Report = std::string;

/// How important a line for the user is.
enum class Level { remark, warning };

struct Settings {
  std::string device = "auto";                          ///< as --device: "cpu", "cuda:0", "gpu"
  int threads = 0;                                      ///< 0 = all cores of this process
  std::uint64_t memory_bytes = std::uint64_t{2} << 30;  ///< bound of a call
  std::uint64_t device_memory_bytes = 0;  ///< bound of each GPU; 0 = all its free memory
  /// Gets remarks and warnings, from any thread, until the call has returned. Empty: nobody does.
  std::function<void(Level, std::string_view line)> log;
  /// An MPI_Comm of a program that has started MPI with MPI_THREAD_SERIALIZED or more. Each call
  /// duplicates it, and is collective: all ranks make the same calls, and rank 0 has the results.
  /// Arrays in memory are parts of one array, which are one behind the other in the order of the
  /// ranks. Null: this process is alone, whatever the environment says.
  const void* communicator = nullptr;
  /// Seconds after which the others continue without a rank that is silent; 0 = they wait for ever.
  /// Without rank 0, they throw an Error after twice the time.
  double heartbeat_s = 10;
  /// Path of the program `tessera`, which drives GPUs in a process of its own. Empty: GPUs are
  /// driven in this process.
  std::string program;
};

/// Keeps what calls share. One call at a time works with it, from any thread; a second one waits.
/// No thread and no signal handler is left between calls.
class TESSERA_EXPORT Context {
 public:
  /// Throws a usage error for a device list that does not parse.
  explicit Context(Settings settings = {});
  ~Context();
  Context(Context&&) noexcept;
  Context& operator=(Context&&) noexcept;

  const Settings& settings() const;

  struct State;
  State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

struct Progress {
  std::string_view stage;  ///< "reduce", "render"
  std::int64_t done = 0;
  std::int64_t total = 0;  ///< 0 = not known yet
};

/// How a call is watched and stopped.
struct Run {
  std::stop_token stop;  ///< a stopped call throws Error with Code::stopped
  /// Called on the calling thread every 20 ms, even if nothing was done meanwhile. If it throws,
  /// the call stops and throws that.
  std::function<void(const Progress&)> progress;
};

/// For a rank of a communicator that finds an error before a call: takes part in the call that the
/// other ranks make. All of them throw the error.
[[noreturn]] TESSERA_EXPORT void refuse(Context& context, Code code, const std::string& why);

/// Makes the tables that a first call would make. A fork while that is going on leaves a child in
/// which they can never be made: a program that forks and has threads calls it first.
TESSERA_EXPORT void prepare();

/// Bytes of an MPI_Comm, and the name and version of the MPI that has it: another one in the same
/// process does not fit.
TESSERA_EXPORT std::size_t communicator_bytes();
TESSERA_EXPORT std::string mpi_library();

/// "0.3.0 (commit)"
TESSERA_EXPORT std::string version();

struct Device {
  std::string name;                ///< as in Settings::device
  std::string detail;              ///< "NVIDIA H200"
  std::string reason;              ///< why it cannot be used; empty if it can
  std::uint64_t memory_bytes = 0;  ///< 0: none of its own
  bool is_gpu = false;
};

/// All devices of this machine, and the backends that this build lacks.
TESSERA_EXPORT std::vector<Device> devices(Context& context, const Run& run = {});

}  // namespace tessera::TESSERA_INLINEv0
