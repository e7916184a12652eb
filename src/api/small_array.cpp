#include "api/small_array.hpp"

#include <algorithm>

#include "api/source_state.hpp"
#include "base/run.hpp"
#include "device/powers/power_reducers.hpp"
#include "device/select/registry.hpp"
#include "statistics/operations.hpp"
#include "store/arrays/memory_array.hpp"

namespace tessera::api {
namespace {

// crossed by: of_arrays_small_and_large
constexpr std::int64_t kMaxSmallBytes = std::int64_t{1} << 20;
constexpr std::int64_t kPieceBytes = std::int64_t{1} << 18;  ///< of elements that are copied

bool is_for_cores(const Settings& settings) {
  return settings.communicator == nullptr &&
         (settings.device == "auto" || settings.device == "cpu");
}

bool has_partials_only(const job::ReduceJob& job) {
  return job.map.empty() && job.decoding == job::Decoding() && job.axes.empty() && job.by.empty() &&
         !job.with && std::ranges::all_of(job.operations, [](job::Operation operation) {
           const statistics::OperationTraits& meaning = statistics::meaning_of(operation);
           return meaning.answers.front() != nullptr || meaning.of_moments != nullptr;
         });
}

device::Device& cores_of(Context::State& context) {
  if (!context.cores) {
    context.cores =
        std::move(device::open_devices("cpu", {.threads = context.settings.threads}).front());
  }
  return *context.cores;
}

void add(const store::ArraySource& source, device::Reducer& reducer, statistics::Partial& sums) {
  const plan::ArrayPieces& pieces = source.pieces();
  base::Bytes copy;
  for (std::int64_t piece = 0; piece < pieces.count(); ++piece) {
    const auto view = source.view(piece, piece + 1);
    if (!view) {
      copy.resize(static_cast<std::size_t>(pieces.elements(piece)) *
                  base::element_bytes(source.info().type));
      source.read(piece, copy);
    }
    reducer.reduce(view ? view->bytes : std::span<const std::byte>(copy),
                   {.of = [&](std::int64_t element) { return pieces.index(piece, element); },
                    .in_order = pieces.in_order()},
                   sums);
  }
}

}  // namespace

std::optional<SmallResult> reduce_here(Context::State& context, const Source& array,
                                       const job::ReduceJob& job) {
  const job::ArrayInput& input = array.state().inputs.front();
  if (!input.memory || !is_for_cores(context.settings) || !has_partials_only(job)) return {};
  const job::ArrayInMemory& layout = *input.memory;
  const std::int64_t elements = job::count_elements(layout.shape, input.text);
  if (elements * static_cast<std::int64_t>(base::element_bytes(layout.type)) > kMaxSmallBytes) {
    return {};
  }
  const std::scoped_lock busy(context.busy);
  base::StopToken nobody;
  base::Events quiet;
  const base::Run run{nobody, quiet};
  const base::RunScope scope(run);
  const auto source = store::open_memory(input, kPieceBytes);
  SmallResult result{.spec = statistics::spec_of(layout.type, job)};
  if (elements == 0) return result;
  add(*source, *device::open_reducer(cores_of(context), result.spec), result.sums);
  return result;
}

}  // namespace tessera::api
