// Which devices reduce an array.
#pragma once

#include <string>
#include <string_view>

namespace tessera::run {

/// What `auto` has to know of a reduction.
struct ReductionKind {
  /// The array is made by whoever reduces it: nothing travels to a GPU.
  bool made = false;
  /// What is only done by cores, as the user asked for it ("--op dot"); "" if GPUs do it all.
  std::string cores_only;
};

/// The list as choose_devices() takes it. `auto` stays where a GPU, if there is one, is done sooner
/// than the cores, and is the cores otherwise: data in files come to a GPU through memory and PCIe,
/// and cores take them at the speed of memory (docs/reduce.md). What is named is obeyed. Usage
/// error for a GPU by name if there is something that only cores do.
std::string reduce_devices(std::string_view list, const ReductionKind& kind);

}  // namespace tessera::run
