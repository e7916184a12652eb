// Work on an item of a pool, under its lease.
#pragma once

#include <functional>
#include <string>

#include "pool/pool_folder.hpp"
#include "run/context.hpp"

namespace tessera::pool {

/// Collective. Calls work() while the item is held, and ends the item. The work gets a context that
/// is asked to stop if the lease is lost, or this run is asked to. Returns false, on all ranks, if
/// the lease was lost.
bool work_on_item(run::Context& context, const OpenPool& pool, const std::string& item,
                  int generation, const std::function<void(run::Context&)>& work);

}  // namespace tessera::pool
