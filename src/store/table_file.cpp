#include "store/table_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/quoted.hpp"
#include "store/arrays/array_writer.hpp"
#include "store/arrays/npy_header.hpp"

namespace tessera::store {

namespace {

/// An array for each column.
class ArraysTable : public TableWriter {
 public:
  ArraysTable(const std::string& path, const std::vector<TableColumn>& columns, std::int64_t rows,
              const Attributes& attributes, const base::IsOurs& is_ours)
      : writer_(path, arrays_of(columns, rows), attributes, is_ours) {}

  void write(const TableRows& rows) override {
    for (std::size_t c = 0; c < rows.columns.size(); ++c) {
      writer_.write(c, {{at_}, {rows.count}}, plan::StorageOrder::last_dimension_fastest,
                    rows.columns[c]);
    }
    at_ += rows.count;
  }
  void settle() override { writer_.complete(); }
  void finish(base::Replace replace) override { writer_.finish(replace); }

 private:
  static std::vector<WrittenArray> arrays_of(const std::vector<TableColumn>& columns,
                                             std::int64_t rows) {
    std::vector<WrittenArray> arrays;
    for (const TableColumn& column : columns) {
      arrays.push_back({.name = column.name,
                        .type = column.type,
                        .is_boolean = column.is_boolean,
                        .shape = {rows}});
    }
    return arrays;
  }

  ArrayWriter writer_;
  std::int64_t at_ = 0;
};

/// A file that is written from its beginning to its end.
class SequentialTable : public TableWriter {
 public:
  SequentialTable(const std::string& path, const std::vector<TableColumn>& columns,
                  const base::IsOurs& is_ours)
      : columns_(columns), unfinished_(path, is_ours), file_(unfinished_.part()) {}

  void settle() override {
    put(end_);
    file_.sync();
  }
  void finish(base::Replace replace) override { unfinished_.publish(replace); }

 protected:
  void put(std::string_view text) { file_.write(std::as_bytes(std::span(text))); }
  const std::vector<TableColumn>& columns() const { return columns_; }

  std::string_view end_;  ///< behind the last row

 private:
  std::vector<TableColumn> columns_;
  base::UnfinishedFile unfinished_;
  base::PosixFile file_;
};

class NpyTable : public SequentialTable {
 public:
  NpyTable(const std::string& path, const std::vector<TableColumn>& columns, std::int64_t rows,
           const base::IsOurs& is_ours)
      : SequentialTable(path, columns, is_ours) {
    put(npy_table_head(columns, rows));
  }

  void write(const TableRows& rows) override {
    std::size_t record_bytes = 0;
    for (const TableColumn& column : columns()) record_bytes += base::element_bytes(column.type);
    std::string records(static_cast<std::size_t>(rows.count) * record_bytes, '\0');
    char* first = records.data();
    for (std::size_t c = 0; c < columns().size(); ++c) {
      base::with_element_type(columns()[c].type, [&]<class T>(T) {
        const std::byte* from = rows.columns[c].data();
        for (char* to = first; from < rows.columns[c].data() + rows.columns[c].size();) {
          std::memcpy(to, from, sizeof(T));
          to += record_bytes;
          from += sizeof(T);
        }
        first += sizeof(T);
      });
    }
    put(records);
  }

 private:
  static std::string npy_table_head(const std::vector<TableColumn>& columns, std::int64_t rows) {
    std::string fields;
    for (const TableColumn& column : columns) {
      fields += fmt::format("({}, '{}'), ", base::python_quoted(column.name),
                            npy_type(column.type, column.is_boolean));
    }
    return npy_head(fmt::format("[{}]", fields), fmt::format("{},", rows));
  }
};

class CsvTable : public SequentialTable {
 public:
  CsvTable(const std::string& path, const std::vector<TableColumn>& columns,
           const base::IsOurs& is_ours)
      : SequentialTable(path, columns, is_ours) {
    std::string head;
    for (const TableColumn& column : columns) {
      if (!head.empty()) head += ',';
      head += base::csv_field(column.name);
    }
    put(head + "\n");
  }

