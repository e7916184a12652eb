// Who gets which item, when. Pure: no MPI, no clock, no threads.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace tessera::plan {

enum class Order {
  dearest_first,  ///< so that no dear item is left for the end
  given           ///< by number, for results that must be stored in order
};

/// What was computed more often than once, as far as it had to be.
struct Repeats {
  std::int64_t reissued = 0;        ///< taken from a rank that was lost, and handed out again
  std::int64_t copied = 0;          ///< handed to an idle rank as well, near the end
  std::int64_t answered_again = 0;  ///< results that came when there was one already

  Repeats& operator+=(const Repeats& more) {
    reissued += more.reissued;
    copied += more.copied;
    answered_again += more.answered_again;
    return *this;
  }
};

/// Hands out every item once, and again if it is given back. Ranks pull: whoever asks gets a
/// helping whose predicted cost is a fixed share of what is left (guided self-scheduling,
/// Polychronopoulos and Kuck 1987), so that the first helpings are large, the last ones single
/// items.
class Schedule {
 public:
  /// `costs`: predicted cost of each item, > 0, any unit. `total_lanes`: worker threads of all
  /// ranks together. `window`: no item is handed out whose number is `window` or more beyond the
  /// first unfinished one; 0 = no such bound.
  Schedule(std::vector<float> costs, int total_lanes, Order order, std::int64_t window = 0);

  /// The item was finished in an earlier run: it is never handed out. Before anything is.
  void finish_before(std::int64_t item);

  /// Items for a rank that has `share` (0 to 1) of the speed of all, of at most `most_cost`
  /// together, but at least one; empty when there is nothing to hand out now.
  std::vector<std::int64_t> take(double share,
                                 double most_cost = std::numeric_limits<double>::infinity());
  /// The share of a rank as long as nothing else is known than its worker threads.
  double share_of(int lanes) const;
  /// Whether take() would hand out anything now.
  bool available() const;
  /// Cost of the item that take() would hand out first; only when available().
  double next_cost() const { return costs_[next_item()]; }

  /// Items that were handed out and will not be finished by who has them: they are the next to
  /// be handed out again.
  void give_back(std::span<const std::int64_t> items);

  /// Not to be handed out again after all; false if it is not among those that wait for that.
  bool withdraw(std::int64_t item);

  /// The item's result is stored, whoever made it. Finishing an item again changes nothing.
  void finish(std::int64_t item);
  bool is_finished(std::int64_t item) const { return done_[static_cast<std::size_t>(item)]; }
  /// The first by number that is not finished; count() when all are.
  std::int64_t first_unfinished() const { return static_cast<std::int64_t>(first_unfinished_); }

  std::int64_t count() const { return static_cast<std::int64_t>(costs_.size()); }
  std::int64_t finished() const { return finished_; }
  bool exhausted() const { return next_ == costs_.size() && returned_.empty(); }  ///< all are out
  bool complete() const { return finished_ == count(); }                          ///< all finished
  /// Share of the predicted cost that is finished, in [0, 1].
  double finished_share() const;
  double total_cost() const { return total_cost_; }
  double waiting_cost() const { return waiting_cost_; }  ///< of what is not handed out
  Repeats& repeats() { return repeats_; }
  const Repeats& repeats() const { return repeats_; }
  double cost(std::int64_t item) const { return costs_[static_cast<std::size_t>(item)]; }

 private:
  std::size_t item_at(std::size_t position) const;
  std::size_t next_item() const;
  void skip_finished();
  bool in_window(std::size_t item) const;
  /// Whether item `a` is handed out before `b`.
  bool before(std::size_t a, std::size_t b) const;
  void pop_next();

  std::vector<float> costs_;
  std::vector<std::uint32_t> order_;  ///< empty for Order::given
  std::vector<bool> done_;
  int total_lanes_;
  std::int64_t window_;
  std::size_t next_ = 0;  ///< position in the order of the next item that was never handed out
  std::vector<std::size_t> returned_;  ///< all before that one in the order; the first comes last
  std::size_t first_unfinished_ = 0;   ///< by item number
  std::int64_t finished_ = 0;
  double total_cost_ = 0;
  double waiting_cost_ = 0;
  double finished_cost_ = 0;
  Repeats repeats_;
};

}  // namespace tessera::plan
