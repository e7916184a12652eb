// The results that this rank stores: of its own threads, and of other ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/event.hpp"
#include "comm/world.hpp"
#include "farm/farm.hpp"
#include "farm/messages.hpp"
#include "farm/result_writer.hpp"

namespace tessera::farm {

class ResultInbox {
 public:
  /// `wake` is notified when collect() has something new.
  ResultInbox(comm::World& world, Sink& sink, std::uint32_t farm, const FarmLimits& limits,
              base::Event& wake);

  /// A result of this rank. Called by any thread; waits for room.
  void push(Result result) { writer_.push(world_.rank(), std::move(result)); }
  /// Has the sink adopt a part; collect() tells when it has.
  void adopt(std::size_t part) { writer_.adopt(part); }
  /// Takes the messages that have arrived, and returns whether there were any.
  bool receive();
  /// The items stored since the last call, and errors.
  ResultWriter::Events collect() { return writer_.collect(); }
  /// Drops all results, and those that arrive.
  void abandon();
  /// Stores all that has arrived, and returns the report of the thread. collect() has the rest.
  report::ThreadReport finish(bool is_complete) { return writer_.finish(is_complete); }

 private:
  comm::World& world_;
  std::uint32_t farm_;
  ResultWriter writer_;
  bool abandoned_ = false;
  /// By rank: the chunks so far of a result that arrives in several messages.
  std::vector<Result> halves_;
};

}  // namespace tessera::farm
