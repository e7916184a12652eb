// The two kinds of records that runs have: groups with their partial results, and elements with the
// keys of their groups. On disk, their integers have as few bytes as a block of them needs.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/order/sort_members.hpp"

namespace tessera::reduce {

/// A group has one record in a run.
class GroupRecords {
 public:
  using Records = statistics::GroupPartials;
  explicit GroupRecords(const statistics::ReductionSpec& spec) : spec_(spec) {}

  static std::size_t count(const Records& records) { return records.size(); }
  static statistics::GroupKey key(const Records& records, std::size_t i) { return records.keys[i]; }
  static Records part(const Records& records, std::size_t first, std::size_t end) {
    return records.part(first, end);
  }
  /// Sorted; records of a group become one.
  Records merged(std::span<const Records> parts) const;
  static base::Bytes encode(const Records& records);
  static Records decode(std::span<const std::byte> bytes);
  /// In memory.
  std::size_t bytes(const Records& records) const {
    return records.size() * statistics::GroupPartials::bytes_each(spec_) +
           records.accumulator_bytes();
  }

 private:
  statistics::ReductionSpec spec_;
};

/// A group has as many records as elements.
class MemberRecords {
 public:
  using Records = std::vector<statistics::GroupMember>;

  static std::size_t count(const Records& records) { return records.size(); }
  static statistics::GroupKey key(const Records& records, std::size_t i) {
    return records[i].group;
  }
  static Records part(const Records& records, std::size_t first, std::size_t end);
  /// Sorted by group.
  static Records merged(std::span<const Records> parts);
  static base::Bytes encode(const Records& records);
  static Records decode(std::span<const std::byte> bytes);
  static std::size_t bytes(const Records& records) {
    return records.size() * sizeof(statistics::GroupMember);
  }
};

}  // namespace tessera::reduce
