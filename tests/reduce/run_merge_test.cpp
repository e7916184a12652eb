#include "reduce/groups/run_merge.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "tests/base/file/damages.hpp"
#include "tests/store/scratch_folder.hpp"

namespace tessera::reduce {
namespace {

using statistics::GroupKey;
using statistics::GroupMember;
using statistics::GroupPartials;

constexpr statistics::ReductionSpec kCounts{.type = base::ElementType::i64};

struct Runs {
  std::vector<StoredRun> stored;
  std::map<GroupKey, std::int64_t> truth;  ///< elements of each group
};

/// Runs of keys between lowest and highest, some of them in several runs.
Runs write_groups(RunFile& file, std::size_t runs, std::size_t block_bytes) {
  std::mt19937_64 random(11);
  Runs all;
  for (std::size_t r = 0; r < runs; ++r) {
    std::map<GroupKey, std::int64_t> groups;
    const GroupKey range = r % 3 == 0 ? 100 : 5000;  // runs that end early, and others
    for (std::size_t i = 0; i < 300; ++i) ++groups[random() % range * 1000003];
    GroupPartials run;
    run.grow(kCounts, groups.size());
    std::size_t g = 0;
    for (const auto& [key, elements] : groups) {
      run.keys.push_back(key);
      run.elements[g++] = elements;
      all.truth[key] += elements;
    }
    all.stored.push_back(write_run(file, GroupRecords(kCounts), run, block_bytes));
  }
  return all;
}

void expect_groups(RunMerge<GroupRecords>& merge, const Runs& runs, GroupKey first, GroupKey last,
                   const std::vector<GroupKey>& stops) {
  std::map<GroupKey, std::int64_t> got;
  GroupKey before = 0;
  for (const GroupKey stop : stops) {
    while (const auto some = merge.next(stop)) {
      for (std::size_t g = 0; g < some->size(); ++g) {
        EXPECT_TRUE(got.empty() || some->keys[g] > before) << "in order, each once";
        before = some->keys[g];
        EXPECT_LE(before, stop);
        got[before] = some->elements[g];
      }
    }
  }
  EXPECT_EQ(got, (std::map(runs.truth.lower_bound(first), runs.truth.upper_bound(last))));
}

class RunMergeTest : public testing::Test {
 protected:
  store::ScratchFolder folder_;
  std::string path_ = folder_.file("t.groups");
};

TEST_F(RunMergeTest, GivesEachGroupOnce) {
  for (const std::size_t block_bytes : {std::size_t{1}, std::size_t{500}, std::size_t{1} << 20}) {
    for (const std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{30}}) {
      RunFile file(path_, base::kGroupsMark);
      const Runs runs = write_groups(file, count, block_bytes);
      RunMerge<GroupRecords> all(GroupRecords(kCounts), path_, runs.stored, 0);
      expect_groups(all, runs, 0, statistics::kLastKey, {statistics::kLastKey});
      EXPECT_TRUE(all.done());
      ASSERT_TRUE(runs.truth.contains(0));
      RunMerge<GroupRecords> but_zero(GroupRecords(kCounts), path_, runs.stored, 1);
      expect_groups(but_zero, runs, 1, statistics::kLastKey, {statistics::kLastKey});
      const GroupKey first = 40 * GroupKey{1000003} + 1;
      const GroupKey last = 3000 * GroupKey{1000003};
      RunMerge<GroupRecords> some(GroupRecords(kCounts), path_, runs.stored, first);
      expect_groups(some, runs, first, last, {first, first + 77, 90 * GroupKey{1000003}, last});
    }
  }
}

TEST_F(RunMergeTest, MergesRunsUntilTheyAreFew) {
  for (const std::size_t count : {3, 4, 5, 6, 7, 25}) {
    RunFile file(path_, base::kGroupsMark);
    Runs runs = write_groups(file, count, 320);
    std::uint64_t largest = 0;
    for (const StoredRun& run : runs.stored) largest = std::max(largest, run.max_bytes);
    EXPECT_LE(largest, 320);
    int polls = 0;
    const auto before = runs.stored;
    runs.stored = merge_runs(file, GroupRecords(kCounts), runs.stored, 320, 3 * 4 * largest,
                             [&] { ++polls; });
    EXPECT_EQ(runs.stored.size(), std::min<std::size_t>(count, 4));
    EXPECT_EQ(polls > 0, count > 4);
    RunMerge<GroupRecords> all(GroupRecords(kCounts), path_, runs.stored, 0);
    expect_groups(all, runs, 0, statistics::kLastKey, {statistics::kLastKey});
  }
}

TEST_F(RunMergeTest, KeepsElementsOfAGroupTogether) {
  std::mt19937_64 random(12);
  RunFile file(path_, base::kGroupsMark);
  std::vector<StoredRun> runs;
  std::vector<GroupMember> truth;
  for (int r = 0; r < 9; ++r) {
    std::vector<GroupMember> run;
    for (int i = 0; i < 2000; ++i) {
      const GroupKey group = random() % 50 == 0 ? statistics::kLastKey - 1 : random() % 100;
      run.push_back({group, static_cast<std::int64_t>(random() % 1000000), random()});
    }
    truth.insert(truth.end(), run.begin(), run.end());
    statistics::sort_members(run);
    runs.push_back(write_run(file, MemberRecords(), run, 10 * sizeof(GroupMember)));
  }
  RunMerge<MemberRecords> merge(MemberRecords(), path_, runs, 0);
  std::vector<GroupMember> got;
  while (const auto some = merge.next(statistics::kLastKey)) {
    EXPECT_TRUE(got.empty() || got.back().group < some->front().group);
    EXPECT_TRUE(std::ranges::is_sorted(*some, {}, &GroupMember::group));
    got.insert(got.end(), some->begin(), some->end());
  }
  std::ranges::sort(got);
  std::ranges::sort(truth);
  EXPECT_EQ(got, truth);
}

TEST_F(RunMergeTest, ResumesWithWhatWasWritten) {
  Runs runs;
  RunFilePlace place;
  {
    RunFile file(path_, base::kGroupsMark);
    EXPECT_TRUE(file.resume(file.place())) << "nothing was written";
    runs = write_groups(file, 4, 500);
    file.sync();
    place = file.place();
    write_groups(file, 3, 500);
  }
  {
    RunFile file(path_, base::kGroupsMark);
    EXPECT_TRUE(file.resume(place));
    const Runs others = write_groups(file, 2, 500);
    RunMerge<GroupRecords> first(GroupRecords(kCounts), path_, runs.stored, 0);
    expect_groups(first, runs, 0, statistics::kLastKey, {statistics::kLastKey});
    RunMerge<GroupRecords> second(GroupRecords(kCounts), path_, others.stored, 0);
    expect_groups(second, others, 0, statistics::kLastKey, {statistics::kLastKey});
  }
  RunFile(path_, base::kGroupsMark).remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
  EXPECT_FALSE(RunFile(path_, base::kGroupsMark).resume(place));
}

/// Whether all records are there, or an error says that the file is damaged.
void expect_groups_or_an_error(const std::string& path, const Runs& runs) {
  try {
    RunMerge<GroupRecords> merge(GroupRecords(kCounts), path, runs.stored, 0);
    expect_groups(merge, runs, 0, statistics::kLastKey, {statistics::kLastKey});
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("is damaged at byte"), std::string::npos)
        << error.what();
  }
}

