// One result by any number of independent runs that share a folder: `tessera render --pool` and
// `tessera reduce --pool`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "job/image/render_job.hpp"
#include "pool/lease.hpp"
#include "reduce/checkpointing.hpp"
#include "report/reduce_report.hpp"
#include "run/context.hpp"

namespace tessera::pool {

/// Collective. Renders shares of the image, or images of the zoom, that no other run holds, in
/// files of the folder job.pool. The run that finds all shares of an image done joins them into
/// job.output and makes job.png; the others wait until all is made. Throws as render::render()
/// does; a usage error if the folder is of another image.
void render(run::Context& context, const job::RenderJob& job);

/// Collective. Reduces shares of the array that no other run holds, and returns the report with the
/// answers when all are done, on the gather rank. Throws and sets `checkpoints` as reduce::reduce()
/// does; a usage error if the folder is of another reduction, or if an input has changed.
report::ReduceReport reduce(run::Context& context, const job::ReduceJob& job,
                            std::optional<reduce::ReduceCheckpoints>& checkpoints);

/// A share of a pool, for people.
struct ShareState {
  int number = 0;
  ItemState state;
};

struct PoolState {
  std::string kind;    ///< "image", "zoom" or "reduction"
  std::string title;   ///< what it is of, or ""
  std::string output;  ///< "" = numbers
  std::vector<ShareState> shares;
  ItemState join;
};

/// Whether the folder is a pool.
bool is_pool(const std::string& folder);
/// Throws a usage error if it is none.
PoolState look_at(const std::string& folder);

}  // namespace tessera::pool
