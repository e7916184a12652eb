#include "comm/world.hpp"

#define OMPI_SKIP_MPICXX 1  // Open MPI 4 has C++ bindings that nobody links any more
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>
#include <list>

namespace tessera::comm {
namespace {

void check(int status, const char* call) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(status, text.data(), &length);
  throw base::run_error("{}: {}", call, std::string_view(text.data(), length));
}

constexpr int kGatherTag = 3;  // beside those of Channel

/// Without a common launcher protocol every process would take itself for the whole job.
void check_not_alone_by_mistake(int size) {
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  if (size > 1 || tasks == nullptr || std::atoi(tasks) <= 1) return;
  throw base::missing_error(
      "srun started {} tasks, but MPI knows of one: use srun --mpi=pmix (srun --mpi=list shows "
      "what there is) or mpirun",
      tasks);
}

struct Sharers {
  int before = 0;  ///< of lower number than this rank
  int all = 1;
};

/// The ranks of the node that may use just the processors that this one may use.
Sharers find_mask_sharers(MPI_Comm node, int node_rank, int node_ranks) {
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

bool launched() {
  constexpr std::array kVariables = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK", "PMI_SIZE",
                                     "MPI_LOCALRANKID"};
  return std::any_of(kVariables.begin(), kVariables.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

int count_of(std::size_t bytes) {
  if (bytes > std::numeric_limits<int>::max()) {
    throw base::run_error("a message of {} bytes is more than MPI can send at once", bytes);
  }
  return static_cast<int>(bytes);
}

}  // namespace

/// The ranks that share memory with this one.
struct World::Node {
  MPI_Comm ranks = MPI_COMM_NULL;

  Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node() {
    if (ranks != MPI_COMM_NULL) MPI_Comm_free(&ranks);
  }
};

struct World::Sends {
  struct Send {
    base::Bytes body;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::list<Send> pending;

  void collect() {
    for (auto send = pending.begin(); send != pending.end();) {
      int gone = 0;
      check(MPI_Test(&send->request, &gone, MPI_STATUS_IGNORE), "MPI_Test");
      send = gone ? pending.erase(send) : std::next(send);
    }
  }
};

World::World() : host_(host_name()), origin_(base::Clock::now()) {
  if (!launched()) {
    check_not_alone_by_mistake(1);
    return;
  }
  // A rank that waits must not take a core from the ranks that compute (Open MPI spins otherwise,
  // and srun does not switch this on by itself).
  setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
  int provided = 0;
  check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (provided < MPI_THREAD_FUNNELED) {
    throw base::run_error("MPI_Init_thread: this MPI cannot be used beside worker threads");
  }
  check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  // The environment's local ranks differ between mpirun and srun; this is right under both.
  node_ = std::make_unique<Node>();
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL,
                            &node_->ranks),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(node_->ranks, &node_rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(node_->ranks, &node_ranks_), "MPI_Comm_size");
  const Sharers sharers = find_mask_sharers(node_->ranks, node_rank_, node_ranks_);
  mask_rank_ = sharers.before;
  mask_ranks_ = sharers.all;
  check_not_alone_by_mistake(size_);
  sends_ = std::make_unique<Sends>();
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  origin_ = base::Clock::now();
}

World::~World() {
  if (!sends_) return;
  node_.reset();
  MPI_Finalize();
}

void World::post(int to, Channel channel, base::Bytes body) {
  auto& send = sends_->pending.emplace_back();
  send.body = std::move(body);
  // Bulk is on its way until the receiver takes it, however small: what MPI would buffer at the
  // receiver is bounded by nothing.
  const bool bulk = channel == Channel::bulk;
  const auto start = bulk ? MPI_Issend : MPI_Isend;
  check(start(send.body.data(), count_of(send.body.size()), MPI_BYTE, to, static_cast<int>(channel),
              MPI_COMM_WORLD, &send.request),
        bulk ? "MPI_Issend" : "MPI_Isend");
}

std::optional<Message> World::poll(Channel channel) {
  if (!sends_) return std::nullopt;
  int there = 0;
  MPI_Message handle = MPI_MESSAGE_NULL;
  MPI_Status status;
  check(MPI_Improbe(MPI_ANY_SOURCE, static_cast<int>(channel), MPI_COMM_WORLD, &there, &handle,
                    &status),
        "MPI_Improbe");
  if (!there) return std::nullopt;
  int bytes = 0;
  check(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
  Message message{status.MPI_SOURCE, base::Bytes(static_cast<std::size_t>(bytes))};
  check(MPI_Mrecv(message.body.data(), bytes, MPI_BYTE, &handle, MPI_STATUS_IGNORE), "MPI_Mrecv");
  return message;
}

std::size_t World::sending() {
  if (!sends_) return 0;
  sends_->collect();
  return sends_->pending.size();
}

base::Bytes World::broadcast(base::Bytes bytes) {
  if (!sends_) return bytes;
  int size = is_root() ? count_of(bytes.size()) : 0;
  check(MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Bcast");
  bytes.resize(static_cast<std::size_t>(size));
  check(MPI_Bcast(bytes.data(), size, MPI_BYTE, 0, MPI_COMM_WORLD), "MPI_Bcast");
  return bytes;
}

std::vector<base::Bytes> World::gather(const base::Bytes& bytes) {
  if (!sends_) return {bytes};
  const int size = count_of(bytes.size());
  std::vector<int> sizes(is_root() ? size_ : 0);
  check(MPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Gather");
  if (!is_root()) {
    check(MPI_Send(bytes.data(), size, MPI_BYTE, 0, kGatherTag, MPI_COMM_WORLD), "MPI_Send");
    return {};
  }
  // One by one: MPI_Gatherv cannot take more than 2^31 - 1 bytes from all ranks together.
  std::vector<base::Bytes> parts = {bytes};
  for (int rank = 1; rank < size_; ++rank) {
    base::Bytes& part = parts.emplace_back(static_cast<std::size_t>(sizes[rank]));
    check(MPI_Recv(part.data(), sizes[rank], MPI_BYTE, rank, kGatherTag, MPI_COMM_WORLD,
                   MPI_STATUS_IGNORE),
          "MPI_Recv");
  }
  return parts;
}

std::vector<base::Bytes> World::gather_node(const base::Bytes& bytes) {
  if (!sends_) return {bytes};
  const int size = count_of(bytes.size());
  std::vector<int> sizes(static_cast<std::size_t>(node_ranks_));
  check(MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, node_->ranks), "MPI_Allgather");
  std::vector<int> starts;
  std::size_t all = 0;
  for (const int part : sizes) {
    starts.push_back(count_of(all));
    all += static_cast<std::size_t>(part);
  }
  base::Bytes joined(static_cast<std::size_t>(count_of(all)));
  check(MPI_Allgatherv(bytes.data(), size, MPI_BYTE, joined.data(), sizes.data(), starts.data(),
                       MPI_BYTE, node_->ranks),
        "MPI_Allgatherv");
  std::vector<base::Bytes> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const auto first = joined.begin() + starts[i];
    parts.emplace_back(first, first + sizes[i]);
  }
  return parts;
}

void World::abort(int exit_code) {
  if (sends_) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace tessera::comm
