// The reductions of a device along axes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "job/reduce_job.hpp"
#include "plan/axis_plan.hpp"
#include "statistics/output_partials.hpp"

namespace tessera::device {

class HostBuffer;

/// One tile after the other on a device, driven by one thread.
class AxisReducer {
 public:
  virtual ~AxisReducer() = default;
  virtual void begin(std::int64_t outputs) = 0;
  /// Elements in this machine's byte order, as the piece says. Where batch_bytes() is not 0, they
  /// stay as they are until wait().
  virtual void add(std::span<const std::byte> elements, const plan::AxisPiece& piece) = 0;

  /// Bytes that a device likes to have on their way to it, best in memory from make_host_buffer(),
  /// which lives no longer than this; 0 = it is done with elements when add() returns.
  virtual std::size_t batch_bytes() const { return 0; }
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes);
  virtual void wait() {}
  /// Whether the device makes the elements of that array itself, as generate() does;
  /// add_generated() is for that only, with a piece of those elements.
  virtual bool generates(const job::ArrayInput&) const { return false; }
  virtual void add_generated(const statistics::GeneratedElements& generated,
                             const plan::AxisPiece& piece);

  /// After the last of them, before what follows is asked.
  virtual void end() {}
  /// Of everything since begin().
  virtual statistics::SpecialCounts specials() const = 0;
  /// The answers of an operation about everything since begin(), in the types of result_of(), if
  /// there is a shorter way to them than through partial results: before finish().
  virtual bool answer(job::Operation, const statistics::AnswerParameters&,
                      std::span<std::byte> /*to*/) {
    return false;
  }
  /// Everything since begin(), of which every output has had `elements_each`; nothing may be added
  /// afterwards.
  virtual void finish(std::int64_t elements_each, statistics::OutputPartials& to) = 0;
};

}  // namespace tessera::device
