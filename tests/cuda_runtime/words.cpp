// What kernels call for memory that several blocks use, and for vectors.
#include "words.hpp"

#include <algorithm>
#include <utility>

#include "blocks.hpp"
#include "device_memory.hpp"
#include "settings.hpp"

namespace cuda_runtime {
namespace {

/// One launch runs at a time, on one thread.
template <class Word>
Word exchange(Word* word, Word (*change)(Word before, Word value), Word value) {
  if (reinterpret_cast<std::uintptr_t>(word) % sizeof(Word) != 0) {
    report("an atomic that is not aligned");
  }
  if (!check_access(word, sizeof(Word), Access::atomic) &&
      !check_shared_access(word, sizeof(Word), Access::atomic)) {
    report("an atomic on memory of the host");
  }
  return std::exchange(*word, change(*word, value));
}

template <class Word>
Word sum(Word before, Word value) {
  return before + value;
}

}  // namespace

unsigned add_atomically(unsigned* sum_of, unsigned value) {
  return exchange(sum_of, sum<unsigned>, value);
}

unsigned long long add_atomically(unsigned long long* sum_of, unsigned long long value) {
  return exchange(sum_of, sum<unsigned long long>, value);
}

unsigned set_if_equal(unsigned* word, unsigned expected, unsigned value) {
  const unsigned before = exchange(word, sum<unsigned>, 0U);
  if (before == expected) *word = value;
  return before;
}

unsigned take_less(unsigned* least, unsigned value) {
  return exchange(
      least, +[](unsigned before, unsigned other) { return std::min(before, other); }, value);
}

unsigned take_greater(unsigned* greatest, unsigned value) {
  return exchange(
      greatest, +[](unsigned before, unsigned other) { return std::max(before, other); }, value);
}

ulonglong2 load_vector(const ulonglong2* pair) {
  check_vector_load(pair, sizeof(*pair));
  return *pair;
}

}  // namespace cuda_runtime
