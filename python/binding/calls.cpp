#include "binding/calls.hpp"

#include <pybind11/stl.h>

#include <condition_variable>
#include <list>
#include <memory>

namespace tessera::python {
namespace {

/// The calls of all threads. Never destroyed: a thread may end after the interpreter.
struct Registry {
  std::mutex mutex;
  std::condition_variable changed;
  std::list<std::stop_source> running;
  bool ended = false;
};
Registry* registry = new Registry;

/// A call that is known. Begins and ends with the GIL.
class Registered {
 public:
  Registered() : of_(registry) {
    const std::scoped_lock lock(of_->mutex);
    if (of_->ended) throw Error(Code::stopped, "the interpreter ends");
    call_ = of_->running.emplace(of_->running.end());
  }
  ~Registered() {
    if (of_ != registry) return;  // of the process before a fork
    const std::scoped_lock lock(of_->mutex);
    of_->running.erase(call_);
    of_->changed.notify_all();
  }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  std::stop_token token() const { return call_->get_token(); }

 private:
  Registry* of_;
  std::list<std::stop_source>::iterator call_;
};

}  // namespace

PyContext::PyContext(Settings settings)
    : context_([&] {
        settings.log = [this](Level level, std::string_view line) {
          const std::scoped_lock lock(mutex_);
          said_.emplace_back(level, line);
        };
        return Context(std::move(settings));
      }()) {}

void PyContext::deliver(const py::object& log) {
  std::vector<std::pair<Level, std::string>> said;
  {
    const std::scoped_lock lock(mutex_);
    said.swap(said_);
  }
  for (const auto& [level, line] : said) log(level == Level::warning ? 30 : 20, line);
}

Options options_of(const Pairs& pairs) {
  Options options;
  options.assign(pairs.begin(), pairs.end());
  return options;
}

void call(PyContext& context, const Watch& watch, const std::function<void(const Run&)>& work,
          bool here) {
  const Registered registered;
  Run run{.stop = registered.token()};
  const auto watched = [&](const Progress& now) {
    const py::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    context.deliver(watch.log);
    if (!watch.progress.is_none()) watch.progress(std::string(now.stage), now.done, now.total);
  };
  if (!here) run.progress = watched;
  {
    const py::gil_scoped_release no_gil;
    work(run);
  }
  context.deliver(watch.log);
}

void end_calls() {
  const py::gil_scoped_release no_gil;
  std::unique_lock lock(registry->mutex);
  registry->ended = true;
  for (std::stop_source& running : registry->running) running.request_stop();
  registry->changed.wait(lock, [] { return registry->running.empty(); });
}

void forget_calls() {
  registry = new Registry;
}

void add_calls(py::module_& module) {
  py::class_<PyContext>(module, "Context")
      .def(py::init([](std::string device, int threads, std::uint64_t memory,
                       std::uint64_t device_memory, std::uintptr_t communicator, double heartbeat_s,
                       std::string program) {
             return std::make_unique<PyContext>(
                 Settings{.device = std::move(device),
                          .threads = threads,
                          .memory_bytes = memory,
                          .device_memory_bytes = device_memory,
                          .communicator = reinterpret_cast<const void*>(communicator),
                          .heartbeat_s = heartbeat_s,
                          .program = std::move(program)});
           }),
           py::arg("device"), py::arg("threads"), py::arg("memory"), py::arg("device_memory"),
           py::arg("communicator"), py::arg("heartbeat"), py::arg("program"));
  module.def("version", &version);
  module.def("communicator_bytes", &communicator_bytes);
  module.def("mpi_library", &mpi_library);
  module.def("prepare", &prepare);
  module.def("refuse", [](PyContext& context, const std::string& why) {
    const py::gil_scoped_release no_gil;
    refuse(context.get(), Code::usage, why);
  });
  module.def("end_calls", &end_calls);
  module.def("forget_calls", &forget_calls);
  module.def("devices", [](PyContext& context, const py::object& progress, const py::object& log) {
    std::vector<Device> found;
    call(context, {progress, log}, [&](const Run& run) { found = devices(context.get(), run); });
    py::list list;
    for (const Device& one : found) {
      list.append(py::make_tuple(one.name, one.detail, one.reason, one.memory_bytes, one.is_gpu));
    }
    return list;
  });
}

}  // namespace tessera::python
