// The folder of a pool: what its first run has written there, and the names of its files.
#pragma once

#include <optional>
#include <string>

#include "comm/world.hpp"
#include "job/image/render_job.hpp"
#include "pool/lease.hpp"

namespace tessera::pool {

/// The item of the run that joins the shares.
inline constexpr const char* kJoin = "join";

std::string item_of(int share);

/// What the first run writes into the folder, for all others.
struct PoolFacts {
  std::string fingerprint;
  int shares = 0;
  std::string output;
};

/// Nothing if the folder is no pool.
std::optional<PoolFacts> read_facts(const std::string& folder);

/// The leases of a folder that is a pool.
LeaseFolder leases_in(const std::string& folder, double lease_s);

/// A pool, as one run sees it.
struct OpenPool {
  job::RenderJob job;
  PoolFacts facts;                    ///< on ranks but the gather rank only the number of shares
  std::optional<LeaseFolder> leases;  ///< on the gather rank

  /// The job as one of a single run, without the pool.
  job::RenderJob single_job() const;
  /// Where the run that holds this generation of a share renders it.
  std::string share_file(int share, int generation) const;
};

/// Collective. Enters the pool in job.pool, or makes it. Throws a usage error if the folder is of
/// another image, and what store::check_output() throws about the outputs.
OpenPool open_pool(comm::World& world, job::RenderJob job);

}  // namespace tessera::pool
