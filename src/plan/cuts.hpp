// Cuts one dimension of an array. Pure: knows lengths, not files.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera::plan {

class Cuts {
 public:
  struct Cut {
    std::int64_t first = 0;
    std::int64_t extent = 0;
    friend bool operator==(const Cut&, const Cut&) = default;
  };

  /// Consecutive parts of these lengths. Each is cut from its own beginning into cuts of length
  /// `each`; its last cut is the remainder.
  Cuts(const std::vector<std::int64_t>& lengths, std::int64_t each);

  std::int64_t count() const { return count_; }
  Cut cut(std::int64_t number) const;
  std::int64_t longest() const { return longest_; }

 private:
  struct Stretch {
    std::int64_t first = 0;
    std::int64_t length = 0;
    std::int64_t first_cut = 0;
  };

  std::int64_t each_;
  std::int64_t count_ = 0;
  std::int64_t longest_ = 0;
  std::vector<Stretch> stretches_;  ///< none is empty
};

}  // namespace tessera::plan
