// Arrays of the calling program as inputs and outputs: nothing is a file.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "job/arrays/reduce_job.hpp"
#include "reduce/axes/memory_sink.hpp"
#include "reduce/reduce.hpp"
#include "run/context.hpp"
#include "store/arrays/strided_copy.hpp"

namespace tessera::run {
namespace {

using job::Operation;

class Silent : public base::Events {
 public:
  void log(const std::string& line) override { ADD_FAILURE() << line; }
  std::unique_ptr<base::StatusLine> status_line() override {
    class None : public base::StatusLine {
     public:
      bool due() const override { return false; }
      void show(const std::string&) override {}
    };
    return std::make_unique<None>();
  }
};

/// Keeps whole arrays in C order, or in Fortran order.
class KeptArrays : public reduce::MemorySink {
 public:
  explicit KeptArrays(plan::StorageOrder order = plan::StorageOrder::last_dimension_fastest)
      : MemorySink([this, order](const store::WrittenArray& array) {
          arrays_.push_back(array);
          std::vector<std::byte>& bytes = bytes_.emplace_back(store::bytes_each(array, 0));
          return reduce::ArrayMemory{
              bytes.data(),
              store::packed_strides(array.shape, base::element_bytes(array.type), order)};
        }) {}
  void finish() override { ++finished_; }

  template <class T>
  std::vector<T> values(std::size_t number) const {
    std::vector<T> values(bytes_[number].size() / sizeof(T));
    std::memcpy(values.data(), bytes_[number].data(), bytes_[number].size());
    return values;
  }
  const std::vector<store::WrittenArray>& arrays() const { return arrays_; }
  int finished() const { return finished_; }

 private:
  std::vector<store::WrittenArray> arrays_;
  std::deque<std::vector<std::byte>> bytes_;
  int finished_ = 0;
};

class KeptRows : public reduce::TableSink {
 public:
  void begin(std::span<const store::TableColumn> columns) override {
    columns_.assign(columns.begin(), columns.end());
  }
  void write(const store::TableRows& rows) override {
    for (std::int64_t row = 0; row < rows.count; ++row) {
      for (std::size_t c = 0; c < columns_.size(); ++c) {
        cells_[columns_[c].name].push_back(store::format_cell(columns_[c], rows, c, row));
      }
    }
  }
  void finish() override { ++finished_; }
  const std::vector<std::string>& operator[](const std::string& column) { return cells_[column]; }
  int finished() const { return finished_; }

 private:
  std::vector<store::TableColumn> columns_;
  std::map<std::string, std::vector<std::string>> cells_;
  int finished_ = 0;
};

/// The numbers 0, 1, 2, ... of an array of three dimensions.
class Counting : public job::ArrayReader {
 public:
  explicit Counting(std::vector<std::int64_t> chunk = {}, bool fails = false)
      : chunk_(std::move(chunk)), fails_(fails) {}
  base::ElementType type() const override { return base::ElementType::i32; }
  std::vector<std::int64_t> shape() const override { return {40, 50, 60}; }
  std::vector<std::int64_t> chunk() const override { return chunk_; }
  void read(std::span<const std::int64_t> origin, std::span<const std::int64_t> extent,
            std::span<std::byte> elements) const override {
    if (fails_) throw base::run_error("the reader fails");
    std::vector<std::int32_t> numbers;
    for (std::int64_t i = origin[0]; i < origin[0] + extent[0]; ++i) {
      for (std::int64_t j = origin[1]; j < origin[1] + extent[1]; ++j) {
        for (std::int64_t k = origin[2]; k < origin[2] + extent[2]; ++k) {
          numbers.push_back(static_cast<std::int32_t>((i * 50 + j) * 60 + k));
        }
      }
    }
    ASSERT_EQ(elements.size(), numbers.size() * sizeof(std::int32_t));
    std::memcpy(elements.data(), numbers.data(), elements.size());
  }

