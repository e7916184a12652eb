#include "device/group_reducer.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <type_traits>

#include "base/element.hpp"
#include "device/reference/reference.hpp"
#include "device/reference/scalar_reduction.hpp"
#include "statistics/half.hpp"

namespace tessera::device::reference {

namespace {

/// A partial result of its own for every key.
class ReferenceGroupReducer : public GroupReducer {
 public:
  explicit ReferenceGroupReducer(const statistics::GroupSpec& group_spec)
      : spec_(group_spec.spec),
        scalar_(spec_),
        weight_(sizeof(Group) / statistics::GroupPartials::bytes_each(spec_)) {}

  void begin(const GroupScope& scope) override {
    scope_ = scope;
    groups_.clear();
  }

  std::size_t add(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
                  std::span<const std::int64_t> places) override {
    if (spec_.type == base::ElementType::f16) {
      return each<std::uint16_t>(keys, elements, places, statistics::widen_half);
    }
    std::size_t added = 0;
    base::with_element_type(spec_.type,
                            [&]<class T>(T) { added = each<T>(keys, elements, places); });
    return added;
  }

  statistics::GroupPartials finish() override {
    statistics::GroupPartials all;
    all.grow(spec_, groups_.size());
    all.keys.resize(groups_.size());
    std::size_t g = 0;
    for (const auto& [key, group] : groups_) {
      all.keys[g] = key;
      all.put(spec_, g++, group.partial, group.negative_zeros);
    }
    return all;
  }

 private:
  struct Group {
    statistics::Partial partial;
    std::int64_t negative_zeros = 0;
  };

  template <class T, class Widen = std::identity>
  std::size_t each(std::span<const statistics::GroupKey> keys, std::span<const std::byte> elements,
                   std::span<const std::int64_t> places, Widen widen = {}) {
    std::size_t i = 0;
    for (; i < keys.size() && weight_ * groups_.size() <= scope_.max_groups; ++i) {
      if (keys[i] < scope_.first || keys[i] > scope_.last) continue;
      T element;
      std::memcpy(&element, elements.data() + i * sizeof(T), sizeof(T));
      add_element(
          widen(element), [&] { return places[i]; }, groups_[keys[i]]);
    }
    return i;
  }

  template <class T, class Index>
  void add_element(T x, const Index& index, Group& group) {
    if constexpr (std::is_floating_point_v<T>) {
      if (x == 0 && std::signbit(x)) ++group.negative_zeros;
      scalar_.add_real(static_cast<double>(x), index, group.partial);
    } else {
      scalar_.add_integer(x, index, group.partial);
    }
  }

  statistics::ReductionSpec spec_;
  ScalarReduction scalar_;
  std::size_t weight_;  ///< groups of the scope that take as much memory as one of these
  GroupScope scope_;
  std::map<statistics::GroupKey, Group> groups_;
};

}  // namespace

std::unique_ptr<GroupReducer> make_group_reducer(const statistics::GroupSpec& group_spec) {
  return std::make_unique<ReferenceGroupReducer>(group_spec);
}

}  // namespace tessera::device::reference
