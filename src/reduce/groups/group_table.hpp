// The table of groups, on the gather rank: a row for each group, sorted by key.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "base/bytes.hpp"
#include "base/file/posix_file.hpp"
#include "base/thread_team.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/groups/table_sink.hpp"
#include "reduce/run_file.hpp"
#include "report/reduce_report.hpp"
#include "statistics/operations.hpp"
#include "statistics/output_values.hpp"
#include "store/table_file.hpp"

namespace tessera::reduce {

/// Columns of a key: itself, or the two edges of its bin. Columns of an operation: its value, two
/// for minmax, or one for each value of a list.
std::vector<store::TableColumn> table_columns(const GroupTask& task);
/// The part of a report about a table of `rows` rows, but for the rows.
report::ReducedGroups describe_table(const std::vector<store::TableColumn>& columns,
                                     std::int64_t rows, const std::string& file);

/// Collects the groups, some at a time. Their rows wait in a file beside the output until their
/// number is known.
class GroupTable {
 public:
  /// The progress so far; a checkpoint stores it.
  struct Progress {
    std::int64_t rows = 0;
    RunFilePlace waiting;  ///< the end of the rows in the file
    statistics::SpecialCounts specials;
    std::vector<std::vector<std::string>> shown;  ///< the first rows

    static auto members(auto& self) {
      return std::tie(self.rows, self.waiting, self.specials, self.shown);
    }
  };

  /// `threads` compute the rows. Those that wait are in `waiting`, which must outlive the table.
  /// `is_ours`: what may be replaced under the name of the unfinished file. The rows go to `sink`,
  /// if it is not null, instead of a file.
  GroupTable(const GroupTask& task, store::Attributes attributes, int threads, RunFile& waiting,
             base::IsOurs is_ours, TableSink* sink);
  ~GroupTable();
  GroupTable(const GroupTable&) = delete;
  GroupTable& operator=(const GroupTable&) = delete;

  /// Resumes with the rows of earlier passes. The file has gone on before.
  void resume(const Progress& progress) { progress_ = progress; }
  /// The name of the file with the waiting rows.
  static std::string waiting_path(const std::string& output);
  /// Adds all groups with keys in `range`; `is_last`: no other groups follow. `found`: in them, for
  /// order statistics. Calls `poll` now and then, which may throw. Throws base::Error (failed) that
  /// names the group if an integer does not fit its type.
  void add(const statistics::GroupPartials& all, const KeyRange& range, bool is_last,
           const statistics::FoundInGroups& found, const std::function<void()>& poll);
  /// Completes the file beside the output and syncs it.
  void settle();
  /// Only after settle(). Renames the file to the output.
  void finish(base::Replace replace);
  /// Keeps the waiting rows for a later run.
  void keep();

  const Progress& progress() const { return progress_; }
  /// The rows of progress() are on the disk then.
  void sync() const { waiting_.sync(); }
  report::ReducedGroups report() const;

 private:
  store::TableRows rows_of(const statistics::GroupPartials& all, statistics::GroupSpan groups,
                           const statistics::FoundInGroups& found);
  /// The answers of these groups by all threads. Returns the first one that does not fit.
  std::optional<statistics::Overflow> write_answers(const statistics::AnswerType& result,
                                                    std::size_t which,
                                                    const statistics::GroupPartials& all,
                                                    statistics::GroupSpan groups,
                                                    std::span<std::byte> to);
  /// The same of order statistics; they fit.
  void write_order_answers(const statistics::GroupPartials& all, statistics::GroupSpan groups,
                           const statistics::FoundInGroups& found, std::span<base::Bytes> columns);
  /// Calls work(number of a thread, its share of the groups) on all threads.
  void each_share(statistics::GroupSpan groups,
                  const std::function<void(std::size_t member, statistics::GroupSpan share)>& work);
  /// The keys of a group, as its row has them.
  std::string group_name(const store::TableRows& rows, std::int64_t row) const;
  void put(const store::TableRows& rows);
  void open(std::int64_t rows);
  void write_waiting();

  /// Adds rows for the groups of all keys in `range`, of which `all` has those with elements.
  void fill(const statistics::GroupPartials& all, const KeyRange& range,
            const statistics::FoundInGroups& found, const std::function<void()>& poll);
  /// Whether rows are only counted from now on: nobody will see them.
  bool only_counts() const;

  const GroupTask& task_;
  base::IsOurs is_ours_;
  base::ThreadTeam team_;
  store::Attributes attributes_;
  std::vector<store::TableColumn> columns_;
  std::vector<statistics::AnswerType> results_;
  Progress progress_;
  RunFile& waiting_;
  std::unique_ptr<store::TableWriter> table_;  ///< null while the number of rows is unknown
  TableSink* sink_;
  bool stays_ = false;
};

}  // namespace tessera::reduce
