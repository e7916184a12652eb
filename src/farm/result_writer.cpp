#include "farm/result_writer.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/run.hpp"

namespace tessera::farm {

ResultWriter::ResultWriter(Sink& sink, const FarmLimits& limits, base::Clock::time_point origin,
                           base::Event& wake)
    : sink_(sink), wake_(wake), origin_(origin), trace_(limits.trace), inbox_(limits.inbox_bytes) {
  report_.name = "writer";
  thread_ = base::run_thread([this] { run(); });
}

ResultWriter::~ResultWriter() {
  inbox_.abandon();
  if (thread_.joinable()) thread_.join();
}

void ResultWriter::push(int rank, Result result) {
  const std::size_t weight = weight_of(result);
  inbox_.push({rank, std::move(result)}, weight);
}

void ResultWriter::push_over(int rank, Result result) {
  const std::size_t weight = weight_of(result);
  inbox_.push_over({rank, std::move(result)}, weight);
}

void ResultWriter::run() {
  try {
    while (auto received = inbox_.pop()) {
      if (received->adopted) {
        take_over(*received->adopted);
      } else {
        store(std::move(*received));
      }
    }
    if (is_complete_) sink_.close();
  } catch (const std::exception& error) {
    inbox_.abandon();
    std::scoped_lock lock(mutex_);
    events_.failure = error.what();
  }
  wake_.notify();
}

/// Returns whether the item was noted before.
bool ResultWriter::note(std::int64_t item) {
  const auto index = static_cast<std::size_t>(item);
  if (index >= answered_.size()) answered_.resize(std::max(index + 1, 2 * answered_.size()));
  const bool again = answered_[index];
  answered_[index] = true;
  return again;
}

void ResultWriter::take_over(std::size_t part) {
  std::vector<StoredItem> stored;
  std::string why_not;
  try {
    stored = sink_.adopt(part);
  } catch (const base::Error& error) {
    why_not = error.what();
  }
  for (const StoredItem& what : stored) note(what.item);
  std::scoped_lock lock(mutex_);
  events_.stored.insert(events_.stored.end(), stored.begin(), stored.end());
  if (why_not.empty()) {
    events_.adopted.push_back(part);
  } else {
    events_.unadopted.emplace_back(part, why_not);
  }
  wake_.notify();
}

void ResultWriter::store(Received received) {
  const StoredItem what{.rank = received.rank,
                        .item = received.result.front().item,
                        .start_s = received.result.back().start_s,
                        .seconds = received.result.back().seconds};
  const bool again = note(what.item);
  if (!again) {
    const auto start = base::Clock::now();
    for (ResultChunk& result_chunk : received.result) {
      result_chunk.rank = received.rank;
      sink_.put(std::move(result_chunk));
    }
    const auto end = base::Clock::now();
    report_.seconds[static_cast<std::size_t>(report::Stage::write)] +=
        base::seconds_between(start, end);
    if (trace_) {
      report::add_span(report_,
                       {report::Stage::write, what.item, base::seconds_between(origin_, start),
                        base::seconds_between(origin_, end)});
    }
  }
  std::scoped_lock lock(mutex_);
  if (again) {
    ++events_.again;
  } else {
    events_.stored.push_back(what);
  }
  wake_.notify();
}

ResultWriter::Events ResultWriter::collect() {
  std::scoped_lock lock(mutex_);
  Events events{.failure = events_.failure};
  events.stored.swap(events_.stored);
  events.adopted.swap(events_.adopted);
  events.unadopted.swap(events_.unadopted);
  events.again = std::exchange(events_.again, 0);
  return events;
}

report::ThreadReport ResultWriter::finish(bool is_complete) {
  is_complete_ = is_complete;
  inbox_.close();
  if (thread_.joinable()) thread_.join();
  return std::move(report_);
}

}  // namespace tessera::farm
