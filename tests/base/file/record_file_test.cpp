#include "base/file/record_file.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "damages.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::base {
namespace {

std::span<const std::byte> bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// All records that a reader finds from the first one on, as texts.
std::vector<std::string> read_records(const std::string& path) {
  std::vector<std::string> records;
  const InputFile file(path);
  const RecordReader reader(file, kOrbitMark);
  if (!reader.head()) return records;
  for (auto record = reader.at(reader.head()->end_byte); record;
       record = reader.at(record->end_byte())) {
    const auto payload = reader.read(*record);
    if (!payload) break;
    records.push_back(fmt::format("{}: {}", record->tag, text_of(*payload)));
  }
  return records;
}

class RecordFile : public testing::Test {
 protected:
  /// A file with these records.
  void write(const std::vector<std::string>& payloads, std::string_view identity = "of me") {
    PosixFile file(path_);
    RecordWriter writer(file, kOrbitMark, bytes_of_text(identity));
    std::uint64_t tag = 0;
    for (const std::string& payload : payloads) writer.append(tag++, bytes_of_text(payload));
    end_byte_ = writer.end_byte();
  }

  store::ScratchFolder folder_;
  std::string path_ = folder_.file("a.orbit");
  std::uint64_t end_byte_ = 0;
};

TEST_F(RecordFile, GivesBackWhatWasWritten) {
  write({"first", "", "third"});
  EXPECT_EQ(read_records(path_), (std::vector<std::string>{"0: first", "1: ", "2: third"}));
  const InputFile file(path_);
  const RecordReader reader(file, kOrbitMark);
  EXPECT_EQ(text_of(reader.head()->identity), "of me");
  EXPECT_TRUE(reader.is_sound_up_to(end_byte_));
  EXPECT_FALSE(reader.is_sound_up_to(end_byte_ - 1));
  EXPECT_FALSE(reader.is_sound_up_to(end_byte_ + 1));
  EXPECT_FALSE(RecordReader(file, kGroupsMark).head());
}

TEST_F(RecordFile, IsContinuedBehindARecord) {
  write({"first", "second"});
  {
    const InputFile before(path_);
    const RecordReader reader(before, kOrbitMark);
    const auto first = reader.at(reader.head()->end_byte);
    PosixFile file(path_, PosixFile::Start::as_it_is);
    RecordWriter writer(file, *reader.head(), first->end_byte());
    writer.append(7, bytes_of_text("another"));
  }
  EXPECT_EQ(read_records(path_), (std::vector<std::string>{"0: first", "7: another"}));
}

TEST_F(RecordFile, NeverGivesWhatWasNotWritten) {
  std::vector<std::string> payloads, all;
  for (int i = 0; i < 9; ++i) {
    // Some of one size, so that their places can be swapped.
    payloads.push_back(
        std::string(static_cast<std::size_t>(i / 3) * 40, static_cast<char>('a' + i)));
    all.push_back(fmt::format("{}: {}", i, payloads.back()));
  }
  write(payloads);
  for (const auto& [what, bytes] : damages_of(read_whole(path_), 500)) {
    write_whole(path_, bytes);
    const std::vector<std::string> found = read_records(path_);
    ASSERT_LE(found.size(), all.size()) << what;
    EXPECT_TRUE(std::equal(found.begin(), found.end(), all.begin())) << what;
    EXPECT_EQ(found.size() == all.size(), what == "appended garbage") << what;
    const InputFile file(path_);
    EXPECT_EQ(RecordReader(file, kOrbitMark).is_sound_up_to(end_byte_), found.size() == all.size())
        << what;
  }
}

TEST_F(RecordFile, TakesNoRecordOfAnotherPlaceOrFile) {
  write({"one", "two", "six"});
  const auto bytes = read_whole(path_);
  const std::size_t each = 24 + 3;
  const std::size_t head = bytes.size() - 3 * each;
  auto swapped = bytes;
  std::swap_ranges(swapped.begin() + static_cast<std::ptrdiff_t>(head),
                   swapped.begin() + static_cast<std::ptrdiff_t>(head + each),
                   swapped.begin() + static_cast<std::ptrdiff_t>(head + each));
  write_whole(path_, swapped);
  EXPECT_TRUE(read_records(path_).empty());
  write({"one", "two", "six"});  // the same, but another file
  auto mixed = read_whole(path_);
  std::copy(bytes.begin() + static_cast<std::ptrdiff_t>(head + each), bytes.end(),
            mixed.begin() + static_cast<std::ptrdiff_t>(head + each));
  write_whole(path_, mixed);
  EXPECT_EQ(read_records(path_), std::vector<std::string>{"0: one"});
}

TEST_F(RecordFile, OfOneRecordIsAllOrNothing) {
  const Bytes whole = sole_record(kNoteMark, bytes_of_text("mine"), bytes_of_text("what it says"));
  const auto read = read_sole_record(whole, kNoteMark);
  ASSERT_TRUE(read);
  EXPECT_EQ(text_of(read->identity), "mine");
  EXPECT_EQ(text_of(read->payload), "what it says");
  EXPECT_FALSE(read_sole_record(whole, kRowsMark));
  for (const auto& [what, bytes] : damages_of(whole, 1000)) {
    EXPECT_FALSE(read_sole_record(bytes, kNoteMark)) << what;
  }
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_FALSE(read_sole_record(std::span(whole).first(length), kNoteMark)) << length;
  }
}

TEST_F(RecordFile, IsReadWholeOnlyIfItIsOfItsKind) {
  const Bytes whole = sole_record(kNoteMark, {}, bytes_of_text("what it says"));
  write_whole(path_, whole);
  EXPECT_EQ(read_marked_file(path_, kNoteMark), whole);
  EXPECT_EQ(read_marked_file(path_, kRowsMark).size(), kMarkBytes);
  EXPECT_TRUE(read_marked_file(folder_.file("none"), kRowsMark).empty());
  EXPECT_EQ(front_of(path_, 3), "TSR");
}

TEST(HasMark, KnowsEarlierVersions) {
  EXPECT_TRUE(has_mark("TSRRED01 and more", kCheckpointMark));
  EXPECT_TRUE(has_mark("TSGROUPS", kGroupsMark));
  EXPECT_TRUE(has_mark(kOldNoteTitle, kNoteMark));
  EXPECT_FALSE(has_mark("TSRRED0", kCheckpointMark));
  EXPECT_FALSE(has_mark("TSRREDOX", kCheckpointMark));
  EXPECT_FALSE(has_mark("TSGROUPS", kCheckpointMark));
  EXPECT_FALSE(has_mark("tessera: a page about it", kNoteMark));
}

}  // namespace
}  // namespace tessera::base
