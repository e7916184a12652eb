#include "store/formats/array_names.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace tessera::store {

std::string list_of(const std::vector<std::string>& names) {
  // not crossed: names are cut
  constexpr std::size_t kMaxNames = 20;
  if (names.empty()) return "no array";
  const std::vector<std::string> first(
      names.begin(),
      names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMaxNames)));
  return base::join(first) + (names.size() > kMaxNames ? ", ..." : "");
}

std::size_t find_array(const job::ArrayInput& input, const std::vector<std::string>& names) {
  if (input.dataset.empty() || input.dataset == "/") {
    if (names.size() == 1) return 0;
    throw base::usage_error("{}: say which array, as {}:/name; it has {}", input.text, input.path,
                            list_of(names));
  }
  for (const std::string& name : {input.dataset, base::from_printable(input.dataset)}) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  throw base::missing_error("{}: has no array {}; it has {}", input.path, input.dataset,
                            list_of(names));
}

}  // namespace tessera::store
