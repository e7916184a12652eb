#include "pool/pool.hpp"

#include "base/error.hpp"
#include "pool/pool_folder.hpp"

namespace tessera::pool {

bool is_pool(const std::string& folder) {
  return read_facts(folder).has_value();
}

PoolState look_at(const std::string& folder) {
  const std::optional<PoolFacts> facts = read_facts(folder);
  if (!facts) throw base::usage_error("{}: is no pool", folder);
  LeaseFolder leases = leases_in(folder, 0);
  PoolState pool{.kind = facts->kind, .title = facts->title, .output = facts->output};
  for (int share = 1; share <= facts->shares; ++share) {
    pool.shares.push_back({share, leases.look(item_of(share))});
  }
  pool.join = leases.look(kJoin);
  return pool;
}

}  // namespace tessera::pool
