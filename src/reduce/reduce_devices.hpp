// Which devices reduce an array.
#pragma once

#include <string>
#include <string_view>

namespace tessera::reduce {

/// What `auto` has to know of a reduction.
struct ReductionKind {
  /// All arrays are made by whoever reduces them: nothing travels to a GPU.
  bool generated = false;
};

/// The list as choose_devices() takes it. `auto` stays where a GPU, if there is one, is done sooner
/// than the cores, and is the cores otherwise: data in files come to a GPU through memory and PCIe,
/// and cores take them at the speed of memory (docs/reduce.md). What is named is obeyed.
std::string reduce_devices(std::string_view list, const ReductionKind& kind);

}  // namespace tessera::reduce
