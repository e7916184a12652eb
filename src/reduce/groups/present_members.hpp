// The elements of an array that are there, with keys that are there too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "reduce/groups/group_keys.hpp"
#include "reduce/input/presence.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// Not thread-safe: one per worker thread.
class PresentMembers {
 public:
  PresentMembers(const store::ArraySource& x, const GroupKeys& keys);

  /// Whether any element or key may be missing.
  bool needed() const { return needed_; }
  /// Leaves missing ones out of the elements [first, first + count), until the next call.
  void take(std::span<const std::byte> elements, std::span<const std::span<const std::byte>> keys,
            std::size_t first, std::size_t count);
  std::size_t count() const { return presence_.count(); }
  std::span<const std::byte> elements() const { return elements_; }
  std::span<const std::span<const std::byte>> keys() const { return keys_; }
  /// Among the elements of the last call.
  std::size_t place(std::size_t present) const {
    return static_cast<std::size_t>(presence_.place(static_cast<std::int64_t>(present)));
  }
  /// Elements left out of the first `count`.
  LeftOut missing(std::size_t count) const;

 private:
  struct Column {
    base::ElementType type;
    std::optional<base::MissingMarkers> markers;
    std::span<const std::byte> given{};
    base::Bytes copy{};
  };

  std::vector<Column> columns_;  ///< the elements, then the keys
  bool needed_ = false;
  Presence presence_;
  std::span<const std::byte> elements_;
  std::vector<std::span<const std::byte>> keys_;
};

}  // namespace tessera::reduce
