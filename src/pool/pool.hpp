// One image by any number of independent runs that share a folder: `tessera render --pool`.
#pragma once

#include <string>
#include <vector>

#include "job/image/render_job.hpp"
#include "pool/lease.hpp"
#include "run/context.hpp"

namespace tessera::pool {

/// Collective. Renders shares of the image that no other run holds, in files of the folder
/// job.pool. The run that finds all of them done joins them into job.output and makes job.png; the
/// others wait until it has. Throws as render::render() does; a usage error if the folder is of
/// another image.
void render(run::Context& context, const job::RenderJob& job);

/// A share of a pool, for people.
struct ShareState {
  int number = 0;
  ItemState state;
};

struct PoolState {
  std::string output;
  std::vector<ShareState> shares;
  ItemState join;
};

/// Whether the folder is a pool.
bool is_pool(const std::string& folder);
/// Throws a usage error if it is none.
PoolState look_at(const std::string& folder);

}  // namespace tessera::pool
