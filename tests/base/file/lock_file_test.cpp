#include "base/file/lock_file.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.hpp"
#include "tests/hang.hpp"

namespace tessera::base {
namespace {

constexpr LockPace kSoon{.beat = std::chrono::milliseconds(5),
                         .silence = std::chrono::milliseconds(300)};
/// For a holder that shows life, however late on a busy machine.
constexpr LockPace kPatient{.beat = kSoon.beat, .silence = kHang};

class LockFileTest : public testing::Test {
 protected:
  LockFileTest() {
    std::string name = (std::filesystem::temp_directory_path() / "tessera-lock-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    folder_ = name;
    path_ = folder_ + "/a.h5.part";
  }
  ~LockFileTest() override { std::filesystem::remove_all(folder_); }

  void put(const std::string& text) const { std::ofstream(lock_path(path_)) << text; }
  bool there() const { return std::filesystem::exists(lock_path(path_)); }
  void expect_refused(const std::string& holder) const {
    try {
      const LockFile lock(path_, kPatient);
      ADD_FAILURE() << "two holders";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::usage);
      for (const std::string& word : {path_, holder, lock_path(path_)}) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
      }
    }
  }

  std::string folder_, path_;
};

constexpr const char* kElsewhere =
    "process 12 on node7 since 2024-05-01T12:00:00Z\nboot/pid 12 99 1\n";

TEST_F(LockFileTest, keeps_others_out_until_it_is_destroyed) {
  std::optional<LockFile> first(std::in_place, path_, kSoon);
  expect_refused("process " + std::to_string(::getpid()) + " on ");
  first.reset();
  EXPECT_FALSE(there());
  const LockFile second(path_, kSoon);
  EXPECT_TRUE(there());
}

TEST_F(LockFileTest, of_a_process_that_is_gone_is_taken_over) {
  const pid_t child = ::fork();
  if (child == 0) {
    new LockFile(path_, kSoon);  // NOLINT: a killed process destroys nothing
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  ASSERT_TRUE(there());
  const LockFile lock(path_, kSoon);
  EXPECT_FALSE(lock.lost());
}

TEST_F(LockFileTest, of_a_holder_elsewhere_without_a_sign_of_life_is_taken_over) {
  put(std::string(kElsewhere) + "7\n");
  const LockFile lock(path_, kSoon);
  EXPECT_TRUE(there());
}

TEST_F(LockFileTest, of_a_holder_elsewhere_that_lives_is_respected) {
  std::atomic<bool> end = false;
  std::thread holder([&] {
    for (int beat = 0; !end; ++beat) {
      // In the place of the old one, so that no reader meets half of it.
      std::ofstream(folder_ + "/next") << kElsewhere << beat << "\n";
      std::filesystem::rename(folder_ + "/next", lock_path(path_));
      std::this_thread::sleep_for(kSoon.beat);
    }
  });
  while (!there()) std::this_thread::yield();
  expect_refused("process 12 on node7");
  end = true;
  holder.join();
}

TEST_F(LockFileTest, goes_with_a_file_that_takes_the_place_of_a_locked_one) {
  std::optional<LockFile> old(std::in_place, path_, kSoon);
  LockFile lock(path_ + ".new", kSoon);
  lock.renamed(path_);
  old.reset();
  EXPECT_TRUE(there());
  EXPECT_FALSE(lock.lost());
  expect_refused("process ");
}

TEST_F(LockFileTest, knows_that_another_has_it) {
  const LockFile lock(path_, kSoon);
  std::filesystem::remove(lock_path(path_));
  put(std::string(kElsewhere) + "7\n");
  const auto end = std::chrono::steady_clock::now() + kHang;
  while (!lock.lost() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(kSoon.beat);
  }
  EXPECT_TRUE(lock.lost());
}

}  // namespace
}  // namespace tessera::base
