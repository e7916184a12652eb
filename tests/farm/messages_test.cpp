#include "farm/messages.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"

namespace tessera::farm {
namespace {

TEST(FarmMessage, control_comes_back_as_it_was) {
  const ControlMessage sent{.kind = MessageKind::grant,
                            .farm = 3,
                            .lanes = 5,
                            .items = {1, 2, 1LL << 40},
                            .left_s = 2.5,
                            .text = "x",
                            .started = {{.item = 9, .done = 0.25F}}};
  const ControlMessage got = base::from_bytes<ControlMessage>(base::to_bytes(sent));
  EXPECT_EQ(got.kind, MessageKind::grant);
  EXPECT_EQ(got.farm, 3U);
  EXPECT_EQ(got.lanes, 5);
  EXPECT_EQ(got.items, sent.items);
  EXPECT_EQ(got.left_s, 2.5);
  EXPECT_EQ(got.text, "x");
  EXPECT_EQ(got.started, sent.started);
}

TEST(FarmMessage, many_parcels_share_a_message) {
  base::ByteWriter message = begin_bulk(9);
  append(message, {.item = 7, .last = false, .body = base::Bytes(3, std::byte{9})});
  append(message, {.item = 8, .last = true, .body = {}});
  const auto [farm, result_chunks] = decode_bulk(message.take());
  EXPECT_EQ(farm, 9U);
  ASSERT_EQ(result_chunks.size(), 2U);
  EXPECT_EQ(result_chunks[0].item, 7);
  EXPECT_FALSE(result_chunks[0].last);
  EXPECT_EQ(result_chunks[0].body, base::Bytes(3, std::byte{9}));
  EXPECT_TRUE(result_chunks[1].last);
  EXPECT_TRUE(result_chunks[1].body.empty());
}

TEST(FarmMessage, that_was_cut_short_is_an_error) {
  base::ByteWriter message = begin_bulk(9);
  append(message, {.item = 7, .body = base::Bytes(100)});
  base::Bytes bytes = message.take();
  bytes.resize(bytes.size() - 1);
  EXPECT_THROW(decode_bulk(bytes), base::Error);
}

}  // namespace
}  // namespace tessera::farm
