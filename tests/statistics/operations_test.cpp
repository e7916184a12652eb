#include "statistics/operations.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace tessera::statistics {
namespace {

using base::ElementType;
using job::Operation;

std::vector<std::string> texts(const std::vector<Value>& values) {
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(value.text == "nan" ? "NaN" : value.text);
  return texts;
}

/// Rows of a table of docs/reduce.md, the first cell as names: those below `heading`.
struct DocumentedRow {
  std::vector<std::string> names;
  std::vector<std::string> cells;  ///< behind the first
};

std::vector<DocumentedRow> documented(const std::string& heading) {
  std::ifstream file(TESSERA_DOCS "/reduce.md");
  std::string line;
  while (std::getline(file, line) && line != heading) {
  }
  std::getline(file, line);  // |---|
  std::vector<DocumentedRow> rows;
  while (std::getline(file, line) && line.starts_with("| ")) {
    DocumentedRow row;
    for (std::size_t at = 2; at < line.size();) {
      const std::size_t end = std::min(line.find(" |", at), line.size());
      row.cells.push_back(line.substr(at, end - at));
      at = end + 3;
    }
    const std::string first = row.cells.front();
    row.cells.erase(row.cells.begin());
    for (std::size_t at = first.find('`'); at != std::string::npos; at = first.find('`', at + 1)) {
      const std::size_t end = first.find('`', at + 1);
      row.names.push_back(first.substr(at + 1, end - at - 1));
      at = end;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

/// As --op takes it and the documentation writes it.
std::string form(const job::OperationRow& row, const std::string& value) {
  return std::string(row.name) + (value.empty() ? "" : "=" + value);
}

TEST(Operations, AnswerNothingAsTheirRowsSay) {
  for (const OperationTraits& meaning : meanings()) {
    // Others do not come from a Partial.
    const bool from_partial = meaning.answers.front() != nullptr || meaning.of_moments != nullptr;
    if (meaning.of_nothing.empty() || !from_partial) continue;
    for (const ElementType type : {ElementType::f64, ElementType::i16, ElementType::u64}) {
      const ReductionSpec spec =
          spec_of(type, std::vector{meaning.operation}, job::NanPolicy::propagate);
      EXPECT_EQ(texts(answer(meaning.operation, Partial(), spec, 0)),
                std::vector{std::string(meaning.of_nothing)})
          << job::operation_name(meaning.operation);
    }
  }
}

TEST(Operations, RefuseNothingWhereTheirRowsSaySo) {
  for (const OperationTraits& meaning : meanings()) {
    const std::vector one{meaning.operation};
    if (meaning.of_nothing.empty()) {
      EXPECT_ANY_THROW(check_defined_on_empty(one)) << job::operation_name(meaning.operation);
    } else {
      EXPECT_NO_THROW(check_defined_on_empty(one)) << job::operation_name(meaning.operation);
    }
  }
}

TEST(Operations, NeedAPassMoreToFindTheRangeOfAHistogram) {
  job::ReduceJob job;
  job.operations = {Operation::sum, Operation::histogram};
  EXPECT_EQ(passes_of(job), 2);
  EXPECT_TRUE(spec_of(ElementType::f64, job).extremes);
  job.histogram.range = {0, 1};
  EXPECT_EQ(passes_of(job), 1);
  EXPECT_FALSE(spec_of(ElementType::f64, job).extremes);
}

TEST(Operations, AreAllInTheTableOfThePageWithTheirAnswersOfNothing) {
  std::map<std::string, std::string> of_nothing;
  for (const DocumentedRow& row : documented("| `--op` | result | for an empty array |")) {
    ASSERT_EQ(row.cells.size(), 2U);
    const std::vector<std::string> answers = base::split(row.cells[1], ',');
    for (std::size_t i = 0; i < row.names.size(); ++i) {
      of_nothing[row.names[i]] = answers[answers.size() == 1 ? 0 : i];
    }
  }
  EXPECT_EQ(of_nothing.size(), meanings().size());
  for (const OperationTraits& meaning : meanings()) {
    const job::OperationRow& row = job::row_of(meaning.operation);
    std::string expected(meaning.of_nothing.empty() ? "an error" : meaning.of_nothing);
    if (meaning.type == ResultType::bins) expected += " each";
    EXPECT_EQ(of_nothing[form(row, std::string(row.value))], expected) << row.name;
  }
}

TEST(Operations, AlongAxesAreAllInTheTableOfTypes) {
  std::vector<std::string> names;
  for (const DocumentedRow& row : documented("| `--op` | type of the result |")) {
    names.insert(names.end(), row.names.begin(), row.names.end());
  }
  std::vector<std::string> expected;
  for (const job::OperationRow& row : job::operations()) {
    if (row.along_axes)
      expected.push_back(
          form(row, row.operation == Operation::histogram ? "BINS,LO,HI" : std::string(row.value)));
  }
  std::ranges::sort(names);
  std::ranges::sort(expected);
  EXPECT_EQ(names, expected);
}

}  // namespace
}  // namespace tessera::statistics
