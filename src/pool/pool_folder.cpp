#include "pool/pool_folder.hpp"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file/posix_file.hpp"
#include "base/run.hpp"
#include "base/text.hpp"
#include "comm/agree.hpp"
#include "comm/broadcast_value.hpp"
#include "reduce/checkpointing.hpp"

namespace tessera::pool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPoolFile = "pool.txt";
constexpr std::string_view kMark = "tessera pool 1";
constexpr std::size_t kLinesOfFacts = 6;

std::string text_of(const PoolFacts& facts) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", kMark, facts.fingerprint, facts.shares,
                     facts.output, facts.kind, facts.title, facts.inputs);
}

void check_facts(const job::RunSpec& job, const PoolFacts& mine, const PoolFacts& facts,
                 std::string_view others) {
  if (facts.fingerprint != mine.fingerprint &&
      (mine.or_fingerprint.empty() || facts.fingerprint != mine.or_fingerprint)) {
    throw base::usage_error("--pool {}: is of {}; take another folder", job.pool, others);
  }
  if (facts.inputs != mine.inputs) {
    throw base::usage_error("--pool {}: {} has changed since the pool began; take another folder",
                            job.pool, reduce::changed_file(facts.inputs, mine.inputs));
  }
  if (facts.output != mine.output) {
    throw base::usage_error("--pool {}: its image goes to {}; give that --output", job.pool,
                            facts.output);
  }
  if (job.pool_shares > 0 && job.pool_shares != facts.shares) {
    throw base::usage_error("--pool-shares {}: this pool has {}", job.pool_shares, facts.shares);
  }
}

PoolFacts enter(const job::RunSpec& job, const std::string& command, const PoolFacts& mine,
                std::string_view others) {
  std::error_code error;
  fs::create_directories(job.pool, error);
  if (error) throw base::file_error(job.pool, "be created", error.value());
  const std::string file = fmt::format("{}/{}", job.pool, kPoolFile);
  if (!create_once(file, text_of(mine))) appears(file, job.pool_lease_s, command);
  std::optional<PoolFacts> facts = read_facts(job.pool);
  if (!facts) throw base::usage_error("--pool {}: its {} is damaged", job.pool, kPoolFile);
  check_facts(job, mine, *facts, others);
  return std::move(*facts);
}

}  // namespace

std::string item_of(int share) {
  return fmt::format("share{:04}", share);
}

std::optional<PoolFacts> read_facts(const std::string& folder) {
  const std::string text = base::contents_of(fmt::format("{}/{}", folder, kPoolFile));
  std::vector<std::string> lines;
  std::size_t at = 0;
  for (; lines.size() < kLinesOfFacts && at < text.size(); at = text.find('\n', at) + 1) {
    const std::size_t end = text.find('\n', at);
    if (end == text.npos) return std::nullopt;
    lines.push_back(text.substr(at, end - at));
  }
  if (lines.size() < kLinesOfFacts || lines[0] != kMark) return std::nullopt;
  return PoolFacts{.fingerprint = lines[1],
                   .shares = static_cast<int>(base::parse_integer(lines[2], folder, 1, 1 << 20)),
                   .output = lines[3],
                   .kind = lines[4],
                   .title = lines[5],
                   .inputs = text.substr(at)};
}

LeaseFolder leases_in(const std::string& folder, double lease_s) {
  return {fmt::format("{}/leases", folder), lease_s};
}

bool appears(const std::string& file, double most_s, const std::string& command) {
  const auto end = base::later(base::Clock::now(), most_s);
  for (;;) {
    // To open the folder makes NFS ask the server whether it has changed.
    std::error_code gone;
    const fs::directory_iterator look(base::folder_of(file), gone);
    if (base::exists(file)) return true;
    if (base::Clock::now() >= end) return false;
    base::throw_if_stopped(command);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

bool is_joined(const std::string& folder) {
  return read_facts(folder).has_value() && leases_in(folder, 0).look(kJoin).generation > 0;
}

std::string OpenPool::part_file(int share, int generation, std::string_view suffix) const {
  return fmt::format("{}/{}.{}{}", folder, item_of(share), generation, suffix);
}

std::vector<std::string> OpenPool::parts_before(int share, int generation,
                                                std::string_view suffix) const {
  std::vector<std::string> parts;
  for (; generation > 0; --generation) parts.push_back(part_file(share, generation, suffix));
  return parts;
}

std::vector<std::string> OpenPool::done_parts(std::string_view suffix) {
  leases->list();
  std::vector<std::string> parts;
  for (int share = 1; share <= facts.shares; ++share) {
    std::string part = part_file(share, leases->look(item_of(share)).generation, suffix);
    if (appears(part, leases->lease_s(), command)) parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<std::string> OpenPool::all_parts(int share, std::string_view suffix) {
  return parts_before(share, leases->last_generation(item_of(share)), suffix);
}

OpenPool open_pool(comm::World& world, const job::RunSpec& job, const std::string& command,
                   const std::function<PoolFacts()>& facts, std::string_view others) {
  OpenPool pool{.command = command, .folder = job.pool, .facts = {}};
  comm::agree(world, [&] {
    if (!world.is_root()) return;
    pool.facts = enter(job, command, facts(), others);
    pool.leases = leases_in(job.pool, job.pool_lease_s);
  });
  pool.facts.shares = comm::broadcast_value(world, pool.facts.shares);
  return pool;
}

}  // namespace tessera::pool
