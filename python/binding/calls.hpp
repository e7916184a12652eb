// Calls of the library from Python: without the GIL, with Python's signals, progress and logging.
#pragma once

#include <pybind11/pybind11.h>

#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "tessera/context.hpp"

namespace tessera::python {

namespace py = pybind11;

/// A Context whose log is kept until a thread with the GIL delivers it.
class PyContext {
 public:
  explicit PyContext(Settings settings);

  Context& get() { return context_; }
  /// Calls log(level, line) with what was said meanwhile. Needs the GIL.
  void deliver(const py::object& log);

 private:
  std::mutex mutex_;
  std::vector<std::pair<Level, std::string>> said_;
  Context context_;
};

/// Options as Python has them.
using Pairs = std::vector<std::pair<std::string, std::string>>;
Options options_of(const Pairs& pairs);

/// How Python watches a call. `progress`: None, or a callable of stage, done and total.
struct Watch {
  py::object progress;
  py::object log;  ///< a callable of level and line
};

/// Calls work(run) without the GIL. A signal whose handler raises, an exception of `progress` and
/// the end of the interpreter stop it. With `here`, the work is short: it is done on this thread,
/// and nobody watches.
void call(PyContext& context, const Watch& watch, const std::function<void(const Run&)>& work,
          bool here = false);

/// Stops all calls, waits for their ends and refuses further ones.
void end_calls();
/// In the child after a fork: the calls of the other threads do not exist here.
void forget_calls();

void add_calls(py::module_& module);

}  // namespace tessera::python
