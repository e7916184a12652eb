// A run that was asked to stop, with its report so far.
#pragma once

#include <string>
#include <utility>

#include "comm/agree.hpp"

namespace tessera::farm {

/// Every rank throws it. The report is that of the gather rank, empty elsewhere.
template <class Report>
class StoppedRun : public comm::AgreedError {
 public:
  StoppedRun(const std::string& why, Report report)
      : AgreedError(base::ExitCode::stopped, why), report_(std::move(report)) {}

  const Report& report() const { return report_; }
  Report take_report() { return std::move(report_); }

 private:
  Report report_;
};

}  // namespace tessera::farm
