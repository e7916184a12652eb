#include "tessera/context.hpp"

#include "api/call.hpp"
#include "base/version.hpp"
#include "comm/agree.hpp"
#include "comm/library.hpp"
#include "device/host/cpu_threads.hpp"
#include "device/select/registry.hpp"
#include "job/run_options.hpp"

namespace tessera::v0 {
Context::Context(Settings settings) : state_(std::make_unique<State>()) {
  state_->settings = std::move(settings);
  api::translated([&] {
    device::parse_device_list(state_->settings.device);
    if (const int threads = state_->settings.threads; threads < 0 || threads > job::kMaxThreads) {
      throw base::usage_error("threads: {} is not from 0 to {}", threads, job::kMaxThreads);
    }
    const double heartbeat_s = state_->settings.heartbeat_s;
    if (heartbeat_s == 0 || (heartbeat_s >= 0.1 && heartbeat_s <= 86400)) return;
    throw base::usage_error("heartbeat: {} is neither 0 nor from 0.1 to 86400 seconds",
                            heartbeat_s);
  });
}

Context::~Context() = default;
Context::Context(Context&&) noexcept = default;
Context& Context::operator=(Context&&) noexcept = default;

const Settings& Context::settings() const {
  return state_->settings;
}

void refuse(Context& context, Code code, const std::string& why) {
  api::call(context, {}, [&](run::Context& inside) {
    comm::agree(inside.world, [&] { throw base::Error(static_cast<base::ExitCode>(code), why); });
  });
  throw Error(code, why);
}

void prepare() {
  api::translated([] { device::count_cores(); });
}

std::size_t communicator_bytes() {
  return comm::handle_bytes();
}

std::string mpi_library() {
  return comm::library_version();
}

std::string version() {
  return base::version_and_commit();
}

}  // namespace tessera::v0
