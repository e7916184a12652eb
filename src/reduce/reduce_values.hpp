// Reductions of whole arrays: each operation gives one number, or a list of them.
#pragma once

#include "reduce/session.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

/// As reduce() of reduce/reduce.hpp.
report::ReduceReport reduce_values(Session& session);

}  // namespace tessera::reduce
