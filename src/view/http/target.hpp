// The target of a request: its path and its parameters. Clients may send anything.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::view {

/// An answer other than success, with its HTTP status. The text is one line for people.
class HttpError : public std::runtime_error {
 public:
  HttpError(int status, const std::string& what) : std::runtime_error(what), status_(status) {}
  int status() const noexcept { return status_; }

 private:
  int status_;
};

struct Target {
  std::vector<std::string> path;  ///< "/tiles/0/1.png" -> "tiles", "0", "1.png"; "/" -> none
  std::map<std::string, std::string, std::less<>> parameters;

  /// "" if it was not given.
  std::string_view parameter(std::string_view name) const;
};

/// Decodes %XX, and + in parameters. Throws HttpError 400 for text that is not a path with an
/// optional query, for control characters, and for a parameter that is given twice.
Target parse_target(std::string_view target);

/// A whole number in [low, high] in plain digits. Throws HttpError `status` that starts with
/// `what`.
std::int64_t parse_number(std::string_view text, std::string_view what, std::int64_t low,
                          std::int64_t high, int status = 400);

}  // namespace tessera::view
