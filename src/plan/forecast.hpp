// What the ranks of a farm have in hand and how fast they are, together. Pure.
#pragma once

#include <cstddef>
#include <vector>

namespace tessera::plan {

/// Sums over the ranks, and the rank that would finish the next item first. A change of one rank
/// takes O(log ranks), so that ten thousand of them can ask.
class Forecast {
 public:
  /// A rank, when it was looked at last. One of unknown speed has 0.
  struct Seen {
    double speed = 0;
    double cost_in_hand = 0;
    int lanes = 0;
  };

  explicit Forecast(int ranks);

  void set(int rank, const Seen& seen);
  /// The cost of the next item, for soonest().
  void set_next_cost(double cost) { next_cost_ = cost; }
  /// Ranks that are to be looked at again now, and which one is next: all of them in turn.
  int ranks_to_see() const;
  int next_rank();

  // Of the ranks of known speed.
  double speed() const { return sums_.speed; }
  double cost_in_hand() const { return sums_.cost_in_hand; }
  int lanes() const { return sums_.lanes; }
  /// The one that would finish the next item first; -1 if there is none.
  int soonest() const;
  /// Of all ranks.
  double all_cost_in_hand() const { return sums_.all_cost_in_hand; }

 private:
  struct Sums {
    double speed = 0, cost_in_hand = 0, all_cost_in_hand = 0;
    int lanes = 0;

    void add(const Seen& seen, int sign);
  };
  double seconds_of(std::size_t rank) const;
  void choose(std::size_t node);
  void play(int rank);

  std::vector<Seen> seen_;
  Sums sums_;
  /// Over the ranks before cursor_. They replace the sums at the end of a turn, so that roundings
  /// do not add up.
  Sums fresh_;
  std::size_t cursor_ = 0;
  double next_cost_ = 0;
  /// A tournament: the winner of each pair, the final at 1. The leaves are the ranks' seconds.
  std::vector<int> winners_;
  std::vector<double> seconds_;
  std::size_t leaves_ = 1;
};

}  // namespace tessera::plan
