#include "reduce/kept_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <regex>
#include <span>

#include "base/bools.hpp"
#include "base/error.hpp"
#include "base/file/file_stamp.hpp"
#include "base/file/record_file.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "base/version.hpp"
#include "job/arrays/reduce_identity.hpp"
#include "statistics/operations.hpp"
#include "store/outputs.hpp"

namespace tessera::reduce {
namespace {

/// What a slice takes of each dimension, however it was written; "" if it takes all.
std::string slice_text(const job::ArrayInput& input) {
  constexpr std::int64_t kPieceBytes = std::int64_t{1} << 20;
  job::ArrayInput whole = input;
  whole.slice.clear();
  const auto array = store::open_array(whole, kPieceBytes);
  const job::Shape& shape = array->info().shape;
  const auto ranges = job::slice_ranges(input.slice, shape, array->dimension_names(), input.text);
  bool all = true;
  std::string text;
  for (std::size_t d = 0; d < ranges.size(); ++d) {
    const job::SliceRange& range = ranges[d];
    all = all && range.count == shape[d] && range.step == 1 && !range.drops;
    text += fmt::format("{}{}{}:{}:{}", text.empty() ? "[" : ",", range.drops ? "=" : "",
                        range.start, range.count, range.step);
  }
  return all ? "" : text + "]";
}

std::string part_of_file(const job::ArrayInput& input) {
  if (input.slice.empty()) return input.tail;
  return input.tail.substr(0, input.tail.rfind('[')) + slice_text(input);
}

/// A line for an array: its file, the part of it, and what distinguishes its contents. "" for an
/// array of the calling program, which nothing tells from another one.
std::string line_of(const job::ArrayInput& input) {
  if (input.is_in_memory()) return "";
  if (!input.is_in_file()) return input.text;
  const std::size_t sample_bytes = base::sample_bytes_of(1);
  const auto path = std::filesystem::weakly_canonical(input.path).string();
  std::string line = fmt::format("{}{}\t{}", path, part_of_file(input),
                                 base::describe_data(input.path, sample_bytes));
  for (const std::string& file : store::referenced_files(input)) {
    line += fmt::format("\t{}", base::describe_data(file, sample_bytes));
  }
  return line;
}

/// Arrays of an expression, or of dot, count together.
std::vector<std::string> lines_of(const job::ReduceJob& job) {
  std::vector<std::string> lines;
  for (const job::ArrayInput& input : job.inputs) {
    const auto files = input.is_in_file() ? store::expand(input) : std::vector{input};
    std::ranges::transform(files, std::back_inserter(lines), line_of);
  }
  if (job.with) lines.push_back(line_of(*job.with));
  if (job.names.empty() && !job.with) return lines;
  return {base::join(lines, "\t")};
}

std::string name_in(const std::string& line) {
  return base::printable(line.substr(0, line.find('\t')));
}

void check_options(const KeptAnswers& a, const KeptAnswers& b, const std::string& file) {
  for (const auto& [name, value] : a.options) {
    const auto other = b.options.find(name);
    if (other != b.options.end() && other->second == value) continue;
    throw base::usage_error(
        "{}: is of --{} {}; the other one {}", file, name, base::printable(value),
        other == b.options.end() ? "has none" : "of " + base::printable(other->second));
  }
  if (a.options.size() < b.options.size()) {
    throw base::usage_error("{}: is of other options", file);
  }
}

void check_dimensions(const KeptAnswers& a, const KeptAnswers& b, const std::string& file) {
  if (a.type != b.type || a.with_type != b.with_type) {
    throw base::usage_error("{}: is of {} elements, the other one of {}", file, a.type, b.type);
  }
  const auto rest = [](const job::Shape& shape) {
    return std::span(shape).subspan(std::min<std::size_t>(1, shape.size()));
  };
  if (a.shape.empty() || b.shape.empty() || !std::ranges::equal(rest(a.shape), rest(b.shape))) {
    throw base::usage_error(
        "{}: its arrays are {} together, and {} cannot follow along the first dimension", file,
        job::format_shape(a.shape), job::format_shape(b.shape));
  }
}

/// Operations whose answers are made of sums, moments, extremes, or counts in bins that are known.
void check_operation(const job::ReduceJob& job, job::Operation operation, std::string_view option) {
  if (operation == job::Operation::histogram && job.histogram.range) return;
  if (operation == job::Operation::histogram) {
    throw base::usage_error(
        "{}: say which part of the histogram is wanted, as histogram=BINS,LO,HI: other elements "
        "may go beyond those of a part",
        option);
  }
  if (statistics::merges(operation)) return;
  throw base::usage_error(
      "{}: {} needs all elements again; parts have sums, moments, extremes, and histograms "
      "with LO,HI, whose counts bound quantiles",
      option, job::operation_name(operation));
}

}  // namespace

void KeptAnswers::check(const KeptAnswers& later, const std::string& file) const {
  check_options(*this, later, file);
  check_dimensions(*this, later, file);
  for (const std::string& line : later.arrays) {
    if (line.empty() || std::ranges::find(arrays, line) == arrays.end()) continue;
    throw base::usage_error("{}: has {} already, which would count twice", file, name_in(line));
  }
}

void KeptAnswers::add(const KeptAnswers& later) {
  statistics::Partial moved = later.sums;
  std::int64_t first = 1;
  for (const std::int64_t length : shape) first *= length;
  moved.move_places(first);
  sums.merge(moved);
  spec.places = spec.places && later.spec.places;
  histogram.resize(std::max(histogram.size(), later.histogram.size()));
  for (std::size_t i = 0; i < later.histogram.size(); ++i) histogram[i] += later.histogram[i];
  arrays.insert(arrays.end(), later.arrays.begin(), later.arrays.end());
  shape.front() += later.shape.front();
  version = base::version_and_commit();
}

bool is_state(const std::string& path) {
  return base::has_mark(base::front_of(path, base::kMarkBytes), base::kStateMark);
}

KeptAnswers read_state(const std::string& path) {
  const std::string name = base::printable(path);
  if (!base::exists(path)) throw base::usage_error("--state {}: there is no such file", name);
  if (!is_state(path)) throw base::usage_error("--state {}: is no state of a reduction", name);
  const base::Bytes bytes = base::read_marked_file(path, base::kStateMark);
  const auto record = base::read_sole_record(bytes, base::kStateMark);
  if (!record) throw base::run_error("{}: is damaged, or of another version of tessera", name);
  KeptAnswers answers = base::from_bytes<KeptAnswers>(record->payload);
  if (answers.sums_bytes == sizeof(statistics::Partial)) return answers;
  throw base::usage_error("--state {}: was written by tessera {}, whose sums have another layout",
                          name, answers.version);
}

void check_kept(const job::ReduceJob& job, std::string_view option) {
  for (const job::Operation operation : job.operations) check_operation(job, operation, option);
}

void check_no_index(const job::ReduceJob& job) {
  static const std::regex index_name(R"(\bindex[0-7]?\b)");
  const std::sregex_iterator first(job.map.begin(), job.map.end(), index_name);
  if (std::all_of(first, std::sregex_iterator(), [&](const std::smatch& found) {
        return std::ranges::find(job.names, found.str()) != job.names.end();
      })) {
    return;
  }
  throw base::usage_error(
      "--state: index counts the elements of all arrays together, and a run with a state has its "
      "own only; leave index out of --map");
}

KeptAnswers describe_answers(const job::ReduceJob& job) {
  KeptAnswers answers{.version = base::version_and_commit(), .arrays = lines_of(job)};
  for (const auto& option : job::reduce_options()) {
    const std::string value = job::decides_numbers(option) ? option.get(job) : "";
    if (!value.empty()) answers.options[std::string(option.name)] = value;
  }
  return answers;
}

void set_arrays(KeptAnswers& answers, const store::ArraySource& source,
                const store::ArraySource* with) {
  const store::ArrayInfo& array = source.info();
  answers.type = base::element_code(array.type, array.is_boolean);
  answers.shape = array.shape;
  if (with != nullptr) answers.with_type = base::element_code(with->info().type);
}

namespace {

const std::string& checked(const std::string& path) {
  store::check_output(path, "--state", true);
  return path;
}

}  // namespace

StateFile::StateFile(const std::string& path, bool append, bool overwrite)
    : path_(path), unfinished_(checked(path), is_state) {
  if (overwrite || !base::exists(path)) return;
  if (!append) {
    throw base::usage_error(
        "--state {}: is there already; --append adds to it, and --overwrite replaces it",
        base::printable(path));
  }
  earlier_ = read_state(path);
}

void StateFile::write(const KeptAnswers& answers) {
  base::PosixFile file(unfinished_.part(), base::PosixFile::Start::as_it_is);
  file.write(base::sole_record(base::kStateMark, {}, base::to_bytes(answers)));
  file.sync();
  file.close();
  unfinished_.publish(base::Replace::what_is_there);
}

}  // namespace tessera::reduce
