// Decides which rank gets which item, and when. Pure: no MPI, no clock, no threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tessera::plan {

enum class Order {
  dearest_first,  ///< so that no expensive item is left for the end
  given           ///< by number, for results that must be stored in order
};

/// Counts items that were assigned or answered again.
struct Repeats {
  std::int64_t reissued = 0;        ///< taken from a lost rank and assigned again
  std::int64_t recalled = 0;        ///< returned by a slow rank near the end, before it began them
  std::int64_t copied = 0;          ///< also assigned to an idle rank, near the end
  std::int64_t answered_again = 0;  ///< results of items that already had one

  Repeats& operator+=(const Repeats& more) {
    reissued += more.reissued;
    recalled += more.recalled;
    copied += more.copied;
    answered_again += more.answered_again;
    return *this;
  }
};

/// Assigns every item once, and again if it is given back. Ranks pull: a rank that asks gets a
/// batch whose predicted cost is a fixed fraction of what is left (guided self-scheduling,
/// Polychronopoulos and Kuck 1987). So the first batches are large and the last ones single items.
class Schedule {
 public:
  /// `costs`: predicted cost of each item, > 0, any unit. `total_lanes`: worker threads of all
  /// ranks together. `window`: an item is assigned only if its number is less than `window` beyond
  /// the first unfinished one; 0 = no limit.
  Schedule(std::vector<float> costs, int total_lanes, Order order, std::int64_t window = 0);

  /// Marks an item as finished by an earlier run, before anything is assigned; it is never
  /// assigned.
  void finish_before(std::int64_t item);

  /// Those that are finished before and that other runs make: this run does not count them.
  void leave_out(std::int64_t items) { left_out_ += items; }
  std::int64_t left_out() const { return left_out_; }

  /// Items for a rank that has the fraction `share` (0 to 1) of the total speed: at least one item,
  /// and at most `max_cost` together if there are more; empty if nothing can be assigned now.
  std::vector<std::int64_t> take(double share,
                                 double max_cost = std::numeric_limits<double>::infinity());
  /// The fraction of a rank whose speed is unknown, from its worker threads.
  double share_of(int lanes) const;
  /// True if take() would return an item now.
  bool available() const;
  /// Cost of the first item that take() would return; only if available().
  double next_cost() const { return costs_[next_item()]; }

  /// Returns assigned items that their rank will not finish; they are assigned next.
  void give_back(std::span<const std::int64_t> items);

  /// Cancels the reassignment of a returned item; false if it does not wait for one.
  bool withdraw(std::int64_t item);

  /// The item's result is stored, whichever rank computed it. A second call changes nothing.
  void finish(std::int64_t item);
  bool is_finished(std::int64_t item) const { return done_[static_cast<std::size_t>(item)]; }
  /// The lowest number of an unfinished item; count() if all are finished.
  std::int64_t first_unfinished() const { return static_cast<std::int64_t>(first_unfinished_); }

  std::int64_t count() const { return static_cast<std::int64_t>(costs_.size()); }
  std::int64_t finished() const { return finished_; }
  /// True if all items are assigned.
  bool exhausted() const { return next_ == costs_.size() && returned_.empty(); }
  bool complete() const { return finished_ == count(); }
  /// Finished fraction of the predicted cost, in [0, 1].
  double finished_share() const;
  /// The same with the done parts of items in progress, whose cost together is `cost`.
  void set_started_cost(double cost) { started_cost_ = cost; }
  double progress_share() const;
  double total_cost() const { return total_cost_; }
  double waiting_cost() const { return waiting_cost_; }  ///< cost of the unassigned items
  Repeats& repeats() { return repeats_; }
  const Repeats& repeats() const { return repeats_; }
  double cost(std::int64_t item) const { return costs_[static_cast<std::size_t>(item)]; }

 private:
  std::size_t item_at(std::size_t position) const;
  std::size_t next_item() const;
  void skip_finished();
  bool in_window(std::size_t item) const;
  /// True if item `a` is assigned before `b`.
  bool before(std::size_t a, std::size_t b) const;
  void pop_next();

  std::vector<float> costs_;
  std::int64_t left_out_ = 0;
  std::vector<std::uint32_t> order_;  ///< empty for Order::given
  std::vector<bool> done_;
  int total_lanes_;
  std::int64_t window_;
  std::size_t next_ = 0;  ///< position in the order of the next never assigned item
  /// Returned items, all before `next_` in the order; the first to assign is last.
  std::vector<std::size_t> returned_;
  std::size_t first_unfinished_ = 0;  ///< by item number
  std::int64_t finished_ = 0;
  double total_cost_ = 0;
  double waiting_cost_ = 0;
  double finished_cost_ = 0;
  double started_cost_ = 0;
  Repeats repeats_;
};

}  // namespace tessera::plan
