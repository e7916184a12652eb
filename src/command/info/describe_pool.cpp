#include <fmt/format.h>

#include <cstdint>
#include <map>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "command/info/description.hpp"
#include "pool/pool.hpp"

namespace tessera::command {

Description describe_pool(const std::string& path) {
  const pool::PoolState state = pool::look_at(path);
  Description folder{.json = {{"file", path}, {"kind", "pool"}, {"of", state.kind}}};
  std::int64_t done = 0;
  std::map<std::string, std::vector<int>> held;
  for (const pool::ShareState& share : state.shares) {
    done += share.state.kind == pool::ItemState::Kind::done ? 1 : 0;
    if (share.state.kind == pool::ItemState::Kind::held) {
      held[share.state.holder].push_back(share.number);
    }
  }
  const bool complete = state.join.kind == pool::ItemState::Kind::done;
  const auto all = std::ssize(state.shares);
  folder.text =
      fmt::format("{}: a pool of {}\n", base::printable(path), base::count_of(all, "share"));
  const std::string& what = state.output.empty() ? state.title : state.output;
  folder.text += row_of(state.kind, what + (complete ? ", complete" : ""));
  folder.json[state.output.empty() ? "title" : "output"] = what;
  folder.text += row_of("shares done", fmt::format("{} of {}", done, all));
  folder.json["complete"] = complete;
  folder.json["shares"] = all;
  folder.json["shares_done"] = done;
  folder.json["held"] = report::Json::array();
  for (const auto& [holder, shares] : held) {
    folder.text += row_of("held", fmt::format("{} by {}", fmt::join(shares, ", "), holder));
    folder.json["held"].push_back({{"by", holder}, {"shares", shares}});
  }
  if (state.join.kind == pool::ItemState::Kind::held) {
    folder.text += row_of("joined", fmt::format("by {}", state.join.holder));
  }
  return folder;
}

}  // namespace tessera::command
