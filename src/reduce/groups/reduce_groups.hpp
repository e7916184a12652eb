// Reductions by groups: each operation gives a column of a table.
#pragma once

#include "reduce/groups/table_sink.hpp"
#include "reduce/session.hpp"
#include "report/reduce_report.hpp"

namespace tessera::reduce {

/// As reduce() of reduce/reduce.hpp; `sink` may be null.
report::ReduceReport reduce_groups(Session& session, const job::ReduceJob& job, TableSink* sink);

}  // namespace tessera::reduce
