// Access control. Requests need the token, since other users of the machine reach the loopback
// address too. Without a token, pages of this machine may send requests.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "view/http/http.hpp"
#include "view/http/target.hpp"

namespace tessera::view {

/// True for 127.0.0.0/8, ::1 and localhost.
bool is_loopback(std::string_view address);

/// 128 random bits as hexadecimal digits.
std::string random_token();

/// Any thread may use it.
class Access {
 public:
  /// "" needs no token.
  explicit Access(std::string token);

  /// A request for a page with the token in its address gets a cookie and a redirect to the address
  /// without the token. Returns nothing for other allowed requests. Throws HttpError 401 without
  /// the token. Throws HttpError 403 for the name of another machine (DNS rebinding), because a
  /// page of that machine could read the answer.
  std::optional<HttpAnswer> check(const HttpRequest& request, const Target& target) const;

 private:
  bool is_token(std::string_view text) const;
  bool has_token(const HttpRequest& request) const;

  std::string token_;
  std::string cookie_;  ///< name; two servers of a machine share the cookies of a browser
};

}  // namespace tessera::view
