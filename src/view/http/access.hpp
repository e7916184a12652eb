// Who may ask: on the loopback address, pages of this machine; elsewhere, who has the token.
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

  /// The answer for a request that brings the token in its address: a cookie, and the address
  /// without it. Nothing for other requests that are allowed. Throws HttpError 401 without the
  /// token, and 403 if a name of another machine leads here (DNS rebinding), where a page of that
  /// machine could read the answer.
  std::optional<HttpAnswer> check(const HttpRequest& request, const Target& target) const;

 private:
  bool is_token(std::string_view text) const;
  bool has_token(const HttpRequest& request) const;

  std::string token_;
  std::string cookie_;  ///< name; two servers of a machine share the cookies of a browser
};

}  // namespace tessera::view
