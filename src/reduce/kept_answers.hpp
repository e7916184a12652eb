// The file of --state: what the answers of a reduction are made of, so that later runs add arrays
// to it and have the bits of one run over all of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/file/unfinished_file.hpp"
#include "job/arrays/reduce_job.hpp"
#include "statistics/partial.hpp"
#include "store/arrays/array_source.hpp"

namespace tessera::reduce {

/// What the operations make of arrays that are joined along their first dimension.
struct KeptAnswers {
  std::string version;  ///< of the program that wrote it
  /// Layout of `sums`: another program cannot read it.
  std::uint64_t sums_bytes = sizeof(statistics::Partial);
  std::map<std::string, std::string> options;  ///< those that decide the numbers
  std::vector<std::string> arrays;  ///< each with its file and what distinguishes its contents
  std::string type, with_type;      ///< codes of the elements; of the second array, or ""
  job::Shape shape;                 ///< of the arrays together
  statistics::ReductionSpec spec;
  statistics::Partial sums;
  std::vector<double> edges;  ///< of the histogram, if there is one
  std::vector<std::int64_t> histogram;

  /// Throws a usage error, which begins with `file`, if `later` cannot follow: it is of other
  /// options, types or dimensions, or has an array that is there already.
  void check(const KeptAnswers& later, const std::string& file) const;
  void add(const KeptAnswers& later);

  static auto members(auto& self) {
    return std::tie(self.version, self.sums_bytes, self.options, self.arrays, self.type,
                    self.with_type, self.shape, self.spec, self.sums, self.edges, self.histogram);
  }
};

/// Throws a usage error for a file that is not there or is no state, and base::Error for a damaged
/// one.
KeptAnswers read_state(const std::string& path);
/// Whether the file begins as a state does.
bool is_state(const std::string& path);

/// Throws a usage error, which begins with `option`, for an operation that needs all elements
/// again.
void check_kept(const job::ReduceJob& job, std::string_view option);
/// Throws a usage error for an expression with `index`: a run with a state has only its own
/// elements, and counts them from 0.
void check_no_index(const job::ReduceJob& job);
/// The options and arrays of a job.
KeptAnswers describe_answers(const job::ReduceJob& job);
/// Its types and its shape, once the arrays are open. `with` may be null.
void set_arrays(KeptAnswers& answers, const store::ArraySource& source,
                const store::ArraySource* with);

/// The state that a run writes. It holds a lock on the file's name from the beginning.
class StateFile {
 public:
  /// `append`: the file may be there, and what it has stays. Throws a usage error if another run
  /// writes it, and if it is there although neither `append` nor `overwrite` is set.
  StateFile(const std::string& path, bool append, bool overwrite);

  const std::optional<KeptAnswers>& earlier() const { return earlier_; }
  const std::string& path() const { return path_; }
  /// Replaces the file. After a power cut, either the old or the new one is there.
  void write(const KeptAnswers& answers);

 private:
  std::string path_;
  base::UnfinishedFile unfinished_;
  std::optional<KeptAnswers> earlier_;
};

}  // namespace tessera::reduce
