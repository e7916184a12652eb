#include "store/reduce_checkpoint.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "scratch_folder.hpp"
#include "tests/base/file/damages.hpp"

namespace tessera::store {
namespace {

using What = ReduceCheckpointFile::What;

ReduceCheckpoint sample() {
  ReduceCheckpoint checkpoint{.version = "1.2",
                              .job = "input a.npy\nop sum\n",
                              .inputs = "a.npy\t8\t9\n",
                              .may_replace = true,
                              .slice_bytes = 4096,
                              .tiles_each = 3,
                              .shares = 2,
                              .pass = 1,
                              .finished = std::vector<bool>(77)};
  for (const std::size_t item : {0, 8, 9, 63, 64, 76}) checkpoint.finished[item] = true;
  checkpoint.partial.assign(1000, std::byte{7});
  return checkpoint;
}

void expect_equal(const ReduceCheckpoint& a, const ReduceCheckpoint& b) {
  EXPECT_EQ(a.version, b.version);
  EXPECT_EQ(a.job, b.job);
  EXPECT_EQ(a.inputs, b.inputs);
  EXPECT_EQ(a.may_replace, b.may_replace);
  EXPECT_EQ(a.slice_bytes, b.slice_bytes);
  EXPECT_EQ(a.tiles_each, b.tiles_each);
  EXPECT_EQ(a.shares, b.shares);
  EXPECT_EQ(a.pass, b.pass);
  EXPECT_EQ(a.finished, b.finished);
  EXPECT_EQ(a.partial, b.partial);
}

void write_file(const std::string& path, std::span<const std::byte> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

TEST(ReduceCheckpoint, ReadsBackToItself) {
  const auto read = decode_reduce_checkpoint(encode(sample()));
  ASSERT_TRUE(read);
  expect_equal(*read, sample());
  EXPECT_EQ(read->count_finished(), 6);
}

TEST(ReduceCheckpoint, OfWhichAByteIsDamagedIsRecognised) {
  const base::Bytes sound = encode(sample());
  std::mt19937 random(3);
  for (std::size_t i = 0; i < sound.size(); ++i) {
    base::Bytes damaged = sound;
    damaged[i] ^= std::byte{1} << (random() % 8);
    EXPECT_FALSE(decode_reduce_checkpoint(damaged)) << i;
  }
}

TEST(ReduceCheckpoint, OfWhichPiecesAreSwappedOrZeroIsRecognised) {
  for (const auto& [what, bytes] : base::damages_of(encode(sample()), 400)) {
    EXPECT_FALSE(decode_reduce_checkpoint(bytes)) << what;
  }
}

TEST(ReduceCheckpoint, OfAnotherLengthIsRecognised) {
  const base::Bytes sound = encode(sample());
  for (std::size_t length = 0; length < sound.size(); ++length) {
    EXPECT_FALSE(decode_reduce_checkpoint(std::span(sound).first(length))) << length;
  }
  base::Bytes longer = sound;
  longer.push_back(std::byte{});
  EXPECT_FALSE(decode_reduce_checkpoint(longer));
}

class ReduceCheckpointFileTest : public testing::Test {
 protected:
  ScratchFolder folder_;
  std::string path_ = folder_.file("a.checkpoint");
};

TEST_F(ReduceCheckpointFileTest, IsFoundAsItWasSaved) {
  {
    ReduceCheckpointFile file(path_);
    EXPECT_EQ(file.find().what, What::nothing);
    EXPECT_FALSE(file.there());
    file.save_blank({});
    file.save(sample());
    EXPECT_TRUE(file.there());
  }
  ReduceCheckpointFile file(path_);
  const auto found = file.find();
  ASSERT_EQ(found.what, What::checkpoint);
  expect_equal(found.checkpoint, sample());
  file.remove();
  EXPECT_EQ(folder_.files(), 0);
}

TEST_F(ReduceCheckpointFileTest, IsOneRunsAtATime) {
  ReduceCheckpointFile first(path_);
  first.save(sample());
  for (int saved = 0; saved < 3; ++saved) {
    ReduceCheckpointFile second(path_);
    for (const auto& intrude :
         {std::function([&] { second.find(); }), std::function([&] { second.save(sample()); })}) {
      try {
        intrude();
        ADD_FAILURE() << "nobody said no";
      } catch (const base::Error& error) {
        EXPECT_EQ(error.code(), base::ExitCode::usage);
        EXPECT_NE(std::string(error.what()).find(fmt::format("process {} on ", ::getpid())),
                  std::string::npos)
            << error.what();
      }
    }
    first.save(sample());
  }
}

TEST_F(ReduceCheckpointFileTest, IsNotMistakenForSomethingElse) {
  write_file(path_, {});
  EXPECT_EQ(ReduceCheckpointFile(path_).find().what, What::nothing);
  write_file(path_, std::as_bytes(std::span("TSRRED01 as an earlier version wrote it")));
  EXPECT_EQ(ReduceCheckpointFile(path_).find().what, What::damaged);
  write_file(path_, std::as_bytes(std::span("mine, all mine")));
  EXPECT_EQ(ReduceCheckpointFile(path_).find().what, What::other);
  base::Bytes damaged = encode(sample());
  damaged.back() ^= std::byte{1};
  write_file(path_, damaged);
  EXPECT_EQ(ReduceCheckpointFile(path_).find().what, What::damaged);
}

TEST_F(ReduceCheckpointFileTest, LeavesTheOldOneWhereTheNewOneWasCutOff) {
  ReduceCheckpointFile(path_).save(sample());
  // What a kill in the middle of the next save leaves.
  base::Bytes torn = encode(sample());
  torn.resize(100);
  write_file(path_ + ".new", torn);
  ReduceCheckpointFile file(path_);
  EXPECT_EQ(file.find().what, What::checkpoint);
  EXPECT_FALSE(std::filesystem::exists(path_ + ".new"));
}

TEST_F(ReduceCheckpointFileTest, IsNotRemovedWhereItIsAnotherRunsByNow) {
  ReduceCheckpointFile first(path_);
  first.save(sample());
  std::filesystem::remove(path_);
  ReduceCheckpointFile second(path_);
  second.save(sample());
  first.remove();
  EXPECT_TRUE(std::filesystem::exists(path_));
  second.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

}  // namespace
}  // namespace tessera::store
