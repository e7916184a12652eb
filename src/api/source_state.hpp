// What a Source holds: inputs as a job has them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/element.hpp"
#include "job/arrays/reduce_job.hpp"
#include "store/arrays/memory_array.hpp"
#include "tessera/array.hpp"

namespace tessera::inline v0 {

struct Source::State {
  std::vector<job::ArrayInput> inputs;
  std::string map;                 ///< expression of the inputs; "" = the input as it is
  std::vector<std::string> names;  ///< of the inputs in the expression
  std::optional<store::MemoryLayout> memory;
};

}  // namespace tessera::inline v0

namespace tessera::api {

Type type_of(base::ElementType type, bool is_boolean = false);
base::ElementType element_of(Type type);

/// Makes the job read the source.
void set_inputs(job::ReduceJob& job, const Source& source);

}  // namespace tessera::api
