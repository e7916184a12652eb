#include "base/lru_cache.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

namespace tessera::base {
namespace {

using Cache = LruCache<int, const int>;

std::size_t hundred(const int&) {
  return 100;
}

/// A cache of three values, and how often values were made.
struct Made {
  Cache cache{3 * 100, hundred};
  int times = 0;

  int get(int key) {
    return *cache.get(key, [&] {
      ++times;
      return std::make_shared<int>(10 * key);
    });
  }
};

TEST(LruCache, keeps_the_values_that_were_used_last) {
  Made made;
  for (const int key : {1, 2, 3, 1, 2, 3}) EXPECT_EQ(made.get(key), 10 * key);
  EXPECT_EQ(made.times, 3);
  made.get(1);
  made.get(4);  // in the place of 2
  EXPECT_EQ(made.times, 4);
  made.get(1);
  made.get(3);
  EXPECT_EQ(made.times, 4);
  EXPECT_FALSE(made.cache.find(2));
  EXPECT_EQ(*made.cache.find(4), 40);
}

TEST(LruCache, counts_values_without_weights) {
  Cache cache(2);
  for (const int key : {1, 2, 3}) cache.put(key, std::make_shared<int>(key));
  EXPECT_FALSE(cache.find(1));
  EXPECT_TRUE(cache.find(2) && cache.find(3));
}

TEST(LruCache, keeps_the_newest_value_however_heavy_it_is) {
  Cache cache(99, hundred);
  for (const int key : {1, 2}) cache.put(key, std::make_shared<int>(key));
  EXPECT_FALSE(cache.find(1));
  EXPECT_TRUE(cache.find(2));
}

TEST(LruCache, does_not_keep_what_is_not_there) {
  Cache cache(100);
  int times = 0;
  const auto nothing = [&]() -> Cache::Pointer {
    ++times;
    return nullptr;
  };
  EXPECT_EQ(cache.get(1, nothing), nullptr);
  EXPECT_EQ(cache.get(1, nothing), nullptr);
  EXPECT_EQ(times, 2);
}

TEST(LruCache, finds_the_value_used_last_of_those_that_fit) {
  Cache cache(2);
  for (const int key : {2, 4}) cache.put(key, std::make_shared<int>(key));
  const auto is_even = [](int value) { return value % 2 == 0; };
  EXPECT_EQ(*cache.find_if(is_even), 4);
  cache.find(2);
  EXPECT_EQ(*cache.find_if(is_even), 2);
  cache.put(5, std::make_shared<int>(5));
  EXPECT_FALSE(cache.find(4));
  EXPECT_FALSE(cache.find_if([](int value) { return value > 5; }));
}

TEST(LruCache, shrinks_and_is_cleared) {
  Cache cache(300, hundred);
  for (const int key : {1, 2, 3}) cache.put(key, std::make_shared<int>(key));
  cache.set_max_weight(200);
  EXPECT_FALSE(cache.find(1));
  cache.clear();
  EXPECT_FALSE(cache.find(3));
  cache.put(4, std::make_shared<int>(4));
  EXPECT_TRUE(cache.find(4));
}

TEST(LruCache, makes_a_value_once_for_all_threads) {
  Cache cache(10);
  std::atomic<int> times = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        cache.get(1, [&] {
          ++times;
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          return std::make_shared<int>(1);
        });
      });
    }
  }
  EXPECT_EQ(times, 1);
}

TEST(LruCache, another_thread_may_make_what_failed) {
  Cache cache(10);
  const auto fails = []() -> Cache::Pointer { throw std::runtime_error("no"); };
  EXPECT_THROW(cache.get(1, fails), std::runtime_error);
  EXPECT_EQ(*cache.get(1, [] { return std::make_shared<int>(7); }), 7);
}

}  // namespace
}  // namespace tessera::base