 private:
  std::vector<std::int64_t> chunk_;
  bool fails_;
};

class InMemory : public testing::Test {
 protected:
  void SetUp() override {
    before_ = std::filesystem::current_path();
    folder_ = (std::filesystem::temp_directory_path() / "tessera-memory-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    std::filesystem::current_path(folder_);
    x_.resize(std::size_t{3} * 400 * 500);
    std::iota(x_.begin(), x_.end(), -1000.0);
    y_.resize(x_.size());
    for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = static_cast<float>(i % 7);
  }
  void TearDown() override {
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  template <class T>
  static job::ArrayInput input(const std::vector<T>& numbers, base::ElementType type,
                               job::Shape shape, job::Shape strides = {}) {
    return job::input_of({.bytes = std::as_bytes(std::span(numbers)),
                          .type = type,
                          .shape = std::move(shape),
                          .strides_bytes = std::move(strides)},
                         "an array");
  }
  job::ArrayInput x() const { return input(x_, base::ElementType::f64, {3, 400, 500}); }
  /// The same numbers with the last two dimensions exchanged.
  job::ArrayInput turned_x() const {
    return input(x_, base::ElementType::f64, {3, 500, 400}, {400 * 500 * 8, 8, 500 * 8});
  }
  job::ArrayInput y() const { return input(y_, base::ElementType::f32, {3, 400, 500}); }

  static job::ReduceJob job_of(job::ArrayInput input, std::vector<Operation> operations) {
    job::ReduceJob job;
    job.device = "cpu";
    job.threads = 2;
    job.quiet = true;
    job.inputs.push_back(std::move(input));
    job.operations = std::move(operations);
    return job;
  }
  static void set_map(job::ArrayJob& job, std::vector<std::string> names, std::string text) {
    job.names = std::move(names);
    job.map = std::move(text);
  }
  std::vector<std::string> reduced(const job::ReduceJob& job) {
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    const report::ReduceReport report = reduce::reduce(context_, job, checkpoints);
    std::vector<std::string> answers;
    for (const report::ReducedOperation& operation : report.operations) {
      for (const auto& value : operation.values) answers.push_back(value.text);
    }
    return answers;
  }
  void map(const job::MapJob& job, reduce::ArraySink& sink) {
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    reduce::map(context_, job, checkpoints, &sink);
  }

  std::vector<double> x_;
  std::vector<float> y_;
  Silent events_;
  base::StopToken stop_;
  comm::World world_ = comm::World::single();
  run::Context context_{world_, {stop_, events_}};

 private:
  std::string folder_;
  std::filesystem::path before_;
};

using Answers = std::vector<std::string>;

TEST_F(InMemory, arrays_are_reduced) {
  const double sum = std::accumulate(x_.begin(), x_.end(), 0.0);  // exact: integers below 2^53
  const auto job = job_of(turned_x(), {Operation::sum, Operation::argmax, Operation::median});
  const Answers answers = reduced(job);
  EXPECT_EQ(std::stod(answers[0]), sum);
  EXPECT_EQ(answers[1], "599999");
  EXPECT_EQ(std::stod(answers[2]), -1000 + 599999 / 2.0);
}

TEST_F(InMemory, several_are_joined) {
  auto job = job_of(x(), {Operation::sum});
  job.inputs.push_back(x());
  EXPECT_EQ(std::stod(reduced(job)[0]), 2 * std::accumulate(x_.begin(), x_.end(), 0.0));
}

TEST_F(InMemory, a_second_array_is_multiplied) {
  auto job = job_of(x(), {Operation::dot});
  job.with = y();
  EXPECT_EQ(std::stod(reduced(job)[0]), std::inner_product(x_.begin(), x_.end(), y_.begin(), 0.0));
}

TEST_F(InMemory, readers_are_reduced_whatever_their_chunks) {
  const std::vector<job::Shape> chunks = {{}, {1, 1, 60}, {7, 9, 11}, {400, 500, 600}};
  for (const job::Shape& chunk : chunks) {
    const auto reader = std::make_shared<Counting>(chunk);
    auto job = job_of(job::input_of(reader, "numbers"), {Operation::sum, Operation::argmin});
    job.slice_bytes = 4096;
    const std::int64_t n = 40 * 50 * 60;
    EXPECT_EQ(reduced(job), (Answers{std::to_string(n * (n - 1) / 2), "0"}));
  }
}

TEST_F(InMemory, an_error_of_a_reader_is_that_of_the_run) {
  const auto job = job_of(job::input_of(std::make_shared<Counting>(job::Shape{}, true), "numbers"),
                          {Operation::sum});
  try {
    reduced(job);
    ADD_FAILURE() << "no error";
  } catch (const base::Error& error) {
    EXPECT_NE(std::string(error.what()).find("the reader fails"), std::string::npos);
  }
  const auto bad =
      job_of(job::input_of(std::make_shared<Counting>(job::Shape{2}), "numbers"), {Operation::sum});
  EXPECT_THROW(reduced(bad), base::Error);
}

TEST_F(InMemory, expressions_are_reduced) {
  auto job = job_of(x(), {Operation::sum});
  job.inputs.push_back(y());
  set_map(job, {"a", "b"}, "a*b - 1");
  EXPECT_EQ(std::stod(reduced(job)[0]), std::inner_product(x_.begin(), x_.end(), y_.begin(), 0.0) -
                                            static_cast<double>(x_.size()));
}

TEST_F(InMemory, outputs_along_axes_go_to_the_sink) {
  auto job = job_of(x(), {Operation::max, Operation::quantile});
  job.quantiles = {0, 1};
  job.axes = {"1"};
  KeptArrays kept;
  std::optional<reduce::ReduceCheckpoints> checkpoints;
  const auto report = reduce::reduce(context_, job, checkpoints, {.arrays = &kept});
  ASSERT_EQ(kept.arrays().size(), 2U);
  EXPECT_EQ(kept.arrays()[0].shape, (job::Shape{3, 500}));
  EXPECT_EQ(kept.arrays()[1].shape, (job::Shape{3, 500, 2}));
  EXPECT_EQ(kept.finished(), 1);
  EXPECT_EQ(report.arrays.size(), 2U);
  const auto greatest = kept.values<double>(0);
  const auto ends = kept.values<double>(1);
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 500; ++j) {
      ASSERT_EQ(greatest[i * 500 + j], x_[(i * 400 + 399) * 500 + j]);
      ASSERT_EQ(ends[(i * 500 + j) * 2], x_[i * 400 * 500 + j]);
      ASSERT_EQ(ends[(i * 500 + j) * 2 + 1], greatest[i * 500 + j]);
    }
  }
}

TEST_F(InMemory, mapped_arrays_go_to_the_sink) {
  for (const auto& first : {x(), turned_x()}) {
    job::MapJob job;
    static_cast<job::ArrayJob&>(job) = job_of(first, {});
    set_map(job, {"a"}, "a*2; a > 0");
    job.mapped = {{"twice", "a*2"}, {"positive", "a > 0"}};
    KeptArrays kept;
    map(job, kept);
    ASSERT_EQ(kept.arrays().size(), 2U);
    EXPECT_TRUE(kept.arrays()[1].is_boolean);
    EXPECT_EQ(kept.finished(), 1);
    const auto twice = kept.values<double>(0);
    const auto positive = kept.values<std::uint8_t>(1);
    const bool turned = kept.arrays()[0].shape[1] == 500;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const std::size_t row = i / 500 % 400, column = i % 500, layer = i / (400 * 500);
      const std::size_t at = turned ? (layer * 500 + column) * 400 + row : i;
      ASSERT_EQ(twice[at], 2 * x_[i]);
      ASSERT_EQ(positive[at], x_[i] > 0 ? 1 : 0);
    }
  }
}

TEST_F(InMemory, memory_has_any_order) {
  auto job = job_of(x(), {Operation::max, Operation::quantile});
  job.quantiles = {0, 0.5, 1};
  job.axes = {"0"};
  KeptArrays c_order;
  KeptArrays fortran_order(plan::StorageOrder::first_dimension_fastest);
  for (KeptArrays* kept : {&c_order, &fortran_order}) {
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    reduce::reduce(context_, job, checkpoints, {.arrays = kept});
  }
  const auto in_c = c_order.values<double>(1), in_fortran = fortran_order.values<double>(1);
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t j = 0; j < 500; ++j) {
      for (std::size_t q = 0; q < 3; ++q) {
        ASSERT_EQ(in_c[(i * 500 + j) * 3 + q], x_[(q * 400 + i) * 500 + j]);
        ASSERT_EQ(in_fortran[(q * 500 + j) * 400 + i], x_[(q * 400 + i) * 500 + j]);
      }
    }
  }
}