  void write(const TableRows& rows) override {
    std::string text;
    for (std::int64_t row = 0; row < rows.count; ++row) {
      for (std::size_t c = 0; c < columns().size(); ++c) {
        if (c > 0) text += ',';
        text += format_cell(columns()[c], rows, c, row);
      }
      text += '\n';
    }
    put(text);
  }
};

/// JSON lacks NaN and infinities. Readers take -0 for an integer, which has no sign.
std::string json_number(const std::string& cell) {
  if (cell == "-0") return "-0.0";
  const bool is_number = cell.find("nan") == cell.npos && cell.find("inf") == cell.npos;
  return is_number ? cell : "null";
}

/// A list of objects, one on a line.
class JsonTable : public SequentialTable {
 public:
  JsonTable(const std::string& path, const std::vector<TableColumn>& columns,
            const base::IsOurs& is_ours)
      : SequentialTable(path, columns, is_ours) {
    end_ = "\n]\n";
    put("[");
    for (const TableColumn& column : columns) names_.push_back(base::json_quoted(column.name));
  }

  void write(const TableRows& rows) override {
    std::string text;
    for (std::int64_t row = 0; row < rows.count; ++row) {
      text += std::exchange(separator_, ",\n");
      for (std::size_t c = 0; c < columns().size(); ++c) {
        const std::string cell = format_cell(columns()[c], rows, c, row);
        text += fmt::format("{}{}: {}", c == 0 ? "{" : ", ", names_[c], json_number(cell));
      }
      text += '}';
    }
    put(text);
  }

 private:
  std::vector<std::string> names_;  ///< within quotes
  const char* separator_ = "\n";
};

using Create = std::unique_ptr<TableWriter> (*)(const std::string&, const std::vector<TableColumn>&,
                                                std::int64_t, const Attributes&,
                                                const base::IsOurs&);

struct TableFormat {
  std::string_view suffix;
  Create create;
  bool is_text = false;
};

template <class Table>
std::unique_ptr<TableWriter> create_text(const std::string& path,
                                         const std::vector<TableColumn>& columns, std::int64_t,
                                         const Attributes&, const base::IsOurs& is_ours) {
  return std::make_unique<Table>(path, columns, is_ours);
}

std::unique_ptr<TableWriter> create_npy_table(const std::string& path,
                                              const std::vector<TableColumn>& columns,
                                              std::int64_t rows, const Attributes&,
                                              const base::IsOurs& is_ours) {
  return std::make_unique<NpyTable>(path, columns, rows, is_ours);
}

std::unique_ptr<TableWriter> create_arrays_table(const std::string& path,
                                                 const std::vector<TableColumn>& columns,
                                                 std::int64_t rows, const Attributes& attributes,
                                                 const base::IsOurs& is_ours) {
  return std::make_unique<ArraysTable>(path, columns, rows, attributes, is_ours);
}

constexpr std::array kTableFormats = std::to_array<TableFormat>({
    {".h5", &create_arrays_table},
    {".hdf5", &create_arrays_table},
    {".zarr", &create_arrays_table},
    {".npy", &create_npy_table},
    {".csv", &create_text<CsvTable>, true},
    {".json", &create_text<JsonTable>, true},
});

const TableFormat& table_format_of(const std::string& path) {
  const auto* const format = std::ranges::find_if(
      kTableFormats, [&](const TableFormat& one) { return path.ends_with(one.suffix); });
  if (format == kTableFormats.end()) throw base::usage_error("{}: no format of tables", path);
  return *format;
}

}  // namespace

std::string format_cell(const TableColumn& column, const TableRows& rows, std::size_t column_number,
                        std::int64_t row) {
  const std::byte* const at = rows.columns[column_number].data() +
                              static_cast<std::size_t>(row) * base::element_bytes(column.type);
  if (column.in_words) return *at != std::byte{} ? "true" : "false";
  return base::with_element_type(column.type, [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    // An f4 has the digits of the f64 with its value, which readers take it for.
    if constexpr (std::is_same_v<decltype(value), float>) {
      return fmt::format("{}", static_cast<double>(value));
    } else {
      return fmt::format("{}", value);
    }
  });
}

double min_table_bytes(const std::string& path, const std::vector<TableColumn>& columns,
                       std::int64_t rows) {
  const auto count = static_cast<double>(rows);
  double row_bytes = 0;
  for (const TableColumn& column : columns)
    row_bytes += static_cast<double>(base::element_bytes(column.type));
  if (table_format_of(path).is_text) {
    // A character and what separates it; nine of ten keys have as many digits as the last.
    row_bytes = 2 * static_cast<double>(columns.size()) + 0.9 * std::floor(std::log10(count + 1));
  }
  return count * row_bytes;
}

std::unique_ptr<TableWriter> create_table(const std::string& path,
                                          const std::vector<TableColumn>& columns,
                                          std::int64_t rows, const Attributes& attributes,
                                          const base::IsOurs& is_ours) {
  return table_format_of(path).create(path, columns, rows, attributes, is_ours);
}

}  // namespace tessera::store
