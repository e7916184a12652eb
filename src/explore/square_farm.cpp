#include "explore/square_farm.hpp"

#include <algorithm>
#include <exception>
#include <optional>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/run.hpp"
#include "deep/memory.hpp"
#include "deep/prepared.hpp"
#include "device/device_error.hpp"
#include "device/pixels/deep_block.hpp"
#include "view/http/target.hpp"

namespace tessera::explore {
namespace {

/// The end of a task that nobody waits for any more.
class Abandoned : public std::exception {};

/// Orbit steps of a call, so that a lane does not keep a server from ending for long.
// crossed by: test_a_point_with_many_iterations_has_its_count
constexpr std::int64_t kMaxCallSteps = std::int64_t{1} << 28;

std::int64_t rows_of_call(const device::Device& device, const SquareImage& square) {
  if (device.rows_per_call(square.block.width) == 0) return square.block.height;
  const std::int64_t steps_of_row =
      square.block.width * static_cast<std::int64_t>(square.image.iterations);
  return std::clamp<std::int64_t>(kMaxCallSteps / steps_of_row, 1, square.block.height);
}

bool is_prepared(const SquareImage& square) {
  return !square.image.deep() || deep::is_prepared(device::deep_place(square.image, square.fields));
}

}  // namespace

SquareFarm::SquareFarm(binding::Lanes& lanes, const job::RenderJob& job, Places& places,
                       const FarmSpec& spec)
    : lanes_(lanes),
      job_(job),
      places_(places),
      cache_(spec.cache_bytes, [](const SquareValues& values) { return values.bytes(); }),
      spec_(spec),
      orbits_(spec.orbit_bytes / 2),
      queue_(spec.max_waiting) {
  deep::keep_images(spec.orbit_bytes / 2);
  for (int lane = 0; lane < lanes.count(); ++lane) {
    threads_.push_back(base::run_thread([this, lane] { run_lane(lane); }));
  }
  threads_.push_back(base::run_thread([this] { prepare_orbits(); }));
}

void SquareFarm::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  queue_.clear();
  changed_.notify_all();
}

SquareFarm::~SquareFarm() {
  close();
  for (std::thread& thread : threads_) thread.join();
}

SquareImage SquareFarm::image(const SquareKey& key) {
  const std::optional<Place> place = places_.find(key.place);
  if (!place) throw view::HttpError(404, "there is no such place");
  return image_of(job_, *place, key);
}

TaskPointer SquareFarm::ask(const SquareKey& key, const Want& want) {
  const SquareImage square = image(key);
  const bool ready = is_prepared(square);
  const std::scoped_lock lock(mutex_);
  if (closed_) throw view::HttpError(503, "the server ends");
  TaskPointer task = queue_.ask(key, want, square, ready);
  changed_.notify_all();  // the view may be new
  return task;
}

void SquareFarm::begin(const SquareKey& key, const Want& want) {
  ask(key, want);
}

SquareFarm::Values SquareFarm::values(const SquareKey& key, const Want& want) {
  if (Values found = known(key)) return found;
  const TaskPointer task = ask(key, want);
  if (!task) throw view::HttpError(429, "too many squares wait; ask again later");
  std::unique_lock lock(mutex_);
  if (requests_ == spec_.max_requests) throw view::HttpError(429, "too many requests wait");
  ++requests_;
  const bool ended = changed_.wait_for(lock, spec_.max_wait, [&] { return task->ended(); });
  --requests_;
  if (!ended) throw view::HttpError(429, "the square is still being rendered; ask again later");
  if (task->state == SquareTask::State::dropped) {
    throw view::HttpError(410, "a newer view has come");
  }
  if (task->state == SquareTask::State::failed) throw view::HttpError(500, task->error);
  return task->values;
}

TaskPointer SquareFarm::take() {
  const std::scoped_lock lock(mutex_);
  return queue_.take();
}

void SquareFarm::put_back(const TaskPointer& task) {
  const std::scoped_lock lock(mutex_);
  if (!task->ended()) queue_.put_back(task);
  changed_.notify_all();
}

void SquareFarm::finish(const TaskPointer& task, const Values& values, const std::string& error) {
  if (values) cache_.put(task->key, values);
  {
    const std::scoped_lock lock(mutex_);
    if (task->ended()) return;
    task->values = values;
    task->error = base::printable(error);
    queue_.end(task, values ? SquareTask::State::done : SquareTask::State::failed);
    changed_.notify_all();
  }
  if (spec_.ended) spec_.ended(*task);
}

bool SquareFarm::end_if_given_up(const TaskPointer& task) {
  const std::scoped_lock lock(mutex_);
  if (!task->ended() && task->given_up(SquareTask::Clock::now())) {
    queue_.end(task, SquareTask::State::dropped);
    changed_.notify_all();
  }
  return task->ended();
}

