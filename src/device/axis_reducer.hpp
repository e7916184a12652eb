// The interface of axis reductions on a device.
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

/// Reduces one tile after another on a device. Driven by one thread.
class AxisReducer {
 public:
  virtual ~AxisReducer() = default;
  virtual void begin(std::int64_t outputs) = 0;
  /// Adds the elements of `piece`, in this machine's byte order. If batch_bytes() is not 0,
  /// `elements` must not change until wait().
  virtual void add(std::span<const std::byte> elements, const plan::AxisPiece& piece) = 0;

  /// Preferred number of bytes in flight to the device, in memory from make_host_buffer(), which
  /// must not outlive this object. 0 = add() has consumed the elements when it returns.
  virtual std::size_t batch_bytes() const { return 0; }
  virtual std::unique_ptr<HostBuffer> make_host_buffer(std::size_t bytes);
  virtual void wait() {}
  /// Whether the device generates the elements of that array itself, with the same bits as
  /// generate(). Only then may add_generated() be called, with a piece of those elements.
  virtual bool generates(const job::ArrayInput&) const { return false; }
  virtual void add_generated(const statistics::GeneratedElements& generated,
                             const plan::AxisPiece& piece);

  /// Call it after the last add(), before specials(), answer() and finish().
  virtual void end() {}
  /// Counts of NaN and infinities since begin().
  virtual statistics::SpecialCounts specials() const = 0;
  /// Computes the answers of an operation for everything since begin(), in the types of
  /// result_of(). False if the device has no faster way than through partial results. Call it
  /// before finish().
  virtual bool answer(job::Operation, const statistics::AnswerParameters&,
                      std::span<std::byte> /*to*/) {
    return false;
  }
  /// Moves the partial results since begin() to `to`; every output received `elements_each`
  /// elements. Afterwards nothing may be added.
  virtual void finish(std::int64_t elements_each, statistics::OutputPartials& to) = 0;
};

}  // namespace tessera::device
