// Arrays and tables that calls make, for sinks of the caller.
#pragma once

#include <vector>

#include "api/names.hpp"
#include "reduce/axes/memory_sink.hpp"
#include "reduce/groups/table_sink.hpp"

namespace tessera::api {

ResultArray array_of(const store::WrittenArray& array);

/// Puts arrays where the caller says.
reduce::MemorySink memory_sink(const PlaceArray& place);

/// Gives arrays to a sink of the caller.
class CallersArrays : public reduce::ArraySink {
 public:
  explicit CallersArrays(v0::ArraySink& sink) : sink_(sink) {}

  void begin(std::span<const store::WrittenArray> arrays) override;
  void write(std::size_t array, const plan::Box& box, plan::StorageOrder order,
             std::span<const std::byte> elements) override;
  void finish() override { sink_.end(); }

 private:
  v0::ArraySink& sink_;
  std::vector<store::WrittenArray> arrays_;
};

/// Keeps the table of groups.
class KeptTable : public reduce::TableSink {
 public:
  void begin(std::span<const store::TableColumn> columns) override;
  void write(const store::TableRows& rows) override;
  std::vector<Column> take() { return std::move(columns_); }

 private:
  std::vector<Column> columns_;
};

}  // namespace tessera::api
