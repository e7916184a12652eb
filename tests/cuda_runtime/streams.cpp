#include "streams.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>
#include <vector>

namespace cuda_runtime {
namespace {

struct OpenStreams {
  std::mutex mutex;
  std::vector<std::weak_ptr<Stream>> streams;
  std::uint64_t opened = 0;
};

OpenStreams& open_streams() {
  static OpenStreams& known = *new OpenStreams;
  return known;
}

}  // namespace

Device& device(int number) {
  static auto& devices = *new std::deque<Device>;
  static std::once_flag once;
  std::call_once(once, [] {
    for (int i = 0; i < settings().devices; ++i) devices.emplace_back(i);
  });
  return devices.at(static_cast<std::size_t>(number));
}

Stream::Stream(Device& device) : device_(device) {
  const std::scoped_lock lock(open_streams().mutex);
  random_.seed(settings().seed + ++open_streams().opened);
}

std::shared_ptr<Stream> open_stream(Device& device) {
  auto stream = std::make_shared<Stream>(device);
  {
    const std::scoped_lock lock(open_streams().mutex);
    std::erase_if(open_streams().streams, [](const auto& known) { return known.expired(); });
    open_streams().streams.push_back(stream);
  }
  std::thread(Stream::execute_all, stream).detach();
  return stream;
}

void Stream::push(const char* kind, std::function<cudaError_t()> work) {
  const std::scoped_lock lock(mutex_);
  queue_.push_back({kind, std::move(work)});
  ++pushed_;
  changed_.notify_all();
}

std::uint64_t Stream::pushed() const {
  const std::scoped_lock lock(mutex_);
  return pushed_;
}

bool Stream::reached(std::uint64_t position) const {
  const std::scoped_lock lock(mutex_);
  return executed_ >= position;
}

cudaError_t Stream::wait(std::uint64_t position) {
  std::unique_lock lock(mutex_);
  requested_ = std::max(requested_, position);
  changed_.notify_all();
  changed_.wait(lock, [&] { return executed_ >= position; });
  return device_.lost();
}

void Stream::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  changed_.notify_all();
}

bool Stream::may_execute() const {
  if (queue_.empty()) return closed_;
  return closed_ || settings().schedule != Schedule::late || executed_ < requested_;
}

void Stream::execute_all(std::shared_ptr<Stream> self) {
  std::unique_lock lock(self->mutex_);
  for (;;) {
    self->changed_.wait(lock, [&] { return self->may_execute(); });
    if (self->queue_.empty()) return;
    const Operation operation = std::move(self->queue_.front());
    self->queue_.pop_front();
    lock.unlock();
    self->execute(operation);
    lock.lock();
    ++self->executed_;
    self->changed_.notify_all();
  }
}

void Stream::execute(const Operation& operation) {
  if (settings().schedule == Schedule::random && settings().delay_us > 0) {
    const auto longest = static_cast<std::uint64_t>(settings().delay_us);
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % (longest + 1)));
  }
  if (device_.lost() != cudaSuccess) return;
  cudaError_t code = next_fault(operation.kind).code;
  if (code == cudaSuccess) code = operation.work();
  if (code != cudaSuccess) device_.lose(code);
}

cudaError_t wait_for_all(Device& device) {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    const std::scoped_lock lock(open_streams().mutex);
    for (const auto& known : open_streams().streams) {
      if (auto stream = known.lock()) streams.push_back(std::move(stream));
    }
  }
  for (const auto& stream : streams) {
    if (&stream->device() == &device) stream->wait(stream->pushed());
  }
  return device.lost();
}

}  // namespace cuda_runtime
