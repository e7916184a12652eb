#include "comm/agree.hpp"

#include <exception>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"

namespace tessera::comm {

void agree(comm::World& world, const std::function<void()>& prepare) {
  auto code = base::ExitCode::done;
  std::string text;
  try {
    prepare();
  } catch (const base::Error& error) {
    code = error.code();
    text = error.what();
  } catch (const std::exception& error) {
    code = base::ExitCode::failed;
    text = error.what();
  }
  if (code == base::ExitCode::failed && world.size() > 1) {
    text = fmt::format("rank {} on {}: {}", world.rank(), world.host(), text);
  }
  const auto all = world.gather(base::to_bytes(code, text));
  base::Bytes first;
  for (std::size_t rank = 0; rank < all.size() && first.empty(); ++rank) {
    if (all[rank].empty()) continue;  // the rank is skipped
    base::ByteReader verdict(all[rank]);
    if (verdict.get<base::ExitCode>() != base::ExitCode::done) first = all[rank];
  }
  first = world.broadcast(std::move(first));
  if (first.empty()) {
    if (code == base::ExitCode::done) return;
    // Nobody received the error: this rank was silent, and the others continue without it.
    world.events().log(fmt::format("tessera: {}; leaves", base::printable(text)));
    world.give_up(code, text);
    throw AgreedError(code, text);
  }
  base::ByteReader verdict(first);
  code = verdict.get<base::ExitCode>();
  throw AgreedError(code, verdict.get<std::string>());
}

}  // namespace tessera::comm
