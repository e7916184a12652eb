// Made-up nodes: which rank drives what.
#include "device/select/assignment.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace tessera::device {
namespace {

using Names = std::vector<std::vector<std::string>>;

const std::vector<Wanted> kAutomatic = {{Wanted::Kind::automatic, "auto"}};
const std::vector<Wanted> kAnyCuda = {{Wanted::Kind::any_of, "cuda"}};
const std::vector<Wanted> kAnyGpus = {{Wanted::Kind::any_of, "gpu"}};
const std::vector<Wanted> kAnyOpencl = {{Wanted::Kind::any_of, "opencl"}};

DetectedDevice gpu(const std::string& name, const std::string& uuid, bool near = true) {
  return {{.name = name, .detail = "NVIDIA H200", .is_gpu = true, .uuid = uuid}, near};
}

DetectedDevice with_pci(DetectedDevice detected, const std::string& pci) {
  detected.info.pci = pci;
  return detected;
}

DetectedDevice unusable(DetectedDevice detected, const std::string& reason) {
  detected.info.reason = reason;
  return detected;
}

DetectedDevice pocl() {
  return {{.name = "opencl:0.0", .detail = "cpu-haswell"}};
}

/// A rank for each list of devices, numbered from 0.
std::vector<RankDevicesSeen> node_of(std::vector<std::vector<DetectedDevice>> devices) {
  std::vector<RankDevicesSeen> node;
  for (auto& mine : devices) node.push_back({static_cast<int>(node.size()), std::move(mine)});
  return node;
}

Names chosen(const std::vector<Wanted>& wanted, std::vector<std::vector<DetectedDevice>> devices) {
  return choose(wanted, node_of(std::move(devices))).names;
}

TEST(AnyGpu, IsAGpuOfAnyBackendAndNeverTheCores) {
  EXPECT_EQ(chosen(kAnyGpus, {{pocl(), gpu("opencl:1.0", "")}}), (Names{{"opencl:1.0"}}));
  EXPECT_EQ(chosen(kAnyGpus, {{unusable(gpu("cuda:0", "GPU-a"), "no"), gpu("cuda:1", "GPU-b")}}),
            (Names{{"cuda:1"}}));
  EXPECT_THROW(chosen(kAnyGpus, {{pocl()}}), base::Error);
}

TEST(AutomaticChoice, ARankAloneTakesTheGpuAndWithoutOneItsCores) {
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "GPU-a")}}), (Names{{"cuda:0"}}));
  EXPECT_EQ(chosen(kAutomatic, {{}}), (Names{{"cpu"}}));
}

TEST(AutomaticChoice, RanksBelowTheNumberOfGpusDriveOneEachTheOthersTheirCores) {
  const std::vector<DetectedDevice> both = {gpu("cuda:0", "GPU-a"), gpu("cuda:1", "GPU-b")};
  EXPECT_EQ(chosen(kAutomatic, {both, both, both, both}),
            (Names{{"cuda:0"}, {"cuda:1"}, {"cpu"}, {"cpu"}}));
}

TEST(AutomaticChoice, PrefersTheGpuAtTheRanksOwnCores) {
  const auto near = [](int mine) {
    std::vector<DetectedDevice> detected;
    for (int i = 0; i < 4; ++i) {
      const std::string number = std::to_string(i);
      detected.push_back(gpu("cuda:" + number, "GPU-" + number, i / 2 == mine / 2));
    }
    return detected;
  };
  EXPECT_EQ(chosen(kAutomatic, {near(2), near(3), near(0), near(1)}),
            (Names{{"cuda:2"}, {"cuda:3"}, {"cuda:0"}, {"cuda:1"}}));
}

TEST(AutomaticChoice, NearestDoesNotTakeTheOnlyNearOneFromAnother) {
  // Rank 0 is bound to nothing, rank 1 to the cores of GPU a.
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "a"), gpu("cuda:1", "b")},
                                {gpu("cuda:0", "a"), gpu("cuda:1", "b", false)}}),
            (Names{{"cuda:1"}, {"cuda:0"}}));
}

TEST(AutomaticChoice, AFarGpuIsBetterThanNone) {
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "a", false)}}), (Names{{"cuda:0"}}));
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "a"), gpu("cuda:1", "b", false)},
                                {gpu("cuda:0", "a"), gpu("cuda:1", "b", false)}}),
            (Names{{"cuda:0"}, {"cuda:1"}}));
}

