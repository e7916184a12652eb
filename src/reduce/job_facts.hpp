// What the engine has to know of a job beside its job::ArrayJob, whichever command it is of.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "job/arrays/map_job.hpp"
#include "job/arrays/reduce_job.hpp"

namespace tessera::reduce {

struct JobFacts {
  std::string command;                    ///< begins messages
  std::function<std::string()> identity;  ///< job::identity()
  /// job::describe() of the job as it is then.
  std::function<std::vector<std::pair<std::string, std::string>>()> describe;
  std::vector<job::ArrayInput> inputs;  ///< all arrays that are read
  std::vector<std::string> bins;        ///< of keys, some of them files
  std::vector<std::string> outputs;     ///< files of arrays or tables
  std::vector<std::string> states;      ///< files of --state
  bool in_slices = false;               ///< items are slices of the array, not tiles of the outputs
  bool on_cores = false;                ///< `auto` takes the CPU cores
  int numbers_each = 1;                 ///< numbers that make an element: 2 of a pair
};

/// The job must outlive its facts.
JobFacts facts_of(const job::ReduceJob& job);
JobFacts facts_of(const job::MapJob& job);

/// Whether some arrays are in memory, so that a later run cannot know them again.
bool reads_memory(const JobFacts& facts);

}  // namespace tessera::reduce
