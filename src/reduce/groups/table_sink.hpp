// Where a program receives the table of groups, instead of a file.
#pragma once

#include <span>

#include "store/table_file.hpp"

namespace tessera::reduce {

/// Members are called on the gather rank, by one thread.
class TableSink {
 public:
  virtual ~TableSink() = default;
  /// Called once, before any row.
  virtual void begin(std::span<const store::TableColumn> columns) = 0;
  /// The next rows, in the order of their keys.
  virtual void write(const store::TableRows& rows) = 0;
  /// Called after the last row. Not called if the run fails.
  virtual void finish() {}
};

}  // namespace tessera::reduce
