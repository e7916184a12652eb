// The folder of a pool: what its first run has written there, and the names of its files.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "comm/world.hpp"
#include "job/run_spec.hpp"
#include "pool/lease.hpp"

namespace tessera::pool {

/// The item of the run that joins the shares.
inline constexpr const char* kJoin = "join";

std::string item_of(int share);

/// What the first run writes into the folder, for all others.
struct PoolFacts {
  std::string fingerprint;
  std::string or_fingerprint = "";  ///< that a run takes as well; not in the folder
  int shares = 0;
  std::string output;       ///< "" = numbers
  std::string kind;         ///< "image", "zoom" or "reduction"
  std::string title = "";   ///< what it is of, for people
  std::string inputs = "";  ///< lines, see reduce::describe_inputs()
};

/// Nothing if the folder is no pool.
std::optional<PoolFacts> read_facts(const std::string& folder);

/// The leases of a folder that is a pool.
LeaseFolder leases_in(const std::string& folder, double lease_s);

/// Whether the file is there, or appears within `most_s` seconds: NFS shows the files of other
/// machines late. Throws base::ExitCode::stopped, with a message that begins with `command`, if the
/// run is to stop.
bool appears(const std::string& file, double most_s, const std::string& command);

/// Whether a run has begun to join the shares.
bool is_joined(const std::string& folder);

/// A pool, as one run sees it.
struct OpenPool {
  std::string command;  ///< "render" or "reduce"
  std::string folder;
  PoolFacts facts;                      ///< on ranks but the gather rank only the number of shares
  std::optional<LeaseFolder> leases{};  ///< on the gather rank

  /// What the run that holds this generation of a share makes.
  std::string part_file(int share, int generation, std::string_view suffix) const;
  /// On the gather rank: those of this generation and of all before it, the last one first.
  std::vector<std::string> parts_before(int share, int generation, std::string_view suffix) const;
  /// On the gather rank: those of the generations that are done, by share. Those that neither are
  /// there, with this suffix, nor appear, are left out.
  std::vector<std::string> done_parts(std::string_view suffix);
  /// On the gather rank: those of all generations of a share.
  std::vector<std::string> all_parts(int share, std::string_view suffix);
};

/// Collective. Enters the pool in job.pool, or makes it. `facts` is called on the gather rank.
/// Throws a usage error if the folder is of another job; `others` says what that may be.
OpenPool open_pool(comm::World& world, const job::RunSpec& job, const std::string& command,
                   const std::function<PoolFacts()>& facts, std::string_view others);

/// The job of a single run.
template <class Job>
Job without_pool(Job job) {
  const job::RunSpec usual;
  job.pool = usual.pool;
  job.pool_shares = usual.pool_shares;
  job.pool_lease_s = usual.pool_lease_s;
  return job;
}

}  // namespace tessera::pool
