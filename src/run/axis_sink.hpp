// Tiles of the result into its file.
#pragma once

#include <map>

#include "run/axis_work.hpp"
#include "store/array_writer.hpp"

namespace tessera::run {

/// Writes tiles as they come; those that come in shares when they are together.
class AxisSink : public Sink {
 public:
  AxisSink(const AxisTask& task, store::ArrayWriter& writer) : task_(task), writer_(writer) {}

  void put(Parcel parcel) override;
  const device::SpecialCounts& specials() const { return specials_; }

 private:
  struct Gathering {
    device::AxisPartials partials;
    std::int64_t shares = 0;
  };

  void merge(std::int64_t tile, base::ByteReader& body);
  void write(std::int64_t tile, std::span<const std::byte> answers);

  const AxisTask& task_;
  store::ArrayWriter& writer_;
  device::SpecialCounts specials_;
  std::map<std::int64_t, Gathering> gathering_;  ///< by tile
};

}  // namespace tessera::run
