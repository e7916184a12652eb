// The texts of the progress bar.
#include "farm/progress.hpp"

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "farm/started_items.hpp"

namespace tessera::farm {
namespace {

TEST(WithBar, fills_the_line_up_to_32_columns_and_leaves_out_a_short_bar) {
  EXPECT_EQ(with_bar("render", 0.5, "1 of 2", 200),
            "render [################................]  50 %  1 of 2");
  EXPECT_EQ(with_bar("render", 0.5, "1 of 2", 40), "render [########.........]  50 %  1 of 2");
  EXPECT_EQ(with_bar("render", 1, "1 of 2", 20), "render 100 %  1 of 2");
}

TEST(FormatLeft, is_the_time_of_all_farms_that_follow) {
  EXPECT_EQ(format_left(10, 0, 0.5, {}), "? left");
  EXPECT_EQ(format_left(10, 0.2, 0.2, {}), base::format_seconds(40) + " left");
  EXPECT_EQ(format_left(10, 0.2, 0.7, {}), base::format_seconds(15) + " left");
  EXPECT_EQ(format_left(10, 0.2, 0.2, {.farms = 3}), base::format_seconds(190) + " left in all");
  EXPECT_EQ(format_left(10, 0.2, 0.2, {.farms = 3, .each_s = 20}),
            base::format_seconds(100) + " left in all");
}

class KeptLine : public base::StatusLine {
 public:
  bool due() const override { return true; }
  int columns() const override { return 0; }
  void show(const std::string& line) override { last = line; }
  std::string last;
};

TEST(Progress, moves_while_the_first_large_item_is_in_progress) {
  plan::Schedule schedule({3, 1}, 2, plan::Order::given);
  plan::Dealer dealer(schedule, 1);
  KeptLine line;
  Progress progress("render", "tile", line, schedule);
  StartedItems started;
  const auto show = [&] {
    schedule.set_started_cost(started.cost(schedule));
    progress.show(schedule, dealer);
  };
  show();
  EXPECT_NE(line.last.find("render: 0.0 % "), line.last.npos) << line.last;
  started.set(0, {{.item = 0, .done = 0.5F}});
  show();
  EXPECT_NE(line.last.find("render: 37.5 % "), line.last.npos) << line.last;
  EXPECT_NE(line.last.find("0 of 2 tiles, "), line.last.npos) << line.last;
  EXPECT_EQ(line.last.find("?"), line.last.npos) << line.last;
  // Two ranks have the same item: the one that is ahead counts.
  started.set(1, {{.item = 0, .done = 0.25F}, {.item = 1, .done = 0.5F}});
  show();
  EXPECT_NE(line.last.find("render: 50.0 % "), line.last.npos) << line.last;
  // The whole item is done; what a rank said of it counts no more. The share never falls.
  schedule.finish(0);
  started.set(1, {});
  show();
  EXPECT_NE(line.last.find("render: 75.0 % "), line.last.npos) << line.last;
}

TEST(FormatRate, is_never_0) {
  EXPECT_EQ(format_rate(12300), "12.3 k a second");
  EXPECT_EQ(format_rate(0.4), "0.4 a second");
  EXPECT_EQ(format_rate(0.04), "2.4 a minute");
}

TEST(FormatWaiting, names_the_ranks_once_all_items_are_assigned) {
  plan::Schedule schedule(std::vector<float>(4, 1.0F), 2, plan::Order::given);
  plan::Dealer dealer(schedule, 2);
  EXPECT_EQ(format_waiting(schedule, dealer), "");
  std::vector<std::int64_t> of_0 = dealer.deal(0, 2, 0);
  std::vector<std::int64_t> of_1 = dealer.deal(1, 2, 0);
  ASSERT_EQ(of_0.size() + of_1.size(), 4U);
  EXPECT_EQ(format_waiting(schedule, dealer), "waiting for 4 of ranks 0, 1");
  for (const std::int64_t item : of_0) dealer.finish(0, item, 1);
  EXPECT_EQ(format_waiting(schedule, dealer), "waiting for 2 of rank 1");
}

TEST(FormatWaiting, says_nothing_of_a_rank_alone) {
  plan::Schedule schedule(std::vector<float>(2, 1.0F), 2, plan::Order::given);
  plan::Dealer dealer(schedule, 1);
  dealer.deal(0, 2, 0);
  EXPECT_EQ(format_waiting(schedule, dealer), "");
}

}  // namespace
}  // namespace tessera::farm
