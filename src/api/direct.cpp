#include "api/direct.hpp"

#include <algorithm>
#include <atomic>

#include "api/resident.hpp"
#include "base/error.hpp"
#include "base/run.hpp"
#include "base/thread_team.hpp"
#include "device/powers/power_reducers.hpp"
#include "device/select/registry.hpp"
#include "statistics/operations.hpp"
#include "store/arrays/memory_array.hpp"
#include "store/arrays/reader_array.hpp"

namespace tessera::api {
namespace {

/// Some hundredths of a second, without progress.
// crossed by: of_arrays_small_and_large
constexpr std::int64_t kMaxUnwatchedBytes = std::int64_t{64} << 20;
/// For so many bytes a thread is worth its start.
constexpr std::int64_t kBytesPerThread = std::int64_t{1} << 20;
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 18;
constexpr std::int64_t kPiecesPerStep = 32;  ///< of progress

bool is_for_cores(const Settings& settings) {
  return settings.device == "auto" || settings.device == "cpu";
}

/// Partial results, but none of high powers, which take ten times as long.
bool is_cheap(const job::ReduceJob& job) {
  return std::ranges::all_of(job.operations, [](job::Operation operation) {
    return statistics::meaning_of(operation).answers.front() != nullptr;
  });
}

device::Device& cores_of(Context::State& context) {
  if (!context.cores) {
    context.cores =
        std::move(device::open_devices("cpu", {.threads = context.settings.threads}).front());
  }
  return *context.cores;
}

class CoresAtWork {
 public:
  CoresAtWork(const store::ArraySource& source, device::Device& cores,
              const statistics::ReductionSpec& spec)
      : source_(source),
        pieces_(source.pieces()),
        cores_(cores),
        spec_(spec),
        line_(base::status_line(false)) {}

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
      if (base::stop_requested()) {
        throw base::Error(base::ExitCode::stopped,
                          "reduce: stopped by " + base::this_run().stop.reason());
      }
      if (piece % kPiecesPerStep == 0) line_->count("reduce", piece, pieces_.count());
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
  std::unique_ptr<base::StatusLine> line_;
  std::atomic<std::int64_t> next_ = 0;
};

base::ElementType type_of(const job::ArrayInput& input) {
  return input.memory ? input.memory->type : input.reader->type();
}

std::int64_t bytes_of(const job::ArrayInput& input) {
  const job::Shape shape = input.memory ? input.memory->shape : input.reader->shape();
  return job::count_elements(shape, input.text) *
         static_cast<std::int64_t>(base::element_bytes(type_of(input)));
}

bool is_in_memory(const job::ArrayInput& input) {
  return input.memory || (input.reader && input.reader->in_device_memory());
}

statistics::Partial reduce_on_cores(const job::ArrayInput& input, device::Device& cores,
                                    const statistics::ReductionSpec& spec) {
  const auto source = input.memory ? store::open_memory(input, kPieceBytes)
                                   : store::open_reader(input, kPieceBytes);
  const auto threads =
      std::clamp<std::int64_t>(bytes_of(input) / kBytesPerThread, 1, cores.lanes());
  return CoresAtWork(*source, cores, spec).run(static_cast<int>(threads));
}

}  // namespace

DirectResult reduce_here(Context::State& context, const job::ReduceJob& job,
                         const OpenCores& open_cores) {
  const job::ArrayInput& input = job.inputs.front();
  DirectResult result{.spec = statistics::spec_of(type_of(input), job)};
  if (bytes_of(input) == 0) return result;
  std::optional<statistics::Partial> sums;
  if (const auto resident = resident_elements(context.settings, job)) {
    sums = reduce_resident(context, *resident, result.spec);
  }
  result.sums = sums ? *sums : reduce_on_cores(input, open_cores(), result.spec);
  return result;
}

bool is_plain_in_memory(const job::ReduceJob& job) {
  return job.inputs.size() == 1 && is_in_memory(job.inputs.front()) && job.map.empty() &&
         job.axes.empty() && job.by.empty() && !job.with && !job.weights && job.output.empty() &&
         job.states.empty() && job.decoding == job::Decoding();
}

bool is_direct(const Settings& settings, const job::ReduceJob& job) {
  if (settings.communicator != nullptr || !is_plain_in_memory(job)) return false;
  return (is_for_cores(settings) && is_cheap(job)) || resident_elements(settings, job);
}

DirectResult reduce_watched(Context::State& context, const job::ReduceJob& job) {
  return reduce_here(context, job, [&]() -> device::Device& { return cores_of(context); });
}

std::optional<DirectResult> reduce_directly(Context::State& context, const job::ReduceJob& job,
                                            const std::stop_token& stop) {
  if (!is_direct(context.settings, job)) return {};
  const job::ArrayInput& input = job.inputs.front();
  if (bytes_of(input) > kMaxUnwatchedBytes && !resident_elements(context.settings, job)) return {};
  const std::scoped_lock busy(context.busy);
  base::StopToken token;
  base::Events quiet;
  const base::Run run{token, quiet};
  const base::RunScope scope(run);
  const std::stop_callback stops(stop, [&] { token.request(kCaller); });
  return reduce_watched(context, job);
}

}  // namespace tessera::api
