#include "explore/square_queue.hpp"

#include <gtest/gtest.h>

namespace tessera::explore {
namespace {

using State = SquareTask::State;

SquareKey square(std::int64_t x, int coarse = 1) {
  SquareKey key;
  key.place = 1;
  key.x = x;
  key.coarse = coarse;
  return key;
}

Want view(std::uint64_t number) {
  return {.client = "a", .view = number};
}

TEST(SquareQueue, coarse_squares_come_first_then_those_that_were_asked_for_first) {
  SquareQueue queue(10);
  queue.ask(square(1), view(1));
  queue.ask(square(2), view(1));
  queue.ask(square(3, 8), view(1));
  EXPECT_EQ(queue.take()->key, square(3, 8));
  EXPECT_EQ(queue.take()->key, square(1));
  EXPECT_EQ(queue.take()->key, square(2));
  EXPECT_EQ(queue.take(), nullptr);
}

TEST(SquareQueue, a_square_that_waits_or_runs_is_rendered_once) {
  SquareQueue queue(10);
  const TaskPointer first = queue.ask(square(1), view(1));
  EXPECT_EQ(queue.ask(square(1), {.client = "b", .view = 7}), first);
  EXPECT_EQ(queue.take(), first);
  EXPECT_EQ(queue.ask(square(1), view(1)), first);
  queue.end(first, State::done);
  EXPECT_NE(queue.ask(square(1), view(1)), first);
}

TEST(SquareQueue, a_new_view_drops_what_only_older_views_want) {
  SquareQueue queue(10);
  const TaskPointer mine = queue.ask(square(1), view(1));
  const TaskPointer shared = queue.ask(square(2), view(1));
  queue.ask(square(2), {.client = "b", .view = 1});
  const TaskPointer running = queue.take();
  EXPECT_EQ(running, mine);
  const TaskPointer third = queue.ask(square(3), view(1));
  queue.ask(square(4), view(2));
  EXPECT_EQ(running->state, State::running) << "what has begun goes on";
  EXPECT_EQ(shared->state, State::waiting) << "another client wants it";
  EXPECT_EQ(third->state, State::dropped);
  EXPECT_EQ(queue.waiting(), 2U);
  EXPECT_EQ(queue.ask(square(5), view(1))->state, State::dropped) << "outdated";
  EXPECT_EQ(queue.ask(square(6), {})->state, State::waiting) << "no client, no views";
}

TEST(SquareQueue, has_an_end) {
  SquareQueue queue(2);
  EXPECT_TRUE(queue.ask(square(1), view(1)));
  EXPECT_TRUE(queue.ask(square(2), view(1)));
  EXPECT_FALSE(queue.ask(square(3), view(1)));
  EXPECT_TRUE(queue.ask(square(2), view(1))) << "it is there already";
  queue.take();
  EXPECT_TRUE(queue.ask(square(3), view(1)));
}

TEST(SquareQueue, squares_without_their_orbit_let_others_pass) {
  SquareQueue queue(10);
  const TaskPointer deep = queue.ask(square(1), view(1), {}, false);
  queue.ask(square(2), view(1));
  EXPECT_EQ(queue.first_unready(), deep);
  EXPECT_EQ(queue.take()->key, square(2));
  EXPECT_EQ(queue.take(), nullptr);
  queue.for_each_waiting([](SquareTask& task) { task.ready = true; });
  EXPECT_EQ(queue.first_unready(), nullptr);
  EXPECT_EQ(queue.take(), deep);
}

TEST(SquareQueue, what_runs_for_older_views_is_given_up_unless_it_is_wanted_again) {
  SquareQueue queue(10);
  const TaskPointer task = queue.ask(square(1), view(1));
  queue.take();
  const auto later = [] { return SquareTask::Clock::now() + std::chrono::seconds(1); };
  EXPECT_FALSE(task->given_up(later()));
  queue.ask(square(2), view(2));
  EXPECT_FALSE(task->given_up(task->cancelled_at)) << "the new view may want it too";
  EXPECT_TRUE(task->given_up(later()));
  EXPECT_EQ(queue.ask(square(1), view(2)), task);
  EXPECT_FALSE(task->given_up(later()));
}

TEST(SquareQueue, a_dropped_square_is_rendered_anew) {
  SquareQueue queue(10);
  const TaskPointer waits = queue.ask(square(1), {});
  const TaskPointer runs = queue.ask(square(2), {});
  queue.take();
  queue.drop(square(1));
  queue.drop(square(2));
  queue.drop(square(3));
  EXPECT_EQ(waits->state, State::dropped);
  EXPECT_EQ(runs->state, State::dropped);
  EXPECT_EQ(queue.take(), nullptr);
  EXPECT_NE(queue.ask(square(2), {}), runs);
}

TEST(SquareQueue, a_square_whose_lane_failed_waits_again_before_the_others) {
  SquareQueue queue(10);
  const TaskPointer first = queue.ask(square(1), view(1));
  queue.ask(square(2), view(1));
  queue.take();
  queue.put_back(first);
  EXPECT_EQ(queue.take(), first);
}

TEST(SquareQueue, clients_that_were_not_heard_of_for_longest_are_forgotten) {
  constexpr int kClients = 256;
  SquareQueue queue(1000);
  const auto ask = [&](int client, std::uint64_t number) {
    return queue.ask(square(client), {.client = std::to_string(client), .view = number})->state;
  };
  for (int client = 0; client < kClients; ++client) ask(client, 2);
  EXPECT_EQ(ask(0, 1), State::dropped);
  EXPECT_EQ(ask(1, 1), State::dropped);
  ask(kClients, 2);
  EXPECT_EQ(ask(1, 1), State::dropped) << "heard of lately";
  EXPECT_EQ(ask(2, 1), State::waiting) << "its views are counted anew";
}

TEST(SquareQueue, nobody_waits_for_a_queue_that_was_cleared) {
  SquareQueue queue(10);
  const TaskPointer task = queue.ask(square(1), {});
  queue.clear();
  EXPECT_EQ(task->state, State::dropped);
  EXPECT_EQ(queue.take(), nullptr);
}

}  // namespace
}  // namespace tessera::explore