TEST_F(InMemory, groups_go_to_the_sink) {
  std::vector<std::int16_t> keys(x_.size());
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::int16_t>(i % 20'000);
  auto job = job_of(x(), {Operation::sum, Operation::median});
  job.by = {input(keys, base::ElementType::i16, {3, 400, 500})};
  KeptRows rows;
  std::optional<reduce::ReduceCheckpoints> checkpoints;
  reduce::reduce(context_, job, checkpoints, {.table = &rows});
  EXPECT_EQ(rows.finished(), 1);
  ASSERT_EQ(rows["count"].size(), 20'000U);  // more than a report shows
  for (std::size_t g = 0; g < 20'000; ++g) {
    double sum = 0;
    for (std::size_t i = g; i < x_.size(); i += 20'000) sum += x_[i];
    ASSERT_EQ(rows["key0"][g], std::to_string(g));
    ASSERT_EQ(std::stod(rows["sum"][g]), sum);
    ASSERT_EQ(std::stod(rows["median"][g]), sum / 30);
  }
}

TEST_F(InMemory, operations_that_do_not_go_together_are_refused) {
  auto job = job_of(x(), {Operation::dot});
  EXPECT_THROW(job::check(job), base::Error);
  job.with = y();
  EXPECT_NO_THROW(job::check(job));
  job.axes = {"0"};
  EXPECT_NO_THROW(job::check(job));
  job.operations.push_back(Operation::mean);
  EXPECT_THROW(job::check(job), base::Error);
  EXPECT_THROW(job::check(job_of(x(), {})), base::Error);
}

}  // namespace
}  // namespace tessera::run
