// A run's part in a pool, whatever the pool makes: it takes shares and holds them, and waits for
// others.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include "job/run_spec.hpp"
#include "pool/pool_folder.hpp"
#include "run/context.hpp"

namespace tessera::pool {

/// What a run does next: a share, or -1 to join, 0 at the end.
struct Turn {
  static constexpr int kJoins = -1;
  int share = 0;
  int generation = 0;

  static auto members(auto& self) { return std::tie(self.share, self.generation); }
};

/// What the runs of a pool make together.
class Product {
 public:
  Product() = default;
  virtual ~Product() = default;
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;

  /// Collective, while this run holds the share, with what earlier holders have left of it.
  virtual void make_share(run::Context& context, const Turn& turn) = 0;
  /// Collective, when all shares are done, while this run holds the joining. An earlier holder may
  /// have done it.
  virtual void join(run::Context& context, int generation) = 0;
  /// On the gather rank, after the run has joined: removes the files of shares, and nothing else.
  virtual void clean(int generation) = 0;
  /// The files of the result.
  virtual std::vector<std::string> results() const = 0;
  /// On the gather rank, when they are there. Throws a usage error if one is now something else.
  virtual void check_results() const {}
};

/// Collective. Works in the pool until all is made. Throws what the work throws, and
/// base::ExitCode::stopped if the run is to stop.
void work_in(run::Context& context, const job::RunSpec& job, OpenPool& pool, Product& product);

}  // namespace tessera::pool
