// What a Source holds: inputs as a job has them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/names.hpp"
#include "base/element.hpp"
#include "job/arrays/array_job.hpp"

namespace tessera::v0 {

struct Source::State {
  std::vector<job::ArrayInput> inputs;
  std::string map;                 ///< expression of the inputs; "" = the input as it is
  std::vector<std::string> names;  ///< of the inputs in the expression
};

}  // namespace tessera::v0

namespace tessera::api {

Type type_of(base::ElementType type, bool is_boolean = false);
base::ElementType element_of(Type type);

/// The only input. Throws a usage error that begins with `what` for an expression.
const job::ArrayInput& input_of(const Source& source, std::string_view what);

/// Makes the job read the source.
void set_inputs(job::ArrayJob& job, const Source& source);

}  // namespace tessera::api
