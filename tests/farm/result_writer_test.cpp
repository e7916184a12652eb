#include "farm/result_writer.hpp"

#include <gtest/gtest.h>

#include "toy_work.hpp"

namespace tessera::farm {
namespace {

/// What came, in order.
class Listing : public Sink {
 public:
  void put(ResultChunk result_chunk) override { result_chunks.push_back(std::move(result_chunk)); }
  std::vector<ResultChunk> result_chunks;
};

Result result_of(std::int64_t item, int maker) {
  return {{.item = item, .last = false, .body = base::Bytes(1, std::byte(maker))},
          {.item = item, .last = true, .body = base::Bytes(2, std::byte(maker))}};
}

TEST(ResultWriter, the_first_answer_counts_and_parcels_of_two_makers_are_never_mixed) {
  Listing sink;
  base::Event wake;
  ResultWriter writer(sink, {}, base::Clock::now(), wake);
  writer.push(1, result_of(2, 1));
  writer.push(2, result_of(2, 2));
  writer.push_over(2, result_of(0, 2));
  writer.push_over(1, result_of(2, 1));
  writer.finish();
  ASSERT_EQ(sink.result_chunks.size(), 4U);
  for (const int i : {0, 1}) {
    EXPECT_EQ(sink.result_chunks[static_cast<std::size_t>(i)].item, 2);
    EXPECT_EQ(sink.result_chunks[static_cast<std::size_t>(i)].body.front(), std::byte{1});
  }
  const auto news = writer.collect();
  ASSERT_EQ(news.stored.size(), 2U);
  EXPECT_EQ(news.stored[0].rank, 1);
  EXPECT_EQ(news.stored[1].rank, 2);
  EXPECT_EQ(news.again, 2);
}

TEST(ResultWriter, tells_why_the_sink_failed_and_takes_no_more) {
  ToySink sink(0);
  base::Event wake;
  ResultWriter writer(sink, {}, base::Clock::now(), wake);
  writer.push(0, {{.item = 0, .last = true, .body = base::Bytes(8)}});
  writer.finish();
  EXPECT_EQ(writer.collect().failure, "toy disk is full");
}

}  // namespace
}  // namespace tessera::farm
