#include "reduce/groups/group_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "base/bools.hpp"
#include "base/element.hpp"
#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/text.hpp"
#include "reduce/input/column_names.hpp"

namespace tessera::reduce {
namespace {

using statistics::GroupKey;
using statistics::GroupPartials;

/// Rows that are converted at a time.
// crossed by: test_groups_known_in_advance, test_many_groups
constexpr std::size_t kRows = std::size_t{1} << 14;
/// Rows that reports contain.
constexpr std::size_t kShownRows = 1000;

statistics::AnswerType answer_type(const GroupTask& task, job::Operation operation) {
  return statistics::result_of(operation, task.group_spec.spec.type, *task.job,
                               task.source->info().is_boolean);
}

void add_operation(const statistics::AnswerType& result, const job::ReduceJob& job,
                   std::vector<store::TableColumn>& columns) {
  for (const std::string& name : result_columns(result.operation, job)) {
    columns.push_back({name, result.type, result.is_boolean, result.in_words});
  }
}

void add_key(const KeyColumn& key, std::vector<store::TableColumn>& columns) {
  const base::ElementType type = key.bins ? base::ElementType::f64 : key.type;
  for (const std::string& name : key_columns(key.name, key.bins.has_value())) {
    columns.push_back({name, type, !key.bins && key.is_boolean});
  }
}

/// The keys of groups as the column's type has them in memory.
base::Bytes keys_of(std::span<const GroupKey> groups, const GroupKeys& keys, std::size_t column) {
  const base::ElementType type = keys.columns()[column].type;
  const bool is_signed = keys.columns()[column].source->info().type <= base::ElementType::i64;
  base::Bytes bytes(groups.size() * base::element_bytes(type));
  base::with_element_type(type, [&]<class T>(T) {
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const GroupKey key = keys.decode(groups[g], column);
      const T value = is_signed ? static_cast<T>(statistics::signed_of(key)) : static_cast<T>(key);
      std::memcpy(bytes.data() + g * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

void append_real(double x, base::Bytes& to) {
  const auto bytes = std::as_bytes(std::span(&x, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

std::vector<std::string> texts_of(const std::vector<store::TableColumn>& columns,
                                  const store::TableRows& rows, std::int64_t row) {
  std::vector<std::string> texts;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    texts.push_back(store::format_cell(columns[c], rows, c, row));
  }
  return texts;
}

/// Groups with the keys from `first` to `last`, all without elements.
GroupPartials empty_groups(const statistics::ReductionSpec& spec, GroupKey first, GroupKey last) {
  GroupPartials groups;
  groups.grow(spec, static_cast<std::size_t>(last - first + 1));
  groups.keys.resize(groups.size());
  std::iota(groups.keys.begin(), groups.keys.end(), first);
  return groups;
}

}  // namespace

std::vector<store::TableColumn> table_columns(const GroupTask& task) {
  std::vector<store::TableColumn> columns;
  for (const KeyColumn& key : task.keys->columns()) add_key(key, columns);
  columns.push_back({"count", base::ElementType::i64});
  for (const job::Operation operation : task.job->operations) {
    add_operation(answer_type(task, operation), *task.job, columns);
  }
  return columns;
}

report::ReducedGroups describe_table(const std::vector<store::TableColumn>& columns,
                                     std::int64_t rows, const std::string& file) {
  report::ReducedGroups groups{.count = rows, .file = file};
  for (const store::TableColumn& column : columns) {
    groups.columns.push_back(column.name);
    groups.types.push_back(std::string(base::element_code(column.type, column.is_boolean)));
  }
  return groups;
}

GroupTable::GroupTable(const GroupTask& task, store::Attributes attributes, int threads,
                       RunFile& waiting, base::IsOurs is_ours, TableSink* sink)
    : task_(task),
      is_ours_(std::move(is_ours)),
      team_(threads),
      attributes_(std::move(attributes)),
      columns_(table_columns(task)),
      waiting_(waiting),
      sink_(sink) {
  if (sink_ != nullptr) sink_->begin(columns_);
  for (const job::Operation operation : task.job->operations) {
    results_.push_back(answer_type(task, operation));
  }
}

GroupTable::~GroupTable() {
  if (!stays_) waiting_.remove();
}

std::string GroupTable::waiting_path(const std::string& output) {
  return base::part_path(output) + ".rows";
}

void GroupTable::add(const GroupPartials& all, const KeyRange& range, bool is_last,
                     const statistics::FoundInGroups& found, const std::function<void()>& poll) {
  progress_.specials += all.specials();
  const bool fills = task_.job->groups > 0;
  if (is_last && progress_.waiting.bytes == 0) {
    open(fills ? static_cast<std::int64_t>(range.last - range.first) + 1
               : static_cast<std::int64_t>(all.size()));
  }
  if (fills && all.size() <= range.last - range.first) {
    fill(all, range, found, poll);
  } else {
    for (std::size_t g = 0; g < all.size(); g += kRows) {
      poll();
      put(rows_of(all, {g, std::min(all.size(), g + kRows)}, found));
    }
  }
}

bool GroupTable::only_counts() const {
  return sink_ == nullptr && task_.job->output.empty() && progress_.shown.size() == kShownRows;
}

void GroupTable::fill(const GroupPartials& all, const KeyRange& range,
                      const statistics::FoundInGroups& found, const std::function<void()>& poll) {
  std::size_t g = 0;
  for (GroupKey from = range.first; from <= range.last;) {
    poll();
    GroupKey last = from + std::min<GroupKey>(range.last - from, kRows - 1);
    if (only_counts() && (g == all.size() || all.keys[g] > last)) {
      // Groups without elements, of which there may be a trillion.
      last = g == all.size() ? range.last : all.keys[g] - 1;
      progress_.rows += static_cast<std::int64_t>(last - from) + 1;
    } else {
      const auto end =
          static_cast<std::size_t>(std::ranges::upper_bound(all.keys, last) - all.keys.begin());
      const GroupPartials some = statistics::merged(
          task_.group_spec.spec, all.part(g, end), empty_groups(task_.group_spec.spec, from, last));
      put(rows_of(some, {0, some.size()}, found));
      g = end;
    }
    if (last == range.last) return;
    from = last + 1;
  }
}

std::string GroupTable::group_name(const store::TableRows& rows, std::int64_t row) const {
  std::vector<std::string> keys;
  for (std::size_t c = 0; columns_[c].name != "count"; ++c) {
    keys.push_back(store::format_cell(columns_[c], rows, c, row));
  }
  return base::join(keys);
}

store::TableRows GroupTable::rows_of(const GroupPartials& all, statistics::GroupSpan groups,
                                     const statistics::FoundInGroups& found) {
  const std::size_t count = groups.end - groups.first;
  store::TableRows rows{.count = static_cast<std::int64_t>(count)};
  const auto keys = std::span(all.keys).subspan(groups.first, count);
  for (std::size_t k = 0; k < task_.keys->columns().size(); ++k) {
    const KeyColumn& key = task_.keys->columns()[k];
    if (!key.bins) {
      rows.columns.push_back(keys_of(keys, *task_.keys, k));
      continue;
    }
    base::Bytes first, second;
    for (const GroupKey group : keys) {
      const GroupKey own = task_.keys->decode(group, k);
      append_real(key.bins->edges()[own], first);
      append_real(key.bins->edges()[own + 1], second);
    }
    rows.columns.push_back(std::move(first));
    rows.columns.push_back(std::move(second));
  }
  const auto counts = std::as_bytes(std::span(all.elements).subspan(groups.first, count));
  rows.columns.emplace_back(counts.begin(), counts.end());
  const std::size_t first = rows.columns.size();
  for (const statistics::AnswerType& result : results_) {
    for (std::int64_t which = 0; which < result.values_each; ++which) {
      base::Bytes& column = rows.columns.emplace_back();
      column.resize(count * base::element_bytes(result.type));
      if (statistics::is_order_statistic(result.operation)) continue;
      const auto overflow =
          write_answers(result, static_cast<std::size_t>(which), all, groups, column);
      if (!overflow) continue;
      throw base::run_error(
          "--op {}: {} of the group {} does not fit into {}", job::operation_name(result.operation),
          overflow->value,
          group_name(rows, overflow->output - static_cast<std::int64_t>(groups.first)),
          base::element_code(result.type));
    }
  }
  if (statistics::OrderPasses::requested(*task_.job)) {
    write_order_answers(all, groups, found, std::span(rows.columns).subspan(first));
  }
  return rows;
}

void GroupTable::write_order_answers(const GroupPartials& all, statistics::GroupSpan groups,
                                     const statistics::FoundInGroups& found,
                                     std::span<base::Bytes> columns) {
  const std::size_t count = groups.end - groups.first;
  if (count == 0) return;
  each_share(groups, [&](std::size_t, statistics::GroupSpan share) {
    std::vector<std::span<std::byte>> own;
    for (base::Bytes& column : columns) {
      own.push_back(
          std::span(column).subspan((share.first - groups.first) * column.size() / count));
    }
    statistics::write_order_answers(results_, *task_.job, task_.group_spec, all, share, found, own);
  });
}

void GroupTable::each_share(
    statistics::GroupSpan groups,
    const std::function<void(std::size_t member, statistics::GroupSpan share)>& work) {
  const auto members = static_cast<std::size_t>(team_.size());
  const std::size_t count = groups.end - groups.first;
  team_.run(team_.size(), [&](int member) {
    const auto m = static_cast<std::size_t>(member);
    work(m, {groups.first + count * m / members, groups.first + count * (m + 1) / members});
  });
}

std::optional<statistics::Overflow> GroupTable::write_answers(const statistics::AnswerType& result,
                                                              std::size_t which,
                                                              const GroupPartials& all,
                                                              statistics::GroupSpan groups,
                                                              std::span<std::byte> to) {
  const std::size_t bytes = base::element_bytes(result.type);
  std::vector<std::optional<statistics::Overflow>> overflows(
      static_cast<std::size_t>(team_.size()));
  each_share(groups, [&](std::size_t member, statistics::GroupSpan share) {
    overflows[member] = statistics::write_group_answers(
        result, which, task_.group_spec, all, share, task_.job->ddof,
        to.subspan((share.first - groups.first) * bytes));
  });
  const auto first =
      std::ranges::find_if(overflows, [](const auto& one) { return one.has_value(); });
  return first == overflows.end() ? std::nullopt : *first;
}

void GroupTable::put(const store::TableRows& rows) {
  for (std::int64_t row = 0; row < rows.count && progress_.shown.size() < kShownRows; ++row) {
    progress_.shown.push_back(texts_of(columns_, rows, row));
  }
  progress_.rows += rows.count;
  if (sink_ != nullptr) return sink_->write(rows);
  if (task_.job->output.empty()) return;
  base::pause_if_ordered("groups.rows");
  if (table_) return table_->write(rows);
  waiting_.write(0, base::to_bytes(rows.count, rows.columns));
  progress_.waiting = waiting_.place();
}

void GroupTable::open(std::int64_t rows) {
  const std::string& path = task_.job->output;
  if (!path.empty()) table_ = store::create_table(path, columns_, rows, attributes_, is_ours_);
}

void GroupTable::write_waiting() {
  const RunFileView file(waiting_.path(), base::kRowsMark);
  RunReader blocks(file, waiting_.all());
  while (const auto block = blocks.next(0)) {
    base::ByteReader in(*block);
    store::TableRows rows;
    in.read(rows.count);
    in.read(rows.columns);
    table_->write(rows);
  }
}

void GroupTable::settle() {
  if (progress_.waiting.bytes > 0) {
    open(progress_.rows);
    write_waiting();
  }
  if (table_) table_->settle();
}

void GroupTable::finish(base::Replace replace) {
  if (table_) table_->finish(replace);
  if (sink_ != nullptr) sink_->finish();
}

void GroupTable::keep() {
  stays_ = true;
}

report::ReducedGroups GroupTable::report() const {
  report::ReducedGroups groups = describe_table(columns_, progress_.rows, task_.job->output);
  groups.rows = progress_.shown;
  return groups;
}

}  // namespace tessera::reduce
