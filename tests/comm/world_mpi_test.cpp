// Run by mpirun at several rank counts, and without it; with an argument, in a communicator of its
// own. Exits with the number of failures.
#include <fmt/format.h>
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cstdio>
#include <string>

#include "comm/broadcast_value.hpp"
#include "comm/launcher.hpp"
#include "comm/world.hpp"

namespace tessera::comm {
namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  fmt::print(stderr, "not so: {}\n", what);
  ++failures;
}

base::Bytes text(const std::string& words) {
  const auto bytes = std::as_bytes(std::span(words));
  return {bytes.begin(), bytes.end()};
}

void gathers_in_the_order_of_ranks(World& world) {
  const auto parts = world.gather(text(std::string(static_cast<std::size_t>(world.rank()), 'x')));
  if (!world.is_root()) {
    expect(parts.empty(), "only the root gets the parts");
    return;
  }
  expect(parts.size() == static_cast<std::size_t>(world.size()), "one part a rank");
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    expect(parts[rank].size() == rank, "parts are in order and as long as they were");
  }
}

void ranks_of_a_node_tell_each_other(World& world) {
  // Parts of different lengths, the first one empty.
  const auto said = [](int rank) { return text(std::string(static_cast<std::size_t>(rank), 'y')); };
  const auto parts = world.gather_node(said(world.node_rank()));
  expect(parts.size() == static_cast<std::size_t>(world.node_ranks()),
         "one part a rank of the node");
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    expect(parts[rank] == said(static_cast<int>(rank)), "every rank has every part, in order");
  }
}

void broadcasts_what_the_root_has(World& world) {
  const base::Bytes got = world.broadcast(world.is_root() ? text("hello") : text("nothing"));
  expect(got == text("hello"), "every rank has the root's bytes");
  expect(world.broadcast({}).empty(), "nothing can be broadcast too");
}

void broadcasts_values(World& world) {
  const bool root = world.is_root();
  expect(broadcast_value(world, root ? 7 : 8) == 7, "a number");
  expect(broadcast_value(world, std::string(root ? "a few words" : "")) == "a few words", "a text");
  const std::vector<std::uint32_t> numbers{1, 2, 0xFFFFFFFF};
  expect(broadcast_value(world, root ? numbers : std::vector<std::uint32_t>(9)) == numbers,
         "numbers");
  expect(broadcast_value(world, std::string(root ? "" : "words")).empty(), "an empty text");
}

void broadcasts_values_of_any_size(World& world) {
  for (const std::size_t count : {0U, 3U, 1U << 20, (1U << 20) + 1, 3'000'000U}) {
    std::vector<std::uint32_t> numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<std::uint32_t>(i * 2654435761);
    const auto got =
        broadcast_long_value(world, world.is_root() ? numbers : std::vector<std::uint32_t>(5));
    expect(got == numbers, "the root's numbers on every rank");
  }
}

void messages_arrive_whole_in_order_and_on_their_channel(World& world) {
  constexpr int kMessages = 20;
  if (!world.is_root()) {
    for (int i = 0; i < kMessages; ++i) {
      // From eager to rendezvous sizes.
      world.isend(0, Channel::bulk, base::Bytes(std::size_t{1} << i, static_cast<std::byte>(i)));
      world.isend(0, Channel::control, text(std::to_string(i)));
    }
    while (world.pending_sends() != 0) {
    }
    return;
  }
  std::vector<int> bulk(static_cast<std::size_t>(world.size()));
  std::vector<int> control = bulk;
  for (int left = 2 * kMessages * (world.size() - 1); left > 0;) {
    if (const auto message = world.try_receive(Channel::bulk)) {
      const int i = bulk[static_cast<std::size_t>(message->source)]++;
      expect(message->body == base::Bytes(std::size_t{1} << i, static_cast<std::byte>(i)),
             "bulk arrives whole and in order");
      --left;
    }
    if (const auto message = world.try_receive(Channel::control)) {
      const int i = control[static_cast<std::size_t>(message->source)]++;
      expect(message->body == text(std::to_string(i)), "control arrives in order");
      --left;
    }
  }
  expect(!world.try_receive(Channel::bulk) && !world.try_receive(Channel::control),
         "nothing else comes");
}

void ranks_know_their_place(const World& world) {
  expect(world.rank() >= 0 && world.rank() < world.size(), "rank is in range");
  expect(world.node_ranks() == world.size(), "one machine: all ranks share the node");
  expect(world.node_rank() == world.rank(), "and are numbered alike");
  expect(!world.host().empty(), "the host has a name");
}

/// The last rank of an adopted world leaves it. The others go on, and every process lives on.
void a_rank_that_gives_up_is_skipped(MPI_Comm all) {
  base::Events events;
  World world = World::adopt(&all, events);
  const int last = world.size() - 1;
  if (world.rank() == last) {
    world.give_up(base::ExitCode::failed, "has had enough");
    std::string told;
    try {
      world.gather({});
    } catch (const base::Error& error) {
      told = error.what();
    }
    expect(told == "has had enough", "later calls say why");
    return;
  }
  world.set_heartbeat_timeout(0.3);
  const auto parts = world.gather(text("here"));
  if (!world.is_root()) return;
  for (int rank = 0; rank < world.size(); ++rank) {
    expect(parts[static_cast<std::size_t>(rank)].empty() == (rank == last), "who is here is heard");
  }
  expect(!world.present(last), "the last rank is lost");
}

void all_tests(World& world) {
  ranks_know_their_place(world);
  gathers_in_the_order_of_ranks(world);
  ranks_of_a_node_tell_each_other(world);
  broadcasts_what_the_root_has(world);
  broadcasts_values(world);
  broadcasts_values_of_any_size(world);
  messages_arrive_whole_in_order_and_on_their_channel(world);
}

/// Twice, with the ranks in another order. MPI stays the caller's.
int test_adopted_worlds() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &mine);
  MPI_Comm_set_errhandler(mine, MPI_ERRORS_ARE_FATAL);
  base::Events events;
  for (int i = 0; i < 2; ++i) {
    World world = World::adopt(&mine, events);
    all_tests(world);
  }
  int ranks = 1;
  MPI_Comm_size(mine, &ranks);
  if (ranks > 1) a_rank_that_gives_up_is_skipped(mine);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(mine, &handler);
  expect(handler == MPI_ERRORS_ARE_FATAL, "the error handler is the caller's");
  int ended = 1;
  MPI_Finalized(&ended);
  expect(ended == 0, "MPI runs on");
  MPI_Comm_free(&mine);
  MPI_Finalize();
  return failures;
}

}  // namespace
}  // namespace tessera::comm

int main(int argc, char**) {
  using namespace tessera::comm;
  if (argc > 1) return test_adopted_worlds();
  tessera::base::Events events;
  World world = has_launcher() ? World::launch(events) : World::single();
  all_tests(world);
  return world.finalize(failures);
}
