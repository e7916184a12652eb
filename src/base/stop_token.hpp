// A request to stop a run early and in good order.
#pragma once

#include <atomic>
#include <string>

namespace tessera::base {

/// Belongs to one run. Any thread, and a signal handler, may request and ask at any time.
class StopToken {
 public:
  /// `first`: called by the first request, perhaps in a signal handler.
  explicit StopToken(void (*first)() noexcept = nullptr) : first_(first) {}

  /// For a part of a run, which is to stop when the run is.
  explicit StopToken(const StopToken* whole) : whole_(whole) {}

  /// The first call counts and returns true. `why` is shown to the user, for example "SIGTERM" or
  /// "--max-seconds"; it is kept as it is, so it must outlive the token.
  bool request(const char* why) noexcept {
    const char* nobody = nullptr;
    if (!reason_.compare_exchange_strong(nobody, why)) return false;
    if (first_ != nullptr) first_();
    return true;
  }
  bool requested() const noexcept {
    return reason_.load() != nullptr || (whole_ != nullptr && whole_->requested());
  }
  /// "" without a request.
  std::string reason() const {
    if (const char* const why = reason_.load()) return why;
    return whole_ == nullptr ? "" : whole_->reason();
  }

 private:
  std::atomic<const char*> reason_ = nullptr;
  static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler sets it");
  void (*first_)() noexcept = nullptr;
  const StopToken* whole_ = nullptr;
};

}  // namespace tessera::base
