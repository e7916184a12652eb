#include "view/chunk_cache.hpp"

#include <gtest/gtest.h>

namespace tessera::view {
namespace {

/// The chunk of a tile, and how often chunks were made.
struct Made {
  ChunkCache cache{3 * 100};
  int times = 0;

  void get(std::int64_t tile, std::uint32_t revision = 0) {
    cache.get({.tile = tile, .revision = revision}, [&] {
      ++times;
      return std::make_shared<base::Bytes>(100);
    });
  }
};

TEST(ChunkCache, keeps_the_chunks_that_were_used_last) {
  Made made;
  for (const std::int64_t tile : {1, 2, 3, 1, 2, 3}) made.get(tile);
  EXPECT_EQ(made.times, 3);
  made.get(1);
  made.get(4);  // in the place of 2
  EXPECT_EQ(made.times, 4);
  made.get(1);
  made.get(3);
  EXPECT_EQ(made.times, 4);
  made.get(2);
  EXPECT_EQ(made.times, 5);
}

TEST(ChunkCache, another_revision_is_another_chunk) {
  Made made;
  made.get(1, 1);
  made.get(1, 2);
  EXPECT_EQ(made.times, 2);
}

TEST(ChunkCache, does_not_keep_what_is_not_there) {
  ChunkCache cache(100);
  int times = 0;
  const auto nothing = [&]() -> ChunkCache::Values {
    ++times;
    return nullptr;
  };
  EXPECT_EQ(cache.get({}, nothing), nullptr);
  EXPECT_EQ(cache.get({}, nothing), nullptr);
  EXPECT_EQ(times, 2);
}

TEST(ChunkCache, gives_a_chunk_that_is_too_large_to_keep) {
  ChunkCache cache(99);
  EXPECT_TRUE(cache.get({}, [] { return std::make_shared<base::Bytes>(100); }));
}

}  // namespace
}  // namespace tessera::view
