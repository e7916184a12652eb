#include "api/direct.hpp"

#include <algorithm>
#include <atomic>

#include "api/source_state.hpp"
#include "base/run.hpp"
#include "base/thread_team.hpp"
#include "device/powers/power_reducers.hpp"
#include "device/select/registry.hpp"
#include "statistics/operations.hpp"
#include "store/arrays/memory_array.hpp"

namespace tessera::api {
namespace {

/// Some hundredths of a second, without progress.
// crossed by: of_arrays_small_and_large
constexpr std::int64_t kMaxDirectBytes = std::int64_t{64} << 20;
/// For so many bytes a thread is worth its start.
constexpr std::int64_t kBytesPerThread = std::int64_t{1} << 20;
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 18;

bool is_for_cores(const Settings& settings) {
  return settings.communicator == nullptr &&
         (settings.device == "auto" || settings.device == "cpu");
}

/// Partial results, but none of high powers, which take ten times as long.
bool is_cheap(const job::ReduceJob& job) {
  return std::ranges::all_of(job.operations, [](job::Operation operation) {
    return statistics::meaning_of(operation).answers.front() != nullptr;
  });
}

bool is_plain(const job::ReduceJob& job) {
  return job.map.empty() && job.axes.empty() && job.by.empty() && !job.with && job.output.empty() &&
         job.decoding == job::Decoding();
}

device::Device& cores_of(Context::State& context) {
  if (!context.cores) {
    context.cores =
        std::move(device::open_devices("cpu", {.threads = context.settings.threads}).front());
  }
  return *context.cores;
}

class Reduction {
 public:
  Reduction(const store::ArraySource& source, device::Device& cores,
            const statistics::ReductionSpec& spec, const std::stop_token& stop)
      : source_(source), pieces_(source.pieces()), cores_(cores), spec_(spec), stop_(stop) {}

  statistics::Partial run(int threads) {
    std::vector<statistics::Partial> sums(static_cast<std::size_t>(threads));
    base::ThreadTeam team(threads);
    team.run(threads, [&](int member) { work(sums[static_cast<std::size_t>(member)]); });
    for (std::size_t member = 1; member < sums.size(); ++member) sums[0].merge(sums[member]);
    return sums[0];
  }

 private:
  void work(statistics::Partial& sums) {
    const auto reducer = device::open_reducer(cores_, spec_);
    base::Bytes copy;
    for (std::int64_t piece = next_++; piece < pieces_.count(); piece = next_++) {
      if (stop_.stop_requested()) throw Error(Code::stopped, "reduce: stopped by its caller");
      add(piece, *reducer, copy, sums);
    }
  }

  void add(std::int64_t piece, device::Reducer& reducer, base::Bytes& copy,
           statistics::Partial& sums) const {
    const auto view = source_.view(piece, piece + 1);
    if (!view) {
      copy.resize(static_cast<std::size_t>(pieces_.elements(piece)) *
                  base::element_bytes(spec_.type));
      source_.read(piece, copy);
    }
    reducer.reduce(view ? view->bytes : std::span<const std::byte>(copy),
                   {.of = [&](std::int64_t element) { return pieces_.index(piece, element); },
                    .in_order = pieces_.in_order()},
                   sums);
  }

  const store::ArraySource& source_;
  const plan::ArrayPieces& pieces_;
  device::Device& cores_;
  const statistics::ReductionSpec& spec_;
  const std::stop_token& stop_;
  std::atomic<std::int64_t> next_ = 0;
};

}  // namespace

std::optional<DirectResult> reduce_directly(Context::State& context, const Source& array,
                                            const job::ReduceJob& job,
                                            const std::stop_token& stop) {
  const job::ArrayInput& input = array.state().inputs.front();
  if (!input.memory || !is_for_cores(context.settings) || !is_plain(job) || !is_cheap(job)) {
    return {};
  }
  const job::ArrayInMemory& layout = *input.memory;
  const std::int64_t bytes = job::count_elements(layout.shape, input.text) *
                             static_cast<std::int64_t>(base::element_bytes(layout.type));
  if (bytes > kMaxDirectBytes) return {};
  const std::scoped_lock busy(context.busy);
  base::StopToken nobody;
  base::Events quiet;
  const base::Run run{nobody, quiet};
  const base::RunScope scope(run);
  DirectResult result{.spec = statistics::spec_of(layout.type, job)};
  if (bytes == 0) return result;
  const auto source = store::open_memory(input, kPieceBytes);
  device::Device& cores = cores_of(context);
  const auto threads = std::clamp<std::int64_t>(bytes / kBytesPerThread, 1, cores.lanes());
  result.sums = Reduction(*source, cores, result.spec, stop).run(static_cast<int>(threads));
  return result;
}

}  // namespace tessera::api
