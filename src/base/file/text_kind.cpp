#include "base/file/text_kind.hpp"

#include "base/file/posix_file.hpp"
#include "base/text.hpp"

namespace tessera::base {

bool is_of_kind(const std::string& path, const TextKind& kind) {
  for (const std::string& variant : split(std::string(kind.variants), ' ')) {
    std::string mark(kind.mark);
    if (const auto place = mark.find('*'); place != mark.npos) mark.replace(place, 1, variant);
    if (front_of(path, mark.size()) == mark) return true;
  }
  return false;
}

IsOurs of_kind(const TextKind& kind) {
  return [kind](const std::string& path) { return is_of_kind(path, kind); };
}

}  // namespace tessera::base
