// All that a run says while it works. Whoever started the run decides where it goes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

namespace tessera::base {

/// How a run advances, in a line that the next one replaces. This one shows nothing.
class StatusLine {
 public:
  StatusLine() = default;
  virtual ~StatusLine() = default;
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// Whether a line would be shown now. Asked all the time, so that nobody makes lines in vain.
  virtual bool due() const { return false; }
  /// Columns of the terminal for it; 0 if there is none.
  virtual int columns() const { return 0; }
  virtual void show(const std::string&) {}
  /// The same as numbers: `done` of `total` items of the stage. Called with every step.
  virtual void count(const std::string& /*stage*/, std::int64_t /*done*/, std::int64_t /*total*/) {}
};

/// Any thread may call it. This one discards everything.
class Events {
 public:
  Events() = default;
  virtual ~Events() = default;
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;

  /// A remark or a warning: lines without the last line end.
  virtual void log(const std::string&) {}
  /// Its destructor removes the line.
  virtual std::unique_ptr<StatusLine> status_line() { return std::make_unique<StatusLine>(); }
  /// Drivers of devices have been loaded. Some replace signal handlers.
  virtual void drivers_loaded() {}
};

}  // namespace tessera::base
