#include "comm/world.hpp"

#define OMPI_SKIP_MPICXX 1  // Open MPI 4 has C++ bindings that nobody links any more
#include <mpi.h>
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
  if (!launched()) return;
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
  MPI_Comm node = MPI_COMM_NULL;
  check(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node),
        "MPI_Comm_split_type");
  check(MPI_Comm_rank(node, &node_rank_), "MPI_Comm_rank");
  check(MPI_Comm_size(node, &node_ranks_), "MPI_Comm_size");
  check(MPI_Comm_free(&node), "MPI_Comm_free");
  sends_ = std::make_unique<Sends>();
  check(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  origin_ = base::Clock::now();
}

World::~World() {
  if (sends_) MPI_Finalize();
}

void World::post(int to, Channel channel, base::Bytes body) {
  auto& send = sends_->pending.emplace_back();
  send.body = std::move(body);
  check(MPI_Isend(send.body.data(), count_of(send.body.size()), MPI_BYTE, to,
                  static_cast<int>(channel), MPI_COMM_WORLD, &send.request),
        "MPI_Isend");
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
  std::vector<int> offsets;
  std::size_t total = 0;
  for (const int n : sizes) {
    offsets.push_back(count_of(total));
    total += static_cast<std::size_t>(n);
  }
  base::Bytes all(total);
  check(MPI_Gatherv(bytes.data(), size, MPI_BYTE, all.data(), sizes.data(), offsets.data(),
                    MPI_BYTE, 0, MPI_COMM_WORLD),
        "MPI_Gatherv");
  std::vector<base::Bytes> parts;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    parts.emplace_back(all.begin() + offsets[i], all.begin() + offsets[i] + sizes[i]);
  }
  return parts;
}

void World::abort(int exit_code) {
  if (sends_) MPI_Abort(MPI_COMM_WORLD, exit_code);
  std::_Exit(exit_code);
}

}  // namespace tessera::comm
