// The merge of sorted runs in a file (D. E. Knuth, The Art of Computer Programming 3, 5.4): what is
// in memory is a block of each run.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/file/record_marks.hpp"
#include "reduce/groups/run_records.hpp"
#include "reduce/run_file.hpp"

namespace tessera::reduce {

/// Appends sorted records to the file, in blocks of about `block_bytes` of memory. Records of a
/// group are in one block.
template <class Kind>
void append_blocks(RunFile& file, const Kind& kind, const typename Kind::Records& records,
                   std::size_t block_bytes, StoredRun& run) {
  const std::size_t count = Kind::count(records);
  const std::size_t blocks = kind.bytes(records) / block_bytes + 1;
  const std::size_t each = std::max<std::size_t>(1, count / blocks);
  for (std::size_t first = 0, end = 0; first < count; first = end) {
    end = std::min(count, first + each);
    const auto last = Kind::key(records, end - 1);
    while (end < count && Kind::key(records, end) == last) ++end;
    const typename Kind::Records block = Kind::part(records, first, end);
    file.write(last, Kind::encode(block));
    run.max_bytes = std::max<std::uint64_t>(run.max_bytes, kind.bytes(block));
  }
  run.end_byte = file.bytes();
}

/// Writes sorted records as a run.
template <class Kind>
StoredRun write_run(RunFile& file, const Kind& kind, const typename Kind::Records& records,
                    std::size_t block_bytes) {
  StoredRun run{.first_byte = file.bytes()};
  append_blocks(file, kind, records, block_bytes, run);
  return run;
}

template <class Kind>
class RunMerge {
 public:
  using Records = typename Kind::Records;

  /// All records with keys from `first` on. The file may grow meanwhile.
  RunMerge(Kind kind, const std::string& path, std::span<const StoredRun> runs,
           statistics::GroupKey first)
      : kind_(std::move(kind)), file_(path, base::kGroupsMark), first_(first) {
    for (const StoredRun& run : runs) {
      readers_.push_back({RunReader(file_, run), {}});
      max_bytes_ = std::max<std::size_t>(max_bytes_, run.max_bytes);
    }
    for (Reader& reader : readers_) load(reader);
    drop_ended();
  }

  /// Some more records, merged and sorted, with keys up to `last`: all that groups have. Nothing if
  /// there are no others.
  std::optional<Records> next(statistics::GroupKey last) {
    std::vector<Records> parts;
    statistics::GroupKey bound = last;
    // Whole blocks, in the order of their last keys, until all are about half a block each.
    const std::size_t requested = std::max<std::size_t>(1, readers_.size() / 2) * max_bytes_;
    for (std::size_t taken = 0; !readers_.empty();) {
      Reader& least = *std::ranges::min_element(readers_, {}, &Reader::last);
      if (least.last() > last) break;
      bound = least.last();
      taken += kind_.bytes(least.records);
      take(least, least.count, parts);
      load(least);
      drop_ended();
      if (taken >= requested) break;
      bound = last;
    }
    for (Reader& reader : readers_) {
      const std::size_t end = first_above(bound, reader);
      if (end == reader.at) continue;
      take(reader, end, parts);
      if (end == reader.count) load(reader);
    }
    drop_ended();
    if (parts.empty()) return std::nullopt;
    return kind_.merged(parts);
  }

  /// Whether all records were taken.
  bool done() const { return readers_.empty(); }

 private:
  struct Reader {
    RunReader blocks;
    Records records;  ///< records of a block
    std::size_t count = 0;
    std::size_t at = 0;  ///< those before were taken

    statistics::GroupKey last() const { return Kind::key(records, count - 1); }
  };

  void load(Reader& reader) {
    const auto block = reader.blocks.next(first_);
    reader.records = block ? Kind::decode(*block) : Records();
    reader.count = Kind::count(reader.records);
    reader.at = 0;
    if (first_ > 0) reader.at = first_above(first_ - 1, reader);
  }

  void drop_ended() {
    std::erase_if(readers_, [](const Reader& reader) { return reader.at == reader.count; });
  }

  /// The first record that was not taken and has a larger key.
  static std::size_t first_above(statistics::GroupKey key, const Reader& reader) {
    std::size_t first = reader.at;
    for (std::size_t left = reader.count - first; left > 0;) {
      const std::size_t half = left / 2;
      const bool is_above = Kind::key(reader.records, first + half) > key;
      first += is_above ? 0 : half + 1;
      left = is_above ? half : left - half - 1;
    }
    return first;
  }

  static void take(Reader& reader, std::size_t end, std::vector<Records>& parts) {
    if (reader.at == 0 && end == reader.count) {
      parts.push_back(std::move(reader.records));
    } else {
      parts.push_back(Kind::part(reader.records, reader.at, end));
    }
    reader.at = end;
  }

  Kind kind_;
  RunFileView file_;
  statistics::GroupKey first_;
  std::size_t max_bytes_ = 1;
  std::vector<Reader> readers_;
};

/// Merges runs until they are so few that a merge takes about `bytes` of memory. Calls `poll` now
/// and then, which may throw.
template <class Kind>
std::vector<StoredRun> merge_runs(RunFile& file, const Kind& kind, std::vector<StoredRun> runs,
                                  std::size_t block_bytes, std::uint64_t bytes,
                                  const std::function<void()>& poll) {
  // Blocks that are read, the parts of them that are merged, and the result.
  // crossed by: MergesRunsUntilTheyAreFew
  constexpr std::uint64_t kCopies = 3;
  while (true) {
    std::uint64_t largest = 1;
    for (const StoredRun& run : runs) largest = std::max(largest, run.max_bytes);
    const std::size_t most = std::max<std::size_t>(2, bytes / (kCopies * largest));
    if (runs.size() <= most) return runs;
    const std::size_t some = std::min(most, runs.size() - most + 1);
    RunMerge<Kind> merge(kind, file.path(), std::span(runs).first(some), 0);
    StoredRun merged{.first_byte = file.bytes()};
    while (const auto records = merge.next(statistics::kLastKey)) {
      poll();
      append_blocks(file, kind, *records, block_bytes, merged);
    }
    runs.erase(runs.begin(), runs.begin() + static_cast<std::ptrdiff_t>(some));
    runs.push_back(merged);
  }
}

}  // namespace tessera::reduce
