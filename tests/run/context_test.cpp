// Runs in a process that belongs to somebody else: several ones after each other, from several
// threads, with the caller's signals, floating-point environment and MPI left alone.
#include "run/context.hpp"

#include <gtest/gtest.h>
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <cfenv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "job/arrays/reduce_job.hpp"
#include "job/image/options.hpp"
#include "reduce/reduce.hpp"
#include "render/render.hpp"
#include "store/image/formats.hpp"

namespace tessera::run {
namespace {

/// Keeps what is said. Calls `on_progress` with each line of status.
class Recorder : public base::Events {
 public:
  explicit Recorder(std::function<void()> on_progress = [] {})
      : on_progress_(std::move(on_progress)) {}

  void log(const std::string& line) override {
    const std::scoped_lock lock(mutex_);
    log_ += line + "\n";
  }
  std::unique_ptr<base::StatusLine> status_line() override {
    class Line : public base::StatusLine {
     public:
      explicit Line(const Recorder& recorder) : recorder_(recorder) {}
      bool due() const override { return true; }
      void show(const std::string&) override { recorder_.on_progress_(); }

     private:
      const Recorder& recorder_;
    };
    return std::make_unique<Line>(*this);
  }
  std::string text() const {
    const std::scoped_lock lock(mutex_);
    return log_;
  }

 private:
  std::function<void()> on_progress_;
  mutable std::mutex mutex_;
  std::string log_;
};

/// Calls `work` in a thread of its own and throws what it threw.
void in_thread(const std::function<void()>& work) {
  std::exception_ptr thrown;
  std::thread([&] {
    try {
      work();
    } catch (...) {
      thrown = std::current_exception();
    }
  }).join();
  if (thrown) std::rethrow_exception(thrown);
}

volatile std::sig_atomic_t interrupts = 0;
void count_interrupt(int) {
  interrupts = interrupts + 1;
}

/// Fails if anything is written to stderr, or if a run changes a signal or the folder.
class Context : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = (std::filesystem::temp_directory_path() / "tessera-context-XXXXXX").string();
    ASSERT_NE(::mkdtemp(folder_.data()), nullptr);
    before_ = std::filesystem::current_path();
    std::filesystem::current_path(folder_);
    interrupts = 0;
    struct sigaction action {};
    action.sa_handler = count_interrupt;
    ::sigaction(SIGINT, &action, &interrupt_before_);
    handlers_before_ = handlers();
    testing::internal::CaptureStderr();
  }
  void TearDown() override {
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_EQ(handlers(), handlers_before_);
    std::raise(SIGINT);
    EXPECT_EQ(interrupts, 1);
    ::sigaction(SIGINT, &interrupt_before_, nullptr);
    EXPECT_EQ(::alarm(0), 0U);
    std::filesystem::current_path(before_);
    std::filesystem::remove_all(folder_);
  }

  static job::RenderJob render_job(const std::string& output, const std::string& size) {
    const std::vector<job::Given> given = {
        {"size", size, "--size"},      {"iterations", "3000", "--iterations"},
        {"tile", "64", "--tile"},      {"device", "cpu", "--device"},
        {"threads", "2", "--threads"}, {"output", output, "--output"}};
    return job::make_render_job(given);
  }
  static job::ReduceJob reduce_job() {
    const std::vector<std::string> inputs = {"random:normal?count=300000&seed=3"};
    const std::vector<job::Given> given = {{"op", "sum,var,min,max", "--op"},
                                           {"device", "cpu", "--device"},
                                           {"threads", "2", "--threads"}};
    return job::make_reduce_job(inputs, given);
  }
  /// The answers, separated by blanks.
  static std::string reduced(run::Context& context) {
    std::optional<reduce::ReduceCheckpoints> checkpoints;
    const report::ReduceReport report = reduce::reduce(context, reduce_job(), checkpoints);
    std::string answers;
    for (const report::ReducedOperation& operation : report.operations) {
      for (const auto& value : operation.values) answers += value.text + " ";
    }
    return answers;
  }
  static std::vector<std::uint32_t> checksums_of(const std::string& path) {
    std::vector<std::uint32_t> checksums;
    store::open_image(path)->for_each_tile(
        [&](const store::TileRow& tile) { checksums.push_back(tile.checksum); });
    return checksums;
  }
  static std::vector<void (*)(int)> handlers() {
    std::vector<void (*)(int)> all;
    for (const int number : {SIGINT, SIGTERM, SIGALRM, SIGBUS, SIGUSR1, SIGUSR2, SIGXCPU}) {
      struct sigaction now {};
      ::sigaction(number, nullptr, &now);
      all.push_back(now.sa_handler);
    }
    return all;
  }
  std::size_t files() const {
    const std::filesystem::directory_iterator all(folder_);
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }

