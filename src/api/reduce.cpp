#include "tessera/reduce.hpp"

#include <algorithm>

#include "api/call.hpp"
#include "api/reduction.hpp"
#include "api/small_array.hpp"
#include "api/source_state.hpp"
#include "base/error.hpp"
#include "reduce/reduce.hpp"

namespace tessera::inline v0 {

const Result& Results::operator[](std::string_view name) const {
  const auto found = std::ranges::find(operations, name, &Result::name);
  if (found == operations.end()) throw Error(Code::usage, "no result of " + std::string(name));
  return *found;
}

Results reduce(Context& context, const Source& array, const Reduction& reduction, const Run& run) {
  const job::ReduceJob job =
      api::translate([&] { return api::make_job(context.settings(), array, reduction); });
  const auto small = api::translate([&] { return api::reduce_here(context.state(), array, job); });
  if (small) return api::translate([&] { return api::results_of(job, small->spec, small->sums); });
  if (array.state().memory) throw Error(Code::usage, "large arrays in memory are to come");
  Results results;
  api::call(context, run, [&](run::Context& inside) {
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    const report::ReduceReport done = reduce::reduce(inside, job, checkpoints);
    if (!inside.world.is_root()) return;
    checkpoints->remove();
    results = api::results_of(done);
  });
  return results;
}

}  // namespace tessera::inline v0
