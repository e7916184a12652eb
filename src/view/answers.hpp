// Answers of the kinds that the viewer and the explorer give.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "report/json_parts.hpp"
#include "view/http/http.hpp"

namespace tessera::view {

using Headers = std::vector<std::pair<std::string, std::string>>;

HttpAnswer json_answer(const report::Json& json, int status = 200);
/// Not to be kept by the browser; nor is json_answer().
HttpAnswer fresh_answer(std::string type, std::string body, Headers headers = {});
HttpAnswer png_answer(const base::Bytes& png, Headers headers = {});

/// "7" of "7.png". Throws HttpError 404 for another name.
std::string_view without_png(std::string_view name);

}  // namespace tessera::view
