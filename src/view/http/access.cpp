#include "view/http/access.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace tessera::view {
namespace {

constexpr int kCookieSeconds = 30 * 86400;

/// The name or address in a Host header, without the port.
std::string_view host_of(std::string_view header) {
  if (header.starts_with('[')) return header.substr(1, header.find(']') - 1);
  return header.substr(0, header.find(':'));
}

bool is_named_page(const Target& target) {
  return target.path.size() == 1 &&
         std::ranges::all_of(target.path[0], [](char c) { return c >= 'a' && c <= 'z'; });
}

/// The address of a page, without what follows it.
std::string page_of(const Target& target) {
  return "/" + (is_named_page(target) ? target.path[0] : "");
}

/// A page of another site may link to a page here. It may not ask for pictures, which cost time.
bool is_foreign(const HttpRequest& request, const Target& target) {
  return request.fetch_site == "cross-site" && !target.path.empty() && !is_named_page(target);
}

}  // namespace

bool is_loopback(std::string_view address) {
  const bool in_127 = address.starts_with("127.") &&
                      address.find_first_not_of("0123456789.") == std::string_view::npos;
  return in_127 || address == "::1" || address == "localhost";
}

std::string random_token() {
  std::array<unsigned char, 16> bits{};
  if (::getentropy(bits.data(), bits.size()) != 0) {
    throw base::run_error("the system has no random bits for a token");
  }
  std::string token;
  for (const unsigned char byte : bits) token += fmt::format("{:02x}", byte);
  return token;
}

Access::Access(std::string token)
    : token_(std::move(token)), cookie_(fmt::format("tessera_{:08x}", base::fnv1a(token_) >> 32)) {}

/// Takes the same time wherever a wrong text differs.
bool Access::is_token(std::string_view text) const {
  if (text.size() != token_.size()) return false;
  unsigned different = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    different |= static_cast<unsigned char>(text[i]) ^ static_cast<unsigned char>(token_[i]);
  }
  return different == 0;
}

bool Access::has_token(const HttpRequest& request) const {
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.authorization;
  if (authorization.starts_with(kBearer)) return is_token(authorization.substr(kBearer.size()));
  for (const std::string& cookie : base::split(request.cookie, ';')) {
    const std::size_t end = cookie.find('=');
    if (end != std::string::npos && cookie.substr(0, end) == cookie_) {
      return is_token(std::string_view(cookie).substr(end + 1));
    }
  }
  return false;
}

std::optional<HttpAnswer> Access::check(const HttpRequest& request, const Target& target) const {
  if (is_foreign(request, target)) {
    throw HttpError(403, "this server does not answer pages of other sites");
  }
  if (token_.empty()) {
    if (is_loopback(host_of(request.host))) return std::nullopt;
    throw HttpError(403, "this server answers only at addresses of its own machine");
  }
  if (is_token(target.parameter("token"))) {
    const bool is_for_programs = target.path.size() > 1;  // no page: no browser begins here
    if (is_for_programs) return std::nullopt;
    return HttpAnswer{
        .status = 303,
        .headers = {
            {"Location", page_of(target)},
            {"Set-Cookie", fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict",
                                       cookie_, token_, kCookieSeconds)}}};
  }
  if (has_token(request)) return std::nullopt;
  throw HttpError(401, "open the address that tessera printed, with its token");
}

}  // namespace tessera::view
