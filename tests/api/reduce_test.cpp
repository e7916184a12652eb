// Reductions through the public headers.
#include "tessera/reduce.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <numeric>
#include <string>
#include <vector>

namespace {

using tessera::Context;
using tessera::Error;
using tessera::Partial;
using tessera::Reduction;
using tessera::Source;
using tessera::Type;

constexpr const char* kAll =
    "sum,mean,std,min,max,argmin,argmax,norm1,norm2,count_nonzero,kurtosis";

Context& cores() {
  static Context context({.device = "cpu", .threads = 2});
  return context;
}

std::string text_of(const tessera::Results& results) {
  std::string text;
  for (const tessera::Result& one : results.operations) {
    text += one.name;
    for (const tessera::Value& value : one.values) text += " " + value.text;
    text += "\n";
  }
  return text;
}

std::vector<double> numbers(std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) numbers[i] = std::sin(static_cast<double>(i * i)) * 1e5;
  return numbers;
}

Source of(const std::vector<double>& numbers) {
  return Source::memory(
      {.data = numbers.data(), .shape = {static_cast<std::int64_t>(numbers.size())}});
}

TEST(ApiReduce, of_arrays_small_and_large) {
  const Reduction reduction{{{"op", kAll}}};
  for (const std::size_t count : {1UL, 1000UL, 131072UL, 400000UL, 8400000UL}) {
    const std::vector<double> x = numbers(count);
    Context reference({.device = "reference"});
    EXPECT_EQ(text_of(reduce(cores(), of(x), reduction)),
              text_of(reduce(reference, of(x), reduction)))
        << count;
  }
}

TEST(ApiReduce, parts_merge_to_the_whole_in_any_order) {
  const Reduction reduction{{{"op", kAll}}};
  const std::vector<double> x = numbers(300000);
  const std::string whole = text_of(reduce(cores(), of(x), reduction));
  std::vector<Partial> parts;
  for (std::size_t first = 0; first < x.size(); first += 70000) {
    const auto count = static_cast<std::int64_t>(std::min<std::size_t>(70000, x.size() - first));
    const Source part = Source::memory({.data = x.data() + first, .shape = {count}});
    parts.push_back(Partial::of(cores(), part, reduction, static_cast<std::int64_t>(first)));
  }
  Partial all = parts.back();
  parts.pop_back();
  for (const Partial& part : parts) all.merge(Partial::from_bytes(part.bytes()));
  EXPECT_EQ(text_of(all.results()), whole);
}

TEST(ApiReduce, parts_of_other_reductions_are_refused) {
  const std::vector<double> x = numbers(10);
  Partial sum = Partial::of(cores(), of(x), {{{"op", "sum"}}});
  EXPECT_THROW(sum.merge(Partial::of(cores(), of(x), {{{"op", "mean"}}})), Error);
  EXPECT_THROW(Partial::of(cores(), of(x), {{{"op", "median"}}}), Error);
  std::vector<std::byte> bytes = sum.bytes();
  bytes.resize(bytes.size() / 2);
  EXPECT_THROW(Partial::from_bytes(bytes), Error);
}

/// Small arrays in memory take no shorter way past the file.
TEST(ApiReduce, a_state_of_arrays_in_memory_grows) {
  const std::string file = testing::TempDir() + "api_state_" + std::to_string(::getpid()) + ".st";
  const std::vector<double> x = numbers(1000);
  const Source first = Source::memory({.data = x.data(), .shape = {400}});
  const Source second = Source::memory({.data = x.data() + 400, .shape = {600}});
  const auto add = [&](const Source& part) {
    return text_of(
        reduce(cores(), part, {{{"op", "sum,argmax"}, {"state", file}, {"append", "true"}}}));
  };
  add(first);
  EXPECT_EQ(add(second), text_of(reduce(cores(), of(x), {{{"op", "sum,argmax"}}})));
  EXPECT_THROW(Partial::of(cores(), of(x), {{{"op", "sum"}, {"state", file}}}), Error);
  std::filesystem::remove(file);
}

TEST(ApiReduce, with_weights) {
  const std::vector<double> x = {1, 2, 4, 8};
  const std::vector<double> w = {3, 1};
  const Source array = Source::memory({.data = x.data(), .shape = {2, 2}});
  const Source weights = Source::memory({.data = w.data(), .shape = {2}});
  const auto mean = [&](const Options& options, std::vector<std::string> dimensions) {
    return reduce(cores(), array,
                  {.options = options,
                   .weights = weights,
                   .weights_dimensions = std::move(dimensions)})["mean"]
        .values[0]
        .text;
  };
  EXPECT_EQ(mean({{"op", "mean"}}, {}), "3.125");
  EXPECT_EQ(mean({{"op", "mean"}, {"dims", "y,x"}}, {"y"}), "2.625");
  EXPECT_THROW(mean({{"op", "mean"}, {"dims", "y,x"}}, {"z"}), Error);
  EXPECT_THROW(mean({{"op", "median"}}, {}), Error);
}

TEST(ApiReduce, edges_of_bins_of_any_text) {
  const std::vector<double> edges = {0, 4, 8, 12};
  EXPECT_EQ(tessera::edges_of_bins("0,1.2e1,3"), edges);
  EXPECT_EQ(tessera::edges_of_bins("edges=0,4,8,12"), edges);
  for (const char* wrong : {"", "3,1,5", "edges=3,1", "absent.txt"}) {
    EXPECT_THROW(tessera::edges_of_bins(wrong), Error) << wrong;
  }
}

TEST(ApiReduce, of_any_strides_and_byte_order) {
  const std::vector<std::int16_t> x = {1, 2, 3, 4, 5, 6};
  const auto sum = [&](const tessera::ArrayView& view) {
    return reduce(cores(), Source::memory(view), {{{"op", "sum"}}})["sum"].values[0].text;
  };
  EXPECT_EQ(sum({.data = x.data(), .type = Type::i16, .shape = {3}, .strides_bytes = {4}}), "9");
  EXPECT_EQ(sum({.data = &x[5], .type = Type::i16, .shape = {2, 3}, .strides_bytes = {-6, -2}}),
            "21");
  EXPECT_EQ(sum({.data = x.data(), .type = Type::i16, .shape = {4, 2}, .strides_bytes = {0, 2}}),
            "12");
  EXPECT_EQ(sum({.data = x.data(), .type = Type::i16, .shape = {}}), "1");
  EXPECT_EQ(sum({.data = x.data(), .type = Type::i16, .shape = {2}, .swapped = true}), "768");
  EXPECT_EQ(sum({.data = nullptr, .type = Type::i16, .shape = {3, 0}}), "0");
}

TEST(ApiReduce, errors_are_lines_with_codes) {
  try {
    reduce(cores(), Source::file("no such.npy"), {{{"op", "sum"}}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), tessera::Code::missing);
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  }
  const std::vector<double> x = {1};
  try {
    reduce(cores(), of(x), {{{"op", "some"}}});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), tessera::Code::usage);
  }
  EXPECT_THROW(reduce(cores(), of(x), {{{"oper", "sum"}}}), Error);
  EXPECT_THROW(Context({.device = "cup"}), Error);
}

}  // namespace