TEST(AutomaticChoice, NoGpuStaysIdleThatARankCouldDrive) {
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "a"), gpu("cuda:1", "b")}, {gpu("cuda:0", "a")}}),
            (Names{{"cuda:1"}, {"cuda:0"}}));
}

TEST(AutomaticChoice, OneNameInEveryRankIsSeveralGpusWhenUuidsDiffer) {
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "GPU-a")}, {gpu("cuda:0", "GPU-b")}}),
            (Names{{"cuda:0"}, {"cuda:0"}}));
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "GPU-a")}, {gpu("cuda:0", "GPU-a")}}),
            (Names{{"cuda:0"}, {"cpu"}}));
}

TEST(AutomaticChoice, OneGpuUnderTwoNumbersGoesToOneRank) {
  EXPECT_EQ(chosen(kAutomatic, {{gpu("cuda:0", "a")}, {gpu("cuda:0", "b"), gpu("cuda:1", "a")}}),
            (Names{{"cuda:0"}, {"cuda:0"}}));
}

TEST(AutomaticChoice, InstancesOfOneGpuAreDevicesOfTheirOwn) {
  // Both backends see each rank's instance; the OpenCL driver tells the PCI address only.
  const auto instance = [](const std::string& uuid) {
    return std::vector<DetectedDevice>{with_pci(gpu("cuda:0", uuid), "0000:17:00.0"),
                                       with_pci(gpu("opencl:0.0", ""), "0000:17:00.0")};
  };
  EXPECT_EQ(chosen(kAutomatic, {instance("MIG-1"), instance("MIG-2"), instance("MIG-2")}),
            (Names{{"cuda:0"}, {"cuda:0"}, {"cpu"}}));
}

TEST(AutomaticChoice, AGpuSeenThroughTwoBackendsCountsOnce) {
  const std::vector<std::pair<DetectedDevice, DetectedDevice>> pairs = {
      {gpu("cuda:0", "GPU-1234abcd-00"), gpu("opencl:0.0", "1234ABCD00")},
      {with_pci(gpu("cuda:0", "GPU-a"), "0000:17:00.0"),
       with_pci(gpu("opencl:0.0", ""), "17:00.0")},
      {gpu("cuda:0", "GPU-a"), gpu("opencl:0.0", "")},  // the same model: the best that is known
  };
  for (const auto& [cuda, opencl] : pairs) {
    const std::vector<DetectedDevice> detected = {cuda, opencl};
    EXPECT_EQ(chosen(kAutomatic, {detected, detected}), (Names{{"cuda:0"}, {"cpu"}}));
  }
}

TEST(AutomaticChoice, DifferentGpusOfTwoBackendsAreBothDriven) {
  DetectedDevice other = gpu("opencl:1.0", "");
  other.info.detail = "gfx90a";
  const std::vector<DetectedDevice> detected = {gpu("cuda:0", "GPU-a"), other};
  EXPECT_EQ(chosen(kAutomatic, {detected, detected}), (Names{{"cuda:0"}, {"opencl:1.0"}}));
}

TEST(AutomaticChoice, LeavesOutWhatCannotBeUsedAndWhatIsNoGpu) {
  DetectedDevice no_fp64 = gpu("cuda:1", "b");
  no_fp64.info.fp64 = false;
  EXPECT_EQ(chosen(kAutomatic, {{unusable(gpu("cuda:0", "a"), "driver too old"), no_fp64, pocl()}}),
            (Names{{"cpu"}}));
  EXPECT_EQ(chosen(kAutomatic, {{unusable(gpu("cuda:0", "a"), "broken"), gpu("opencl:0.0", "a")}}),
            (Names{{"opencl:0.0"}}));
}

TEST(AutomaticChoice, WithCoresBesideItTakesThemOnce) {
  const std::vector<Wanted> both = {{Wanted::Kind::automatic, "auto"},
                                    {Wanted::Kind::named, "cpu"}};
  EXPECT_EQ(chosen(both, {{gpu("cuda:0", "a")}, {}}), (Names{{"cuda:0", "cpu"}, {"cpu"}}));
  const std::vector<Wanted> plain = {{Wanted::Kind::automatic, "auto"},
                                     {Wanted::Kind::named, "cpu:avx2"}};
  EXPECT_EQ(chosen(plain, {{gpu("cuda:0", "a")}, {}}),
            (Names{{"cuda:0", "cpu:avx2"}, {"cpu:avx2"}}));
}

