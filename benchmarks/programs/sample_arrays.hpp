// Arrays on which sums are measured: ordinary ones, and those that make exact sums hard.
#pragma once

#include <sys/mman.h>

#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <map>
#include <new>
#include <random>
#include <vector>

namespace tessera::bench {

inline constexpr std::size_t kArrayBytes = std::size_t{256} << 20;

enum Data { normal, uniform, lognormal, fill, spread_40, spread_100, spread_300, with_nan };
inline constexpr const char* kNames =
    "0 = normal, 1 = uniform, 2 = lognormal of s = 3, 3 = normal with 0.1 % of 9.97e36, "
    "4, 5, 6 = 2^+-40, 100, 300 (f32: 2^+-40, 60, 100), 7 = normal with 1 % NaN";

template <class T>
T sample(Data data, std::mt19937_64& random) {
  std::normal_distribution<double> gauss;
  std::uniform_real_distribution<double> unit(0, 1);
  const auto spread = [&](int binades) {
    const auto exponent = static_cast<int>(random() % (2U * binades + 1)) - binades;
    return std::ldexp(2 * unit(random) - 1, exponent);
  };
  const bool rare = random() % 1000 < (data == with_nan ? 10 : 1);
  constexpr bool kSingle = sizeof(T) == 4;
  switch (data) {
    case normal:
      return static_cast<T>(gauss(random));
    case uniform:
      return static_cast<T>(unit(random));
    case lognormal:
      return static_cast<T>(std::exp(3 * gauss(random)));
    case fill:
      return static_cast<T>(rare ? 9.97e36 : gauss(random));
    case spread_40:
      return static_cast<T>(spread(40));
    case spread_100:
      return static_cast<T>(spread(kSingle ? 60 : 100));
    case spread_300:
      return static_cast<T>(spread(kSingle ? 100 : 300));
    case with_nan:
      return static_cast<T>(rare ? std::nan("") : gauss(random));
  }
  return 0;
}

/// Memory in pages of 2 MiB, where the system has them: as NumPy takes it for its arrays.
template <class T>
struct LargePages {
  using value_type = T;
  LargePages() = default;
  template <class U>
  LargePages(const LargePages<U>&) {}  // NOLINT(google-explicit-constructor): as allocators do
  T* allocate(std::size_t count) {
    constexpr std::size_t kPage = std::size_t{2} << 20;
    const std::size_t bytes = (count * sizeof(T) + kPage - 1) / kPage * kPage;
    void* const memory = std::aligned_alloc(kPage, bytes);
    if (memory == nullptr) throw std::bad_alloc();
    ::madvise(memory, bytes, MADV_HUGEPAGE);
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t) { std::free(memory); }
  friend bool operator==(LargePages, LargePages) { return true; }
};

template <class T>
using Array = std::vector<T, LargePages<T>>;

/// A million samples, again and again, each time multiplied by another power of two near 1.
template <class T>
const Array<T>& array(Data data) {
  static std::map<Data, Array<T>> all;
  if (all.contains(data)) return all[data];
  all.clear();  // one at a time
  std::mt19937_64 random(7);
  std::vector<T> samples(1 << 20);
  for (T& value : samples) value = sample<T>(data, random);
  Array<T>& made = all[data];
  made.reserve(kArrayBytes / sizeof(T));
  for (std::size_t i = 0; i < kArrayBytes / sizeof(T); ++i) {
    made.push_back(samples[i % samples.size()] * static_cast<T>(1 + (i >> 20) % 2));
  }
  return made;
}

}  // namespace tessera::bench
