// Which elements of a piece are there, and the piece without the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/element.hpp"
#include "base/missing_markers.hpp"
#include "statistics/partial.hpp"

namespace tessera::reduce {

/// Counts the elements that are missing.
statistics::MissingCounts count_missing(std::span<const std::byte> elements, base::ElementType type,
                                        const base::MissingMarkers& markers);

/// Not thread-safe: one per worker thread.
class Presence {
 public:
  /// All of so many elements are there.
  void begin(std::size_t elements);
  /// Those that are missing in `elements` are not there. Returns how many had been.
  statistics::MissingCounts leave_out(std::span<const std::byte> elements, base::ElementType type,
                                      const base::MissingMarkers& markers);

  bool all() const { return present_ == elements_; }
  std::size_t count() const { return present_; }
  /// The elements that are there: `elements` itself if all are, else a copy in `to`, which may be
  /// the same memory.
  std::span<const std::byte> take(std::span<const std::byte> elements, base::ElementType type,
                                  std::span<std::byte> to) const;
  /// The place of one of them among all elements. Needs settle() after the last leave_out().
  std::int64_t place(std::int64_t present) const;
  void settle();

 private:
  std::size_t elements_ = 0;
  std::size_t present_ = 0;
  std::vector<std::uint64_t> bits_;   ///< 1 = there
  std::vector<std::int64_t> before_;  ///< those that are there before each word of bits
};

/// Leaves the missing elements out of one piece after another.
class PresentElements {
 public:
  PresentElements(base::ElementType type, const base::MissingMarkers& markers)
      : type_(type), markers_(markers) {}

  /// Those that are there, valid until the next call: `elements` itself if none is missing.
  std::span<const std::byte> take(std::span<const std::byte> elements);
  std::int64_t place(std::int64_t present) const { return presence_.place(present); }
  /// Missing elements of the last piece.
  const statistics::MissingCounts& missing() const { return missing_; }

 private:
  base::ElementType type_;
  base::MissingMarkers markers_;
  Presence presence_;
  statistics::MissingCounts missing_;
  base::Bytes copy_;
};

/// The same of two arrays: an element is there if it is there in both.
class PresentPairs {
 public:
  struct Array {
    base::ElementType type;
    std::optional<base::MissingMarkers> markers;
  };
  struct Pair {
    std::span<const std::byte> x, y;
  };
  PresentPairs(const Array& x, const Array& y) : x_(x), y_(y) {}

  Pair take(std::span<const std::byte> x, std::span<const std::byte> y);

 private:
  Array x_, y_;
  Presence presence_;
  base::Bytes x_copy_, y_copy_;
};

}  // namespace tessera::reduce