void SquareFarm::drop(const SquareKey& key) {
  const std::scoped_lock lock(mutex_);
  queue_.drop(key);
  changed_.notify_all();
}

std::shared_ptr<const CachedOrbit> SquareFarm::orbit_of(const SquareTask& task) {
  if (!task.square.image.deep()) return nullptr;
  return orbits_.find(device::deep_place(task.square.image, task.square.fields));
}

SquareValues SquareFarm::render_square(int lane, const TaskPointer& task) {
  const SquareImage& square = task->square;
  // A device without room for the table of jumps says so, and renders other squares.
  lanes_.device_of(lane).shared_memory_bytes(square.image, square.fields);
  SquareValues values;
  values.type = job::iterations_type(square.image);
  const auto pixels = static_cast<std::size_t>(square.block.pixels());
  const std::size_t count_bytes = base::element_bytes(values.type);
  values.counts.resize(pixels * count_bytes);
  for (const job::Field field : job::kMoreFields) {
    if (square.fields[field]) values.more[field].resize(pixels * sizeof(float));
  }
  const std::int64_t rows = rows_of_call(lanes_.device_of(lane), square);
  base::PixelRect part = square.block;
  for (std::int64_t row = 0; row < square.block.height; row += rows) {
    if (unwanted(task)) throw Abandoned();
    part.y = square.block.y + row;
    part.height = std::min(rows, square.block.height - row);
    const auto first = static_cast<std::size_t>(row * part.width);
    device::BlockBuffers out{.iterations = values.counts.data() + first * count_bytes,
                             .stride_px = part.width};
    for (const job::Field field : job::kMoreFields) {
      base::Bytes& to = values.more[field];
      if (!to.empty()) out.set(field, to.data() + first * sizeof(float));
    }
    lanes_[lane].render(square.image, part, out);
  }
  return values;
}

bool SquareFarm::unwanted(const TaskPointer& task) {
  return closed_ || end_if_given_up(task);
}

bool SquareFarm::any_lane_left() {
  return std::ranges::any_of(lanes_.all(), [&](const binding::Lanes::OpenLane& lane) {
    return !lanes_.devices().failed(lane.device);
  });
}

bool SquareFarm::render(int lane, const TaskPointer& task) {
  const int device = lanes_.all()[static_cast<std::size_t>(lane)].device;
  try {
    finish(task, std::make_shared<SquareValues>(render_square(lane, task)), "");
  } catch (const Abandoned&) {
    finish(task, nullptr, "the server ends");
  } catch (const device::Interrupted&) {
    finish(task, nullptr, "the server ends");
  } catch (const device::DeviceError& error) {
    const std::string loss = lanes_.devices().lose(device, error.what());
    if (!any_lane_left()) {
      finish(task, nullptr, loss);
    } else {
      put_back(task);
    }
    return false;
  } catch (const std::exception& error) {
    finish(task, nullptr, error.what());
  }
  return true;
}

void SquareFarm::run_lane(int lane) {
  const int device = lanes_.all()[static_cast<std::size_t>(lane)].device;
  TaskPointer task;
  lanes_[lane].interrupt_when([&] { return unwanted(task); });
  do {
    task = nullptr;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        if (closed_ || lanes_.devices().failed(device)) return true;
        if (!lanes_.devices().in_reserve(device)) task = queue_.take();
        return task != nullptr;
      });
    }
  } while (task && render(lane, task));
  lanes_[lane].interrupt_when({});
}

/// Tasks of deep images wait until the orbit and the table of their image are made.
void SquareFarm::prepare_orbits() {
  for (;;) {
    TaskPointer task;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] {
        task = closed_ ? nullptr : queue_.first_unready();
        return closed_ || task;
      });
    }
    if (!task) return;
    try {
      const deep::Place place = device::deep_place(task->square.image, task->square.fields);
      deep::prepare(place, orbits_.get(place, [&](std::uint64_t iterations) {
        if (deep::max_bytes(iterations) > spec_.orbit_bytes) {
          throw base::usage_error("the reference orbit of this place needs more --memory");
        }
        const std::scoped_lock lock(mutex_);
        if (closed_ || task->ended()) throw Abandoned();
      }));
    } catch (const Abandoned&) {
      continue;
    } catch (const std::exception& error) {
      finish(task, nullptr, error.what());
    }
    const std::scoped_lock lock(mutex_);
    queue_.for_each_waiting(
        [](SquareTask& one) { one.ready = one.ready || is_prepared(one.square); });
    changed_.notify_all();
  }
}

}  // namespace tessera::explore
