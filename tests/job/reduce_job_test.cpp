#include "job/arrays/reduce_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "given.hpp"

namespace tessera::job {
namespace {

ReduceJob reduce_of(std::initializer_list<std::pair<std::string_view, std::string_view>> options) {
  const std::vector<std::string> inputs = {"a.npy"};
  return make_reduce_job(inputs, given(options));
}

void refused(std::initializer_list<std::pair<std::string_view, std::string_view>> options,
             const std::vector<std::string>& words) {
  expect_error(base::ExitCode::usage, words, [&] { reduce_of(options); });
}

TEST(ReduceJob, KeepsOperationsInTheOrderGiven) {
  const ReduceJob job = reduce_of({{"op", "argmax, sum,any"}});
  EXPECT_EQ(job.operations, (std::vector{Operation::argmax, Operation::sum, Operation::any}));
}

TEST(ReduceJob, NamesEachOperationAsItIsRead) {
  for (const OperationRow& row : operations()) {
    if (!row.value.empty() || row.arrays == 2) continue;  // need a value or another array
    const ReduceJob job = reduce_of({{"op", row.name}});
    EXPECT_EQ(job.operations, (std::vector{row.operation}));
  }
}

TEST(ReduceJob, ListsEveryOperationInItsHelp) {
  const auto option = std::ranges::find(reduce_options(), "op", &Option<ReduceJob>::name);
  EXPECT_EQ(
      option->help,
      "operations: sum prod mean var std skewness kurtosis min max argmin argmax minmax norm1 "
      "norm2 norminf count count_nonzero any all dot cov corr histogram=BINS[,LO,HI] "
      "median quantile=Q[,Q...] "
      "mode nunique topk=K argtopk=K");
}

TEST(ReduceJob, ContinuesAListByNumbers) {
  const ReduceJob job = reduce_of({{"op", "quantile=0.01,.5,+1,mean,topk=3,median,argtopk=1e3"}});
  EXPECT_EQ(job.operations, (std::vector{Operation::quantile, Operation::mean, Operation::topk,
                                         Operation::median, Operation::argtopk}));
  EXPECT_EQ(job.quantiles, (std::vector{0.01, 0.5, 1.0}));
  EXPECT_EQ(job.topk, 3);
  EXPECT_EQ(job.argtopk, 1000);
  EXPECT_EQ(format_operations(job.operations, job),
            "quantile=0.01,0.5,1,mean,topk=3,median,argtopk=1000");
}

TEST(ReduceJob, TellsTheCommasOfAHistogramFromThoseOfTheList) {
  const ReduceJob job = reduce_of({{"op", "sum,histogram=4,-1,2.5,max"}});
  EXPECT_EQ(job.operations, (std::vector{Operation::sum, Operation::histogram, Operation::max}));
  EXPECT_EQ(job.histogram.bins, 4);
  EXPECT_EQ(job.histogram.range, (std::pair{-1.0, 2.5}));
  EXPECT_FALSE(reduce_of({{"op", "histogram=4,sum,max"}}).histogram.range);
}

TEST(ReduceJob, RefusesWhatMakesNoSense) {
  refused({}, {"--op"});
  refused({{"op", ""}}, {"--op", "names no operation"});
  refused({{"op", "sum,sun"}}, {"'sun'", "did you mean 'sum'"});
  for (const std::string other : {"mad", "sem", "gmean", "norm3"}) {
    refused({{"op", "sum," + other}}, {"'" + other + "'", "there are sum, prod, mean"});
  }
  refused({{"op", "percentile"}}, {"no operation 'percentile'; take quantile=Q"});
  refused({{"op", "quantile=0.5,1.5"}}, {"1.5 is outside 0..1"});
  refused({{"op", "quantile"}}, {"quantile=Q[,Q...]"});
  refused({{"op", "topk=3,4"}}, {"topk=K"});
  refused({{"op", "stdev"}}, {"no operation 'stdev'; take std"});
  refused({{"op", "nanargmin"}}, {"'nanargmin'; take argmin with --nan skip"});
  refused({{"op", "sum,sum"}}, {"'sum' is named twice"});
  refused({{"op", "sum"}, {"ddof", "-1"}}, {"--ddof", "'-1'"});
  refused({{"op", "sum"}, {"nan", "ignore"}}, {"--nan", "'ignore'", "propagate"});
  refused({{"op", "sum"}, {"slice", "1K"}}, {"--slice", "4K"});
}

TEST(ReduceJob, NeedsAnInputOrMore) {
  const auto options = given({{"op", "sum"}});
  expect_error(base::ExitCode::usage, {"INPUT"}, [&] { make_reduce_job({}, options); });
  const std::vector<std::string> two = {"a.npy", "b.h5:/c"};
  EXPECT_EQ(make_reduce_job(two, options).inputs.size(), 2U);
}

TEST(ReduceJob, IsDescribedByWhatItIsMadeOf) {
  const ReduceJob job =
      reduce_of({{"op", "var,histogram=5,0,0.1,std"}, {"ddof", "1"}, {"nan", "skip"}});
  const auto lines = describe(job);
  std::vector<Given> again;
  for (const auto& [key, value] : lines) {
    if (key != "input") again.push_back({key, value, key});
  }
  const std::vector<std::string> inputs = {lines.front().second};
  EXPECT_EQ(make_reduce_job(inputs, again), job);
}

}  // namespace
}  // namespace tessera::job
