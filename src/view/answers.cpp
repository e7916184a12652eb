#include "view/answers.hpp"

#include "view/http/target.hpp"

namespace tessera::view {

HttpAnswer json_answer(const report::Json& json, int status) {
  HttpAnswer answer = fresh_answer(
      "application/json", json.dump(-1, ' ', false, report::Json::error_handler_t::replace));
  answer.status = status;
  return answer;
}

HttpAnswer fresh_answer(std::string type, std::string body, Headers headers) {
  headers.emplace_back("Cache-Control", "no-store");
  return {.type = std::move(type), .body = std::move(body), .headers = std::move(headers)};
}

HttpAnswer png_answer(const base::Bytes& png, Headers headers) {
  return {.type = "image/png",
          .body = std::string(reinterpret_cast<const char*>(png.data()), png.size()),
          .headers = std::move(headers)};
}

std::string_view without_png(std::string_view name) {
  constexpr std::string_view kPng = ".png";
  if (!name.ends_with(kPng)) throw HttpError(404, "there is no such page");
  return name.substr(0, name.size() - kPng.size());
}

}  // namespace tessera::view
