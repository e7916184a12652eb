// Results in the order of their items, in whichever order they arrive.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/bytes.hpp"
#include "farm/work.hpp"

namespace tessera::post {

/// A result that arrives early waits for the ones before it; the window of the schedule bounds
/// their number.
class OrderedSink : public farm::Sink {
 public:
  void put(farm::ResultChunk result_chunk) final {
    early_[result_chunk.item] = std::move(result_chunk.body);
    for (auto item = early_.find(next_); item != early_.end(); item = early_.find(++next_)) {
      put_next(item->second);
      early_.erase(item);
    }
  }

 private:
  virtual void put_next(const base::Bytes& result) = 0;

  std::int64_t next_ = 0;
  std::map<std::int64_t, base::Bytes> early_;
};

}  // namespace tessera::post
