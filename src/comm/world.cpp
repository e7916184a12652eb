#include "comm/world.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>

#include "base/fault.hpp"
#include "comm/communicator.hpp"
#include "comm/deadline.hpp"
#include "comm/link.hpp"

namespace tessera::comm {
namespace {

/// Time for all ranks to find each other. A thousand ranks need less than a minute.
constexpr double kStartSeconds = 300;

struct DeviceUsers {
  int before = 0;  ///< ranks lower than this one
  int all = 1;
};

/// Counts the ranks of the node whose affinity mask equals this rank's.
DeviceUsers find_mask_sharers(MPI_Comm node, int node_rank, int node_ranks) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  if (sched_getaffinity(0, sizeof mine, &mine) != 0) return {node_rank, node_ranks};
  std::vector<cpu_set_t> masks(static_cast<std::size_t>(node_ranks));
  check(MPI_Allgather(&mine, sizeof mine, MPI_BYTE, masks.data(), sizeof mine, MPI_BYTE, node),
        "MPI_Allgather");
  const auto same = [&](const cpu_set_t& mask) { return CPU_EQUAL(&mask, &mine); };
  return {static_cast<int>(std::count_if(masks.begin(), masks.begin() + node_rank, same)),
          static_cast<int>(std::count_if(masks.begin(), masks.end(), same))};
}

using HostName = std::array<char, 256>;

std::string host_name() {
  HostName name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

Tag tag_of(Channel channel) {
  return channel == Channel::bulk ? Tag::bulk : Tag::control;
}

}  // namespace

World::World()
    : host_(host_name()), origin_(base::Clock::now()), exceptions_(std::uncaught_exceptions()) {}

World::World(std::unique_ptr<Communicator> communicator, base::Events& events) : World() {
  communicator_ = std::move(communicator);
  events_ = &events;
  find_ranks();
  early_.resize(static_cast<std::size_t>(size_));
  link_ = std::make_unique<Link>(*communicator_, events, rank_, size_, host_, hosts_);
}

World World::single() {
  return {};
}

World World::launch(base::Events& events) {
  // If a rank dies during startup, the others would wait in MPI without end.
  const Deadline deadline(kStartSeconds, static_cast<int>(base::ExitCode::failed));
  return {start_mpi(), events};
}

World World::adopt(const void* communicator, base::Events& events) {
  return {duplicate(communicator), events};
}

/// The only calls that wait for all ranks, without end if one of them is lost.
int World::nodes() const {
  if (base::fault("world.nodes")) return size_;
  int nodes = 0;
  for (std::size_t rank = 0; rank < nodes_.size(); ++rank) {
    if (nodes_[rank] == static_cast<int>(rank)) ++nodes;
  }
  return std::max(nodes, 1);
}

void World::find_ranks() {
  const MPI_Comm all_ranks = communicator_->handle();
  check(MPI_Comm_rank(all_ranks, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(all_ranks, &size_), "MPI_Comm_size");
  // The local ranks in the environment differ between mpirun and srun; this is right under both.
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(all_ranks, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(node, &node_rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(node, &node_ranks_), "MPI_Comm_size");
  int first = rank_;
  check(MPI_Bcast(&first, 1, MPI_INT, 0, node), "MPI_Bcast");
  const DeviceUsers sharers = find_mask_sharers(node, node_rank_, node_ranks_);
  mask_rank_ = sharers.before;
  mask_ranks_ = sharers.all;
  MPI_Comm_free(&node);

  nodes_.resize(is_root() ? static_cast<std::size_t>(size_) : 0);
  check(MPI_Gather(&first, 1, MPI_INT, nodes_.data(), 1, MPI_INT, 0, all_ranks), "MPI_Gather");
  HostName mine{};
  host_.copy(mine.data(), mine.size() - 1);
  std::vector<HostName> all(is_root() ? static_cast<std::size_t>(size_) : 0);
  check(MPI_Gather(mine.data(), mine.size(), MPI_CHAR, all.data(), mine.size(), MPI_CHAR, 0,
                   all_ranks),
        "MPI_Gather");
  for (const HostName& host : all) hosts_.emplace_back(host.data());
  check(MPI_Barrier(all_ranks), "MPI_Barrier");
  origin_ = base::Clock::now();
}

World::~World() {
  if (!link_) return;
  try {
    // The others do not know of the exception and would wait for this rank.
    if (size_ > 1 && std::uncaught_exceptions() > exceptions_) give_up(base::ExitCode::failed, "");
    finalize(0);
  } catch (const base::Error&) {
    link_->abandon();
  }
}

void World::isend(int to, Channel channel, base::Bytes body) {
  // A bulk message is synchronous, however small: MPI would buffer it at the receiver without
  // limit.
  link_->isend(to, tag_of(channel), channel == Channel::bulk, std::move(body));
}

std::optional<Message> World::try_receive(Channel channel) {
  if (!link_) return std::nullopt;
  return link_->try_receive(tag_of(channel));
}

bool World::receiving(Channel channel) const {
  return link_ && link_->receiving(tag_of(channel));
}

std::size_t World::pending_sends() {
  return link_ ? link_->pending_sends() : 0;
}

void World::set_heartbeat_timeout(double seconds) {
  if (link_) link_->set_heartbeat_timeout(seconds);
}

double World::heartbeat_timeout_s() const {
  return link_ ? link_->heartbeat_timeout_s() : 0;
}

bool World::present(int rank) const {
  return !link_ || link_->present(rank);
}

bool World::silent(int rank) const {
  return link_ && link_->silent(rank);
}

std::uint64_t World::changes() const {
  return link_ ? link_->changes() : 0;
}

void World::leave_behind(int rank, const char* why) {
  if (link_) link_->leave_behind(rank, why);
}

void World::rejoin(int rank) {
  if (link_) link_->rejoin(rank);
}

std::vector<std::pair<int, std::string>> World::lost_ranks() const {
  std::vector<std::pair<int, std::string>> lost;
  if (!link_ || !is_root()) return lost;
  for (const int rank : link_->lost_once()) {
    lost.emplace_back(rank, hosts_[static_cast<std::size_t>(rank)]);
  }
  return lost;
}

void World::abort_all(int exit_code) {
  if (link_) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace tessera::comm
