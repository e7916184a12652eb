#include "pool/held_item.hpp"

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "base/error.hpp"
#include "base/run.hpp"
#include "comm/broadcast_value.hpp"

namespace tessera::pool {
namespace {

constexpr const char* kTakenOver = "another run, which took over its share";

/// A token of its own for the work on an item, which gets the request to stop that the run gets.
class PassedOnStop {
 public:
  explicit PassedOnStop(const base::StopToken& run) : thread_([this, &run] { pass_on(run); }) {}
  ~PassedOnStop() {
    ends_ = true;
    thread_.join();
  }
  PassedOnStop(const PassedOnStop&) = delete;
  PassedOnStop& operator=(const PassedOnStop&) = delete;

  base::StopToken& token() { return token_; }

 private:
  void pass_on(const base::StopToken& run) {
    while (!ends_ && !run.requested()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!run.requested()) return;
    reason_ = run.reason();
    token_.request(reason_.c_str());
  }

  std::string reason_;  ///< the token refers to it
  base::StopToken token_;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

}  // namespace

bool work_on_item(run::Context& context, const OpenPool& pool, const std::string& item,
                  int generation, const std::function<void(run::Context&)>& work) {
  comm::World& world = context.world;
  PassedOnStop stop(context.run.stop);
  std::optional<Lease> lease;
  if (world.is_root()) {
    lease.emplace(pool.leases->path(), item, generation, pool.leases->lease_s(),
                  [&] { stop.token().request(kTakenOver); });
  }
  run::Context inside{world, {stop.token(), context.run.events, context.run.program}};
  const auto is_lost = [&] {
    return comm::broadcast_value(world, lease.has_value() && lease->is_lost());
  };
  try {
    const base::RunScope scope(inside.run);
    work(inside);
  } catch (const base::Error&) {
    // Others have taken over, so what failed here is no matter.
    if (is_lost()) return false;
    throw;
  }
  if (is_lost()) return false;
  if (lease) lease->finish();
  return true;
}

}  // namespace tessera::pool
