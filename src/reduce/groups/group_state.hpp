// How far a reduction of groups is, on the gather rank; a checkpoint stores it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "reduce/groups/group_items.hpp"
#include "reduce/groups/group_keys.hpp"
#include "reduce/groups/group_passes.hpp"
#include "reduce/groups/group_work.hpp"
#include "reduce/run_file.hpp"
#include "statistics/group_partials.hpp"
#include "statistics/order/group_order.hpp"

namespace tessera::reduce {

/// Whether what the first pass has no room for is read again, for some of the keys at a time.
struct PassChoice {
  bool is_made = false;
  PassPlan plan;                ///< from this pass on
  std::size_t largest_run = 0;  ///< groups of the stored run that `plan` is made from
  double read_s = 0;            ///< to read an element, in processor time; 0 = not measured

  static auto members(auto& self) {
    return std::tie(self.is_made, self.plan, self.largest_run, self.read_s);
  }
};

/// Passes that add elements to their groups.
struct Counting {
  KeyRange requested;            ///< keys of this pass
  std::vector<PieceRange> left;  ///< by the items, to another pass for these keys
  std::vector<PieceRange> rest;  ///< of the array, for the passes of the plan
  PassChoice choice;
  std::int64_t bad_place = GroupResult::kNoPlace;

  static auto members(auto& self) {
    return std::tie(self.requested, self.left, self.rest, self.choice, self.bad_place);
  }
};

/// Passes for order statistics, after all groups were counted.
struct Searching {
  statistics::GroupOrder order;
  std::vector<StoredRun> stored_members;

  static auto members(auto& self) { return std::tie(self.order, self.stored_members); }
};

/// No pass is left, only rows.
struct Writing {};

struct GroupState {
  std::variant<Counting, Searching, Writing> phase;
  GroupItems items;                             ///< of this pass
  std::int64_t earlier_items = 0;               ///< of the passes before this one
  std::vector<KeyRange> ranges;                 ///< of the columns of keys
  LeftOut left_out;                             ///< elements of no group
  std::vector<statistics::GroupPartials> runs;  ///< each sorted, larger ones first
  std::vector<StoredRun> stored_groups;
  RunFilePlace stored;             ///< the end of all that is stored in its file
  statistics::GroupKey first = 0;  ///< groups with smaller keys are in the table
  base::Bytes table;               ///< its progress, see GroupTable

  const Counting* counting() const { return std::get_if<Counting>(&phase); }
  Counting* counting() { return std::get_if<Counting>(&phase); }
  Searching* searching() { return std::get_if<Searching>(&phase); }
  const Searching* searching() const { return std::get_if<Searching>(&phase); }

  /// All but `phase`.
  static auto others(auto& self) {
    return std::tie(self.items, self.earlier_items, self.ranges, self.left_out, self.runs,
                    self.stored_groups, self.stored, self.first, self.table);
  }

  void write(base::ByteWriter& to) const {
    to.put(phase.index());
    std::visit([&](const auto& now) { to.put(now); }, phase);
    std::apply([&](const auto&... values) { to.put(values...); }, others(*this));
  }
  void read(base::ByteReader& from) {
    const auto index = from.get<std::size_t>();
    if (index == 0) phase.emplace<Counting>();
    if (index == 1) phase.emplace<Searching>();
    if (index == 2) phase.emplace<Writing>();
    std::visit([&](auto& now) { from.read(now); }, phase);
    std::apply([&](auto&... values) { (from.read(values), ...); }, others(*this));
  }
};

}  // namespace tessera::reduce
