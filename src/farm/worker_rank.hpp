// A farm on a rank other than the gather rank.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/event.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "farm/messages.hpp"
#include "farm/request_threshold.hpp"
#include "farm/result_inbox.hpp"
#include "farm/result_outbox.hpp"
#include "farm/started_items.hpp"
#include "farm/worker_pool.hpp"

namespace tessera::farm {

/// Requests items, lets the workers compute them and sends the results. It may store a part of the
/// farm's results, too.
class WorkerRank {
 public:
  WorkerRank(comm::World& world, Work& work, const Storing& storing, const FarmLimits& limits);
  /// Releases workers that wait for room, which would otherwise never end.
  ~WorkerRank();
  WorkerRank(const WorkerRank&) = delete;
  WorkerRank& operator=(const WorkerRank&) = delete;

  std::vector<report::ThreadReport> run();

 private:
  bool receive();
  void obey(const ControlMessage& control);
  void leave_at_once();
  bool report_failure(const std::string& failure);
  std::chrono::microseconds poll_interval() const;
  bool report_stop();
  void report_started();
  bool retire();
  bool ask();
  bool leave();
  bool store();
  void take_back(const ControlMessage& control);
  void deliver(Result result);
  bool done();
  void post(ControlMessage message);

  comm::World& world_;
  std::uint32_t farm_;
  base::Event wake_;
  Routes routes_;
  ResultOutbox outbox_;
  std::optional<ResultInbox> inbox_;  ///< of a rank that stores a part
  WorkerPool pool_;
  RequestThreshold request_threshold_;
  StartedTimer started_timer_;
  std::vector<ItemProgress> told_started_;
  bool asked_ = false;
  bool failed_ = false;
  bool retired_ = false;
  bool stop_reported_ = false;
  bool stopped_ = false;
  bool left_ = false;
  bool end_ = false;  ///< the part gets no more results
  bool complete_ = false;
  bool ended_ = false;  ///< the part is stored
  std::vector<report::ThreadReport> writers_;
};

}  // namespace tessera::farm
