#include "explore/square_queue.hpp"

#include <algorithm>

namespace tessera::explore {
namespace {

// crossed by: clients_that_were_not_heard_of_for_longest_are_forgotten
constexpr std::size_t kMaxClients = 256;
constexpr std::chrono::milliseconds kGrace{200};

}  // namespace

bool SquareTask::given_up(Clock::time_point now) const {
  return wants.empty() && now - cancelled_at > kGrace;
}

/// Whether the client has a newer view. Remembers its newest one.
bool SquareQueue::outdated(const Want& want) {
  if (want.client.empty()) return false;
  const auto known = std::ranges::find(clients_, want.client, &Want::client);
  if (known == clients_.end()) {
    clients_.push_front(want);
    if (clients_.size() > kMaxClients) clients_.pop_back();
    return false;
  }
  clients_.splice(clients_.begin(), clients_, known);
  if (want.view < known->view) return true;
  if (want.view > known->view) {
    known->view = want.view;
    drop_older(want);
  }
  return false;
}

void SquareQueue::drop_older(const Want& want) {
  for (auto next = tasks_.begin(); next != tasks_.end();) {
    const TaskPointer task = (next++)->second;
    const bool requested = !task->wants.empty();
    std::erase_if(task->wants, [&](const Want& one) {
      return one.client == want.client && one.view < want.view;
    });
    if (!requested || !task->wants.empty()) continue;
    task->cancelled_at = SquareTask::Clock::now();
    if (task->state == SquareTask::State::waiting) end(task, SquareTask::State::dropped);
  }
}

void SquareQueue::drop(const SquareKey& key) {
  const auto known = tasks_.find(key);
  if (known != tasks_.end()) end(TaskPointer(known->second), SquareTask::State::dropped);
}

TaskPointer SquareQueue::ask(const SquareKey& key, const Want& want, const SquareImage& square,
                             bool ready) {
  auto fresh = std::make_shared<SquareTask>();
  fresh->key = key;
  if (outdated(want)) {
    fresh->state = SquareTask::State::dropped;
    return fresh;
  }
  const auto known = tasks_.find(key);
  if (known != tasks_.end()) {
    known->second->wants.push_back(want);
    return known->second;
  }
  if (waiting_.size() >= most_) return nullptr;
  fresh->number = ++numbers_;
  fresh->square = square;
  fresh->ready = ready;
  fresh->wants.push_back(want);
  tasks_.emplace(key, fresh);
  waiting_.emplace(order_of(*fresh), fresh);
  return fresh;
}

TaskPointer SquareQueue::take() {
  const auto next =
      std::ranges::find_if(waiting_, [](const auto& entry) { return entry.second->ready; });
  if (next == waiting_.end()) return nullptr;
  TaskPointer task = next->second;
  waiting_.erase(next);
  task->state = SquareTask::State::running;
  return task;
}

TaskPointer SquareQueue::first_unready() const {
  const auto first =
      std::ranges::find_if(waiting_, [](const auto& entry) { return !entry.second->ready; });
  return first == waiting_.end() ? nullptr : first->second;
}

void SquareQueue::put_back(const TaskPointer& task) {
  task->state = SquareTask::State::waiting;
  waiting_.emplace(order_of(*task), task);
}

void SquareQueue::end(const TaskPointer& task, SquareTask::State state) {
  task->state = state;
  tasks_.erase(task->key);
  waiting_.erase(order_of(*task));
}

void SquareQueue::clear() {
  for (const auto& [order, task] : waiting_) {
    task->state = SquareTask::State::dropped;
    tasks_.erase(task->key);
  }
  waiting_.clear();
}

}  // namespace tessera::explore
