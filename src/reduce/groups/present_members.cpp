#include "reduce/groups/present_members.hpp"

namespace tessera::reduce {

PresentMembers::PresentMembers(const store::ArraySource& x, const GroupKeys& keys) {
  columns_.push_back({x.info().type, x.info().missing});
  for (const KeyColumn& column : keys.columns()) {
    const store::ArrayInfo& key = column.source->info();
    columns_.push_back({key.type, key.missing});
  }
  for (const Column& column : columns_) needed_ |= column.markers.has_value();
  keys_.resize(columns_.size() - 1);
}

void PresentMembers::take(std::span<const std::byte> elements,
                          std::span<const std::span<const std::byte>> keys, std::size_t first,
                          std::size_t count) {
  presence_.begin(count);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    const std::size_t bytes = base::element_bytes(column.type);
    column.given = (c == 0 ? elements : keys[c - 1]).subspan(first * bytes, count * bytes);
    if (column.markers) presence_.leave_out(column.given, column.type, *column.markers);
  }
  presence_.settle();
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    Column& column = columns_[c];
    if (column.copy.size() < column.given.size()) column.copy.resize(column.given.size());
    (c == 0 ? elements_ : keys_[c - 1]) = presence_.take(column.given, column.type, column.copy);
  }
}

LeftOut PresentMembers::missing(std::size_t count) const {
  LeftOut left_out;
  Presence presence;
  presence.begin(count);
  for (const Column& column : columns_) {
    if (!column.markers) continue;
    const auto own = column.given.first(count * base::element_bytes(column.type));
    const auto more = presence.leave_out(own, column.type, *column.markers);
    if (&column == &columns_.front()) {
      left_out.missing += more;
    } else {
      left_out.missing_keys += more.total();
    }
  }
  return left_out;
}

}  // namespace tessera::reduce
