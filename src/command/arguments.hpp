// Applies the options of a command that has no job file.
#pragma once

#include <algorithm>
#include <span>

#include "job/options.hpp"

namespace tessera::command {

/// In order, so that later ones win; names come from the same table and are known.
template <class T>
void apply_options(T& job, std::span<const job::Option<T>> options,
                   std::span<const job::Given> given) {
  for (const job::Given& one : given) {
    const auto option = std::ranges::find(options, one.name, &job::Option<T>::name);
    option->set(job, one.value, one.origin);
  }
}

}  // namespace tessera::command
