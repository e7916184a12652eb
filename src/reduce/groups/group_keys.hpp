// The keys of --by: arrays whose elements say to which group an element of INPUT belongs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "job/arrays/reduce_job.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/histogram.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Keys from `first` to `last`, as integers in their order.
struct KeyRange {
  statistics::GroupKey first = 0;
  statistics::GroupKey last = statistics::kLastKey;
};

/// One of the arrays of keys.
struct KeyColumn {
  std::string name;  ///< of its column in the table
  std::unique_ptr<store::ArraySource> source;
  base::ElementType type = base::ElementType::i64;  ///< of keys in the table
  bool is_boolean = false;                          ///< they are bools
  std::optional<statistics::HistogramBins> bins;
  KeyRange range;
  bool is_known = false;          ///< the range
  statistics::GroupKey step = 1;  ///< of the key of a group, for a step of this key
};

/// Elements that belong to no group.
struct LeftOut {
  std::int64_t nans = 0;     ///< their key is NaN
  std::int64_t outside = 0;  ///< their key is in no bin
  statistics::MissingCounts missing;
  std::int64_t missing_keys = 0;  ///< of elements that are not missing

  LeftOut& operator+=(const LeftOut& other) {
    nans += other.nans;
    outside += other.outside;
    missing += other.missing;
    missing_keys += other.missing_keys;
    return *this;
  }
};

class GroupKeys {
 public:
  /// Opens the keys, divided into the pieces of `x` if possible; `x`, which was opened in pieces of
  /// `piece_bytes`, may be divided again. Throws a usage error if the shape of a key cannot be
  /// broadcast to that of `x`, for keys of floats without --bins, and for bad edges.
  GroupKeys(const job::ReduceJob& job, std::unique_ptr<store::ArraySource>& x,
            std::int64_t piece_bytes);

  const std::vector<KeyColumn>& columns() const { return columns_; }
  std::vector<const store::ArraySource*> sources() const;
  /// Whether the ranges of several keys have to be found before the groups can have keys.
  bool needs_ranges() const;
  void set_range(std::size_t column, const KeyRange& range);
  /// Gives groups of several keys one key, once all ranges are known. Throws a usage error if there
  /// are 2^64 of them or more.
  void join();

  /// The range of the groups' keys; the whole one if nothing is known.
  KeyRange range() const;
  bool is_range_known() const { return columns_.size() > 1 || columns_.front().is_known; }

  /// The keys of the groups of keys.size() elements from the one with the index `first` on, from
  /// the elements of each column. An element of no group has a key outside of range(). Returns the
  /// index in `keys` of the first one that is not one of --groups.
  std::optional<std::size_t> encode(std::span<const std::span<const std::byte>> elements,
                                    std::size_t first, std::span<statistics::GroupKey> keys,
                                    LeftOut& left_out) const;
  /// What a group's key has in this column: the key, or the number of the bin.
  statistics::GroupKey decode(statistics::GroupKey key, std::size_t column) const;

 private:
  void check(const KeyColumn& column, const std::string& bins) const;
  void encode_bins(std::span<const std::span<const std::byte>> elements, std::size_t first,
                   std::span<statistics::GroupKey> keys, LeftOut& left_out) const;

  std::vector<KeyColumn> columns_;
  bool all_named_ = false;  ///< --groups
};

/// The text of an integer.
std::string format_element(std::span<const std::byte> element, base::ElementType type);

}  // namespace tessera::reduce
