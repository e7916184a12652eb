// A call of the library: the world, the events and the stop token that it works with, and errors as
// the caller knows them.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/names.hpp"
#include "base/error.hpp"
#include "device/device.hpp"
#include "device/reducer.hpp"
#include "job/run_spec.hpp"
#include "run/context.hpp"
#include "statistics/partial.hpp"

namespace tessera::api {

/// A GPU that this process drives itself.
struct Gpu {
  struct IdleReducer {
    statistics::ReductionSpec spec;
    std::unique_ptr<device::Reducer> reducer;
  };
  std::unique_ptr<device::Device> device;
  std::vector<IdleReducer> idle;  ///< the one that waits longest first
};

}  // namespace tessera::api

namespace tessera::v0 {

struct Context::State {
  Settings settings;
  std::mutex busy;  ///< held by the call that works with it
  // Opened by the first call that needs them.
  std::unique_ptr<device::Device> cores;
  std::map<std::string, api::Gpu> gpus;  ///< by name
};

}  // namespace tessera::v0

namespace tessera::api {

/// Calls work() with the floating-point environment of runs. Throws what it throws, base::Error as
/// Error.
void translated(const std::function<void()>& work);

/// What comes of make().
template <class Make>
auto translate(const Make& make) {
  std::optional<decltype(make())> made;
  translated([&] { made.emplace(make()); });
  return std::move(*made);
}

/// Calls a function of the caller. Throws Error as the rooms know it, and all else as it is.
template <class Work>
auto called_back(const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw base::Error(static_cast<base::ExitCode>(error.code()), error.what());
  }
}

/// Sets the options of a job that are those of a context.
void apply(const Settings& settings, job::RunSpec& run);
/// Throws a usage error for options of the program that a call cannot follow.
void check_of_library(const Options& given);

/// Who stops a run: "stopped by ...".
inline constexpr const char* kCaller = "its caller";

/// Calls work(context) when no other call works with the caller's context, and throws errors as
/// Error. If somebody watches, the work goes on in a thread of its own.
void call(Context& caller, const Run& watched, const std::function<void(run::Context&)>& work);

}  // namespace tessera::api
