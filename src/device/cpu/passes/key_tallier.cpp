#include "device/cpu/passes/key_tallier.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "base/element.hpp"

namespace tessera::device::cpu {

namespace {

using statistics::ElementKey;
using statistics::KeyRange;
using statistics::KeyRequest;
using statistics::KeyTally;
using statistics::RangeTally;
using statistics::TopElement;

template <class T>
constexpr base::ElementType key_type_of() {
  return std::is_same_v<T, double>  ? base::ElementType::f64
         : std::is_same_v<T, float> ? base::ElementType::f32
                                    : base::ElementType::u8;
}

template <class T>
bool is_nan(T x) {
  if constexpr (std::is_floating_point_v<T>) return std::isnan(x);
  return false;
}

/// Calls visit(key, count) for runs of equal neighbours.
template <class Keys, class Visit>
void for_each_key_run(const Keys& keys, const Visit& visit) {
  for (std::size_t i = 0; i < keys.size();) {
    std::size_t end = i + 1;
    while (end < keys.size() && keys[end] == keys[i]) ++end;
    visit(keys[i], static_cast<std::int64_t>(end - i));
    i = end;
  }
}

template <class Word>
void tally_bins(std::span<const Word> keys, Word least, const KeyRange& range, RangeTally& tally) {
  const auto low = static_cast<Word>(range.low);
  const auto span = static_cast<Word>(range.high - range.low);
  std::int64_t inside = 0;
  std::int64_t below = 0;
  for (const Word key : keys) {
    const auto above = static_cast<Word>(key - low);
    below += key >= least && key < low ? 1 : 0;
    if (above > span) continue;
    ++inside;
    ++tally.bins[static_cast<std::size_t>(above >> range.shift)];
  }
  tally.inside += inside;
  tally.below += below;
}

template <class Word>
void tally_values(std::span<const Word> keys, const KeyRequest& request, KeyTally& tally) {
  for_each_key_run(keys, [&](Word key, std::int64_t count) {
    if (key >= request.values_from) tally.values.add(key, count);
  });
}

}  // namespace

void KeyTallier::add_to_top(ElementKey order, ElementKey key, std::int64_t index, KeyTally& tally) {
  tally.top.add({order, index, key});
  min_order_ = std::max(min_order_, tally.top.min_order());
}

template <class Word>
void KeyTallier::add_selected(std::span<const Word> selected, const KeyRange& range,
                              RangeTally& tally) {
  tally.inside += static_cast<std::int64_t>(selected.size());
  for (const Word key : selected) {
    if (key == range.low) {
      ++tally.at_low;
    } else if (key == range.high) {
      ++tally.at_high;
    } else {
      tally.keys.push_back(key);
    }
  }
}

template <class T>
void KeyTallier::collect(std::span<const T> elements, ElementKey least, const KeyRange& range,
                         RangeTally& tally) {
  using Word = statistics::KeyWord<T>;
  auto& selected = std::get<std::vector<Word>>(selected_);
  selected.resize(kKeyBlock + kKeyPadding);
  const KeyBounds<Word> bounds{static_cast<Word>(least), static_cast<Word>(range.low),
                               static_cast<Word>(range.high)};
  const SelectedKeys found =
      std::get<SelectKeys<T>>(keys_.select)(elements, bounds, selected.data());
  tally.below += static_cast<std::int64_t>(found.below);
  add_selected<Word>(std::span(selected).first(found.inside), range, tally);
}

template <class T>
void KeyTallier::add_ranges(std::span<const T> elements, ElementKey least,
                            const KeyRequest& request, KeyTally& tally) {
  using Word = statistics::KeyWord<T>;
  const auto bins = [](const KeyRange& range) { return !range.collects(); };
  if (request.values || std::ranges::any_of(request.ranges, bins)) {
    Word keys[kKeyBlock];
    std::ranges::transform(elements, keys, [](T x) { return statistics::element_key(x); });
    const std::span<const Word> all(keys, elements.size());
    for (std::size_t i = 0; i < request.ranges.size(); ++i) {
      if (!bins(request.ranges[i])) continue;
      tally_bins(all, static_cast<Word>(least), request.ranges[i], tally.ranges[i]);
    }
    if (request.values) tally_values(all, request, tally);
  }
  if constexpr (sizeof(T) >= 4) {
    for (std::size_t i = 0; i < request.ranges.size(); ++i) {
      if (!bins(request.ranges[i])) collect(elements, least, request.ranges[i], tally.ranges[i]);
    }
  }
}

template <class T>
void KeyTallier::add_top(std::span<const T> elements, std::size_t first,
                         const ExtremesSet& extremes, const statistics::Indexing& indexing,
                         const KeyRequest& request, KeyTally& tally) {
  constexpr base::ElementType kType = key_type_of<T>();
  const auto order_of = [](T x) {
    return statistics::unsigned_zero_key(statistics::element_key(x), kType);
  };
  bool has_order = true;
  if constexpr (std::is_floating_point_v<T>) {
    has_order = std::get<AreFinite<T>>(extremes.finite)(elements);
  }
  if (has_order &&
      order_of(std::get<FindExtremes<T>>(extremes.find)(elements).greatest) < min_order_) {
    return;
  }
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const bool number = !is_nan(elements[i]);
    if (!number && !request.top_nans) continue;
    const ElementKey order = number ? order_of(elements[i]) : TopElement::kNan;
    if (order < min_order_) continue;
    add_to_top(order, statistics::element_key(elements[i]),
               indexing.of(static_cast<std::int64_t>(first + i)), tally);
  }
}

void KeyTallier::halves(std::span<const std::uint16_t> elements,
                        const statistics::Indexing& indexing, const KeyRequest& request,
                        KeyTally& tally) {
  constexpr base::ElementType kType = base::ElementType::f16;
  const statistics::NumberKeys numbers = statistics::number_keys(kType);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const ElementKey key = statistics::key_of_bits(elements[i]);
    const bool number = numbers.contain(key);
    if (number) tally.add(key, request);
    if (request.top == 0 || !(number || request.top_nans)) continue;
    const ElementKey order = number ? statistics::unsigned_zero_key(key, kType) : TopElement::kNan;
    if (order < min_order_) continue;
    add_to_top(order, key, indexing.of(static_cast<std::int64_t>(i)), tally);
  }
}

void KeyTallier::tally(std::span<const std::byte> elements, base::ElementType type,
                       const ExtremesSet& extremes, const statistics::Indexing& indexing,
                       const KeyRequest& request, KeyTally& tally) {
  const ElementKey least = statistics::number_keys(type).least;
  base::with_element_type(type, [&]<class T>(T) {
    const std::span all(reinterpret_cast<const T*>(elements.data()), elements.size() / sizeof(T));
    if constexpr (std::is_same_v<T, std::uint16_t>) {
      if (type == base::ElementType::f16) return halves(all, indexing, request, tally);
    }
    for (std::size_t first = 0; first < all.size(); first += kKeyBlock) {
      const auto some = all.subspan(first, std::min(kKeyBlock, all.size() - first));
      add_ranges(some, least, request, tally);
      if (request.top > 0) add_top(some, first, extremes, indexing, request, tally);
    }
  });
  tally.bound(request.max_keys);
}

}  // namespace tessera::device::cpu
