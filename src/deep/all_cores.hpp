// Work on all cores of this process, for what the pixels of an image wait for.
#pragma once

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <vector>

#include "base/run.hpp"

namespace tessera::deep {

/// Those of the affinity mask; 1 if it is unknown.
inline int usable_cores() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  return sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

/// Calls work(i) for each i below `count`. A thread has `least` of them or more. `work` must not
/// throw.
template <class Work>
void on_all_cores(std::size_t count, std::size_t least, const Work& work) {
  const std::size_t pieces =
      std::clamp<std::size_t>(count / least, 1, static_cast<std::size_t>(usable_cores()));
  const auto piece = [&, pieces](std::size_t number) {
    for (std::size_t i = number * count / pieces; i < (number + 1) * count / pieces; ++i) work(i);
  };
  std::vector<std::thread> threads;
  for (std::size_t number = 1; number < pieces; ++number) {
    threads.push_back(base::run_thread([&piece, number] { piece(number); }));
  }
  piece(0);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace tessera::deep
