#include "job/arrays/reduce_identity.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace tessera::job {
namespace {

std::string identity_of(const std::vector<std::string>& inputs, const std::vector<Given>& given) {
  return identity(make_reduce_job(inputs, given));
}

const std::vector<Given> kSum = {{"op", "sum", "--op"}};

std::vector<Given> with(std::vector<Given> given, const std::string& name,
                        const std::string& value) {
  given.push_back({name, value, "--" + name});
  return given;
}

TEST(ReduceIdentity, DependsOnWhatDecidesNumbers) {
  const std::string usual = identity_of({"a.npy"}, kSum);
  EXPECT_NE(identity_of({"b.npy"}, kSum), usual);
  EXPECT_NE(identity_of({"a.npy", "b.npy"}, kSum), usual);
  EXPECT_NE(identity_of({"a.npy"}, {{"op", "sum,mean", "--op"}}), usual);
  EXPECT_NE(identity_of({"a.npy"}, with(kSum, "nan", "skip")), usual);
  EXPECT_NE(identity_of({"a.npy"}, with(kSum, "ddof", "1")), usual);
  EXPECT_NE(identity_of({"a.npy"}, with(with(kSum, "axis", "0"), "output", "b.npy")), usual);
  const std::vector<Given> by = with(kSum, "by", "k.npy");
  EXPECT_NE(identity_of({"a.npy"}, by), usual);
  EXPECT_NE(identity_of({"a.npy"}, by), identity_of({"a.npy"}, with(kSum, "by", "l.npy")));
  EXPECT_NE(identity_of({"a.npy"}, with(by, "groups", "9")), identity_of({"a.npy"}, by));
  EXPECT_NE(identity_of({"a.npy"}, with(by, "bins", "0,1,2")), identity_of({"a.npy"}, by));
  const std::vector<Given> bins = {{"op", "histogram=4,0,1", "--op"}};
  EXPECT_NE(identity_of({"a.npy"}, bins),
            identity_of({"a.npy"}, {{"op", "histogram=4,0,2", "--op"}}));
  const std::vector<Given> dot = {{"op", "dot", "--op"}};
  EXPECT_NE(identity_of({"a.npy"}, with(dot, "with", "b.npy")),
            identity_of({"a.npy"}, with(dot, "with", "c.npy")));
  EXPECT_NE(identity_of({"a.h5:/x"}, kSum), identity_of({"a.h5:/y"}, kSum));
}

TEST(ReduceIdentity, DoesNotDependOnHowTheWorkIsDone) {
  const std::string usual = identity_of({"a.npy"}, kSum);
  for (const auto& [name, value] :
       std::vector<std::pair<std::string, std::string>>{{"device", "reference"},
                                                        {"threads", "3"},
                                                        {"memory", "1G"},
                                                        {"slice", "1M"},
                                                        {"quiet", "true"},
                                                        {"report", "r.json"},
                                                        {"overwrite", "true"},
                                                        {"checkpoint", "5"},
                                                        {"checkpoint-file", "c"},
                                                        {"max-seconds", "7"}}) {
    EXPECT_EQ(identity_of({"a.npy"}, with(kSum, name, value)), usual) << name;
  }
}

TEST(ReduceIdentity, KnowsAFileByItsPath) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(identity_of({"a.npy"}, kSum), identity_of({here + "/b/../a.npy"}, kSum));
  EXPECT_EQ(identity_of({"a.raw?dtype=f4&shape=3"}, kSum),
            identity_of({"./a.raw?dtype=f4&shape=3"}, kSum));
}

}  // namespace
}  // namespace tessera::job