TEST(NamedChoice, IsTakenAsItIs) {
  const std::vector<Wanted> wanted = {{Wanted::Kind::named, "cuda:1"},
                                      {Wanted::Kind::named, "cuda:0"}};
  EXPECT_EQ(chosen(wanted, {{}, {}}), (Names{{"cuda:1", "cuda:0"}, {"cuda:1", "cuda:0"}}));
}

TEST(ChoiceOfABackend, GivesEachRankItsOwnAndThenShares) {
  const std::vector<DetectedDevice> both = {gpu("cuda:0", "a"), gpu("cuda:1", "b")};
  const NodeChoice choice = choose(kAnyCuda, node_of({both, both, both}));
  EXPECT_EQ(choice.names, (Names{{"cuda:0"}, {"cuda:1"}, {"cuda:0"}}));
  ASSERT_EQ(choice.warnings.size(), 1U);
  EXPECT_EQ(choice.warnings[0], "--device cuda: 2 ranks share cuda:0 (NVIDIA H200)");
  EXPECT_TRUE(choose(kAnyCuda, node_of({both, both})).warnings.empty());
}

TEST(ChoiceOfABackend, PrefersGpusAndElseSharesWhatThereIsWithoutAWarning) {
  const DetectedDevice real = gpu("opencl:1.0", "a");
  EXPECT_EQ(chosen(kAnyOpencl, {{pocl(), real}, {pocl(), real}}),
            (Names{{"opencl:1.0"}, {"opencl:1.0"}}));
  const NodeChoice choice = choose(kAnyOpencl, node_of({{pocl()}, {pocl()}}));
  EXPECT_EQ(choice.names, (Names{{"opencl:0.0"}, {"opencl:0.0"}}));
  EXPECT_TRUE(choice.warnings.empty());
}

TEST(ChoiceOfABackend, SaysWhatIsMissingForWhomAndWhy) {
  const auto expect_missing = [](std::vector<std::vector<DetectedDevice>> devices,
                                 const std::string& words) {
    try {
      choose(kAnyCuda, node_of(std::move(devices)));
      FAIL() << "nothing was thrown";
    } catch (const base::Error& error) {
      EXPECT_EQ(error.code(), base::ExitCode::missing);
      EXPECT_EQ(error.what(), words);
    }
  };
  expect_missing({{pocl()}}, "--device cuda: no such device; tessera devices lists what there is");
  expect_missing(
      {{unusable(gpu("cuda:0", "a"), "no driver")}},
      "--device cuda: no such device (cuda:0: no driver); tessera devices lists what there "
      "is");
  expect_missing({{gpu("cuda:0", "a")}, {}},
                 "--device cuda: rank 1 has no such device; tessera devices lists what there is");
}

/// why_not for each device of each rank.
Names reasons(const std::vector<Wanted>& wanted, const std::vector<RankDevicesSeen>& node) {
  const NodeChoice choice = choose(wanted, node);
  Names all;
  for (std::size_t rank = 0; rank < node.size(); ++rank) {
    auto& mine = all.emplace_back();
    for (const DetectedDevice& detected : node[rank].devices) {
      mine.push_back(why_not(detected, rank, wanted, node, choice));
    }
  }
  return all;
}

TEST(WhyNot, HasAReasonForEverythingThatARankDoesNotUse) {
  const std::vector<DetectedDevice> detected = {
      {{.name = "cpu"}},      {{.name = "reference"}},
      gpu("cuda:0", "a"),     unusable(gpu("cuda:1", "b"), "no fp64"),
      gpu("opencl:0.0", "a"), pocl()};
  auto node = node_of({detected, detected});
  node[1].rank = 7;
  EXPECT_EQ(reasons(kAutomatic, node),
            (Names{{"this rank drives a GPU; auto,cpu would add it", "only when named", "",
                    "no fp64", "the same device as cuda:0", "only when named"},
                   {"", "only when named", "driven by rank 0", "no fp64", "driven by rank 0",
                    "only when named"}}));
}

TEST(WhyNot, GpusWithoutARankAndListsWithoutAuto) {
  const auto node = node_of({{gpu("cuda:0", "a"), gpu("cuda:1", "b")}});
  EXPECT_EQ(reasons(kAutomatic, node),
            (Names{{"", "a rank drives one GPU; name it, or start one more rank"}}));
  EXPECT_EQ(reasons({{Wanted::Kind::named, "cpu"}}, node),
            (Names{{"only when named", "only when named"}}));
}

}  // namespace
}  // namespace tessera::device
