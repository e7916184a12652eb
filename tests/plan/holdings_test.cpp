#include "plan/holdings.hpp"

#include <gtest/gtest.h>

namespace tessera::plan {
namespace {

using Items = std::vector<std::int64_t>;

TEST(Holdings, an_item_has_its_holder_until_it_is_answered) {
  Holdings holdings(2);
  holdings.add(0, Items{4, 5});
  EXPECT_EQ(holdings.only_holder(5), 0);
  const Holdings::Removed removed = holdings.remove(5, 0);
  EXPECT_TRUE(removed.from_most_likely);
  EXPECT_TRUE(removed.others.empty());
  EXPECT_EQ(holdings.only_holder(5), -1);
  EXPECT_FALSE(holdings.remove(5, 0).from_most_likely);
  EXPECT_TRUE(holdings.remove(5, 0).others.empty());
}

TEST(Holdings, a_copy_is_answered_for_both) {
  Holdings holdings(3);
  holdings.add(0, Items{4, 5});
  EXPECT_EQ(holdings.last_uncopied(0), 5);
  holdings.add_copy(2, 5);
  EXPECT_EQ(holdings.last_uncopied(0), 4);
  EXPECT_FALSE(holdings.last_uncopied(2));
  EXPECT_EQ(holdings.only_holder(5), -1);
  const Holdings::Removed removed = holdings.remove(5, 2);
  EXPECT_TRUE(removed.from_most_likely);
  EXPECT_EQ(removed.others, std::vector<int>{0});
}

TEST(Holdings, what_a_rank_releases_is_alone_unless_another_one_has_it) {
  Holdings holdings(2);
  holdings.add(0, Items{1, 2, 3});
  holdings.add_copy(1, 2);
  const auto some = holdings.release(0, Items{1, 7});
  EXPECT_EQ(some.alone, Items{1});
  EXPECT_TRUE(some.shared.empty());
  const auto rest = holdings.release_all(0);
  EXPECT_EQ(rest.alone, Items{3});
  EXPECT_EQ(rest.shared, Items{2});
  EXPECT_EQ(holdings.only_holder(2), 1);
}

}  // namespace
}  // namespace tessera::plan