TEST_F(RunMergeTest, GivesNoGroupOfADamagedFile) {
  Runs runs;
  RunFilePlace place;
  {
    RunFile file(path_, base::kGroupsMark);
    runs = write_groups(file, 4, 500);
    place = file.place();
  }
  for (const auto& [what, bytes] : base::damages_of(base::read_whole(path_), 400)) {
    SCOPED_TRACE(what);
    base::write_whole(path_, bytes);
    expect_groups_or_an_error(path_, runs);
    EXPECT_EQ(RunFile(path_, base::kGroupsMark).resume(place), what == "appended garbage");
  }
}

TEST_F(RunMergeTest, TakesNoOtherFileForItsOwn) {
  RunFilePlace place;
  for (int i = 0; i < 2; ++i) {
    RunFile file(path_, base::kGroupsMark);
    EXPECT_EQ(file.resume(place), i == 0) << "another one, with as many bytes";
    write_groups(file, 2, 500);
    place = file.place();
    std::filesystem::remove(path_);
    RunFile another(path_, base::kGroupsMark);
    write_groups(another, 2, 500);
    EXPECT_EQ(another.bytes(), place.bytes);
  }
}

TEST_F(RunMergeTest, LeavesTheFilesOfOthers) {
  std::ofstream(path_) << "months of groups";
  RunFile file(path_, base::kGroupsMark);
  EXPECT_THROW(write_groups(file, 1, 500), base::Error);
  file.remove();
  EXPECT_EQ(store::contents(path_), "months of groups");
  std::filesystem::remove(path_);
  RunFile ours(path_, base::kGroupsMark);
  write_groups(ours, 1, 500);
  RunFile another(path_, base::kGroupsMark);
  EXPECT_THROW(write_groups(another, 1, 500), base::Error);
  another.remove();
  EXPECT_TRUE(std::filesystem::exists(path_)) << "is being written";
  ours.remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(RunMergeTest, CountsTheMemoryOfAccumulators) {
  constexpr statistics::ReductionSpec kSums{.type = base::ElementType::f64, .sum = true};
  const GroupRecords kind(kSums);
  GroupPartials run;
  run.grow(kSums, 1000);
  for (std::size_t g = 0; g < run.size(); ++g) {
    run.keys.push_back(statistics::kLastKey - 999 + g);
    run.elements[g] = 1;
    run.sum.rest[static_cast<std::uint32_t>(g)].add(std::ldexp(1.0, static_cast<int>(g) - 500));
  }
  RunFile file(path_, base::kGroupsMark);
  const StoredRun stored = write_run(file, kind, run, 10'000);
  EXPECT_LE(stored.max_bytes, 10'000);
  EXPECT_LT(file.bytes(), 100'000) << "words that are not 0";
  RunMerge<GroupRecords> merge(kind, path_, std::span(&stored, 1), statistics::kLastKey - 500);
  GroupKey key = statistics::kLastKey - 500;
  while (const auto some = merge.next(statistics::kLastKey)) {
    for (std::size_t g = 0; g < some->size(); ++g) {
      ASSERT_EQ(some->keys[g], key);
      const auto number = static_cast<int>(key++ + 999 - statistics::kLastKey);
      EXPECT_EQ(some->sum.rest.at(static_cast<std::uint32_t>(g)).rounded(),
                std::ldexp(1.0, number - 500));
    }
  }
  EXPECT_EQ(key, 0) << "one beyond the last key";
}

}  // namespace
}  // namespace tessera::reduce
