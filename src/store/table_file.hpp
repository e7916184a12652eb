// Writes a table of numbers, some rows at a time: FILE.h5 with a dataset for each column, FILE.npy
// as a structured array, FILE.csv or FILE.json. It is FILE.part until it is complete.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/element.hpp"
#include "base/file/unfinished_file.hpp"
#include "store/image/image_file.hpp"

namespace tessera::store {

struct TableColumn {
  std::string name;
  base::ElementType type = base::ElementType::f64;
  bool is_boolean = false;  ///< bools, 0 or 1 in a byte; `type` is u8
  bool in_words = false;    ///< in texts "false" or "true", not 0 or 1
};

/// Some rows, column by column.
struct TableRows {
  std::int64_t count = 0;
  std::vector<base::Bytes> columns;
};

/// A number of a column as text that reads back to it: "-3", "0.1", "nan", "true".
std::string format_cell(const TableColumn& column, const TableRows& rows, std::size_t column_number,
                        std::int64_t row);

/// Members throw base::Error (failed) naming the file. Without finish(), the .part file is removed.
class TableWriter {
 public:
  virtual ~TableWriter() = default;
  virtual void write(const TableRows& rows) = 0;
  /// Completes the .part file and syncs it; no rows follow.
  virtual void settle() = 0;
  /// Only after settle(). Renames the file to `path`.
  virtual void finish(base::Replace replace) = 0;
};

/// Creates `path`.part for a table of `rows` rows. Throws a usage error if another run writes it,
/// or if a file is there that is not `is_ours`.
std::unique_ptr<TableWriter> create_table(const std::string& path,
                                          const std::vector<TableColumn>& columns,
                                          std::int64_t rows, const Attributes& attributes,
                                          const base::IsOurs& is_ours);

/// Bytes that a table of so many rows takes at least, in the format of `path`. The first column has
/// the numbers from 0 on.
double min_table_bytes(const std::string& path, const std::vector<TableColumn>& columns,
                       std::int64_t rows);

}  // namespace tessera::store
