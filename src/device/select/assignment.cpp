#include "device/select/assignment.hpp"

#include <algorithm>
#include <functional>

#include "base/error.hpp"
#include "base/text.hpp"
#include "device/select/matching.hpp"
#include "device/select/same_hardware.hpp"

namespace tessera::device {
namespace {

std::string why_unusable(const DetectedDevice& detected) {
  return detected.info.reason.empty() && !detected.info.fp64 ? "no fp64" : detected.info.reason;
}

bool usable(const DetectedDevice& detected) {
  return why_unusable(detected).empty();
}

/// The devices that the ranks of a node can drive, each piece of hardware once.
struct Pool {
  std::vector<const DeviceInfo*> hardware;      ///< as described by the first rank that sees it
  std::vector<std::vector<Reach>> reach;        ///< for each rank
  std::vector<std::vector<std::string>> names;  ///< names used by each rank, parallel to reach
};

/// `mine` holds a rank's candidates. Duplicates within `mine` are removed before the comparison
/// with other ranks, where one instance of a partitioned GPU could be mistaken for another.
void add_rank(Pool& pool, const std::vector<const DetectedDevice*>& mine) {
  auto& reach = pool.reach.emplace_back();
  auto& names = pool.names.emplace_back();
  for (auto detected = mine.begin(); detected != mine.end(); ++detected) {
    const DeviceInfo& info = (*detected)->info;
    const auto shows_it = [&](const DetectedDevice* earlier) {
      return same_hardware(earlier->info, info);
    };
    if (std::any_of(mine.begin(), detected, shows_it)) continue;
    const auto same = [&](const DeviceInfo* known) { return same_hardware(*known, info); };
    const auto found = std::ranges::find_if(pool.hardware, same);
    reach.push_back({static_cast<int>(found - pool.hardware.begin()), (*detected)->near});
    names.push_back(info.name);
    if (found == pool.hardware.end()) pool.hardware.push_back(&info);
  }
}

const std::string& name_of(const Pool& pool, std::size_t rank, int device) {
  const auto& reach = pool.reach[rank];
  const auto at = std::ranges::find(reach, device, &Reach::device) - reach.begin();
  return pool.names[rank][static_cast<std::size_t>(at)];
}

using Names = std::vector<std::string>;

/// One GPU per rank while there are GPUs left; "" for the other ranks.
Names choose_gpus(std::span<const RankDevicesSeen> node) {
  Pool pool;
  for (const RankDevicesSeen& sight : node) {
    std::vector<const DetectedDevice*> mine;
    for (const DetectedDevice& detected : sight.devices) {
      if (usable(detected) && detected.info.is_gpu) mine.push_back(&detected);
    }
    add_rank(pool, mine);
  }
  Names names(node.size());
  const std::vector<int> devices = match(pool.reach);
  for (std::size_t rank = 0; rank < node.size(); ++rank) {
    if (devices[rank] >= 0) names[rank] = name_of(pool, rank, devices[rank]);
  }
  return names;
}

/// The usable devices of `backend`: its GPUs, or all of them if it has no GPU. Of kAnyGpu, all
/// GPUs.
std::vector<const DetectedDevice*> candidates_of(const std::string& backend,
                                                 const RankDevicesSeen& sight, bool several_ranks) {
  std::vector<const DetectedDevice*> mine;
  std::vector<std::string> reasons;
  for (const DetectedDevice& detected : sight.devices) {
    const bool any = backend == kAnyGpu;
    if (!any && backend_of(detected.info) != backend) continue;
    if (usable(detected)) {
      if (!any || detected.info.is_gpu) mine.push_back(&detected);
    } else {
      reasons.push_back(fmt::format("{}: {}", detected.info.name, why_unusable(detected)));
    }
  }
  if (mine.empty()) {
    throw base::missing_error("--device {}: {}{}{}; tessera devices lists what there is", backend,
                              several_ranks ? fmt::format("rank {} has ", sight.rank) : "",
                              backend == kAnyGpu ? "no GPU with CUDA or OpenCL" : "no such device",
                              reasons.empty() ? "" : " (" + base::join(reasons, "; ") + ")");
  }
  const auto is_gpu = [](const DetectedDevice* detected) { return detected->info.is_gpu; };
  if (std::ranges::any_of(mine, is_gpu)) std::erase_if(mine, std::not_fn(is_gpu));
  return mine;
}

/// One device of `backend` for every rank. Each device gets one rank first; the remaining ranks are
/// distributed evenly.
Names choose_any_of(const std::string& backend, std::span<const RankDevicesSeen> node,
                    std::vector<std::string>& warnings) {
  Pool pool;
  for (const RankDevicesSeen& sight : node)
    add_rank(pool, candidates_of(backend, sight, node.size() > 1));
  Names names(node.size());
  std::vector<int> users(pool.hardware.size());
  while (std::ranges::find(names, "") != names.end()) {
    const std::vector<int> devices = match(pool.reach);
    for (std::size_t rank = 0; rank < node.size(); ++rank) {
      if (devices[rank] < 0) continue;
      names[rank] = name_of(pool, rank, devices[rank]);
      ++users[static_cast<std::size_t>(devices[rank])];
      pool.reach[rank].clear();
    }
  }
  for (std::size_t i = 0; i < users.size(); ++i) {
    if (users[i] < 2 || !pool.hardware[i]->is_gpu) continue;
    warnings.push_back(fmt::format("--device {}: {} ranks share {} ({})", backend, users[i],
                                   pool.hardware[i]->name, pool.hardware[i]->detail));
  }
  return names;
}

bool names_cores(const Wanted& entry) {
  return entry.name.substr(0, entry.name.find(':')) == kCores;
}

void add_once(Names& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

bool uses(const NodeChoice& choice, std::size_t rank, const DeviceInfo& info) {
  return std::ranges::find(choice.names[rank], info.name) != choice.names[rank].end();
}

/// Which rank uses that hardware otherwise: this one under another name, or another one; "" if
/// none.
std::string other_use(const DeviceInfo& info, std::size_t rank,
                      std::span<const RankDevicesSeen> node, const NodeChoice& choice) {
  const auto used_by = [&](std::size_t user) {
    for (const DetectedDevice& other : node[user].devices) {
      if (uses(choice, user, other.info) && same_hardware(other.info, info)) return &other.info;
    }
    return static_cast<const DeviceInfo*>(nullptr);
  };
  if (const DeviceInfo* const mine = used_by(rank)) return "the same device as " + mine->name;
  for (std::size_t user = 0; user < node.size(); ++user) {
    if (used_by(user)) return fmt::format("driven by rank {}", node[user].rank);
  }
  return "";
}

}  // namespace

std::string why_not(const DetectedDevice& detected, std::size_t rank,
                    std::span<const Wanted> requested, std::span<const RankDevicesSeen> node,
                    const NodeChoice& choice) {
  const DeviceInfo& info = detected.info;
  if (uses(choice, rank, info)) return "";
  if (!usable(detected)) return why_unusable(detected);
  const bool automatic =
      std::ranges::find(requested, Wanted::Kind::automatic, &Wanted::kind) != requested.end();
  const bool cores_anyway = std::ranges::any_of(requested, names_cores);
  if (automatic && !cores_anyway && info.name == kCores) {
    return "this rank drives a GPU; auto,cpu would add it";
  }
  if (info.is_gpu) {
    std::string other = other_use(info, rank, node, choice);
    if (!other.empty()) return other;
    if (automatic) return "a rank drives one GPU; name it, or start one more rank";
  }
  return "only when named";
}

NodeChoice choose(std::span<const Wanted> requested, std::span<const RankDevicesSeen> node) {
  NodeChoice choice{.names = std::vector<Names>(node.size())};
  const bool cores_anyway = std::ranges::any_of(requested, names_cores);
  for (const Wanted& entry : requested) {
    Names found(node.size(), entry.name);
    if (entry.kind == Wanted::Kind::automatic) found = choose_gpus(node);
    if (entry.kind == Wanted::Kind::any_of)
      found = choose_any_of(entry.name, node, choice.warnings);
    for (std::size_t rank = 0; rank < node.size(); ++rank) {
      if (found[rank].empty() && !cores_anyway) found[rank] = kCores;
      if (!found[rank].empty()) add_once(choice.names[rank], found[rank]);
    }
  }
  return choice;
}

}  // namespace tessera::device