  std::vector<void (*)(int)> handlers_before_;

 private:
  std::string folder_;
  std::filesystem::path before_;
  struct sigaction interrupt_before_ {};
};

TEST_F(Context, runs_follow_each_other_from_two_threads) {
  Recorder events;
  comm::World world = comm::World::single();
  std::vector<std::string> answers;
  for (const std::string name : {"first.h5", "second.h5"}) {
    base::StopToken stop;
    run::Context context{world, {stop, events}};
    in_thread([&] {
      const auto report = render::render(context, render_job(name, "200x160"));
      EXPECT_EQ(report.found_tiles, 0);
      answers.push_back(reduced(context));
    });
  }
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0], answers[1]);
  EXPECT_EQ(files(), 2U);
}

TEST_F(Context, a_stopped_run_does_not_stop_the_next) {
  const job::RenderJob job = render_job("image.h5", "1024x1024");
  comm::World world = comm::World::single();
  base::StopToken stop;
  Recorder stopping([&] { stop.request("the test"); });
  run::Context context{world, {stop, stopping}};
  try {
    in_thread([&] { render::render(context, job); });
    ADD_FAILURE() << "was not stopped";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.code(), base::ExitCode::stopped);
    EXPECT_NE(std::string(error.what()).find("stopped by the test with "), std::string::npos);
  }
  EXPECT_THROW(in_thread([&] { reduced(context); }), base::Error);
  base::StopToken more;
  Recorder events;
  run::Context next{world, {more, events}};
  in_thread([&] {
    render::render(next, job);
    EXPECT_NE(reduced(next), "");
  });
  EXPECT_EQ(events.text().find("render: resuming image.h5.part: "), 0U) << events.text();
  EXPECT_EQ(files(), 1U);  // no checkpoint of the reduction, which nobody has named
}

TEST_F(Context, results_do_not_depend_on_the_callers_rounding) {
  Recorder events;
  comm::World world = comm::World::single();
  base::StopToken stop;
  run::Context context{world, {stop, events}};
  const job::RenderJob plain = render_job("plain.h5", "128x96");
  const job::RenderJob upward = render_job("upward.h5", "128x96");
  const std::string answers = reduced(context);
  render::render(context, plain);
  in_thread([&] {
    std::fesetround(FE_UPWARD);
    EXPECT_EQ(reduced(context), answers);
    render::render(context, upward);
    EXPECT_EQ(std::fegetround(), FE_UPWARD);
  });
  EXPECT_EQ(checksums_of("plain.h5"), checksums_of("upward.h5"));
}

void ignore_error(MPI_Comm*, int*, ...) {}

/// Also by mpirun, with two ranks. It is the last test, because MPI cannot be started again.
TEST_F(Context, uses_and_leaves_alone_the_mpi_of_its_caller) {
  Recorder events;
  const MPI_Comm* const none = nullptr;
  EXPECT_THROW(comm::World::adopt(&none, events), base::Error);
  int provided = 0;
  ASSERT_EQ(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
  MPI_Comm mine = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &mine);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(ignore_error, &handler);
  MPI_Comm_set_errhandler(mine, handler);
  for (const std::string name : {"first.h5", "second.h5"}) {
    in_thread([&] {
      base::StopToken stop;
      comm::World world = comm::World::adopt(&mine, events);
      run::Context context{world, {stop, events}};
      render::render(context, render_job(name, "200x160"));
      EXPECT_EQ(reduced(context).empty(), !world.is_root());
    });
  }
  MPI_Errhandler now = MPI_ERRHANDLER_NULL;
  MPI_Comm_get_errhandler(mine, &now);
  EXPECT_EQ(now, handler);
  int ended = 1;
  MPI_Finalized(&ended);
  EXPECT_EQ(ended, 0);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&mine);
  MPI_Finalize();
  handlers_before_ = handlers();  // Open MPI sets some, at its start only for a while
}

}  // namespace
}  // namespace tessera::run
