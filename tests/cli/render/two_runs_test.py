"""Two runs with the same output: one writes it, the message for the other names its process; a lock that a killed run
left keeps nobody out. The same on file systems without locks, as a preloaded library plays them."""

import os
import sys

NO_LOCKS = os.path.abspath(sys.argv.pop(2))
from images import read_image, stored_tiles  # noqa: E402
from program import main, preloading, times  # noqa: E402
from runs import SLOWLY, RunTest, wait_until  # noqa: E402

JOB = ("--view", "elephant", "--size", "300x200", "--iterations", "1000", "--tile", "16", *SLOWLY, "--quiet")


class TwoRuns(RunTest):
    environment = dict(os.environ)
    left = ["a.h5"]

    def start(self, *options, **more):
        return self.start_program("render", *JOB, "--output", "a.h5", *options, env=self.environment, **more)

    def start_and_wait(self, *options):
        """Until a part of it is stored; it does not come to its end."""
        before = stored_tiles(self.path("a.h5"))
        process = self.start(*options, hold=5)
        self.assert_reaches(process, "another tile", lambda: stored_tiles(self.path("a.h5")) > before)
        return process

    def assert_goes_on(self):
        self.finish_well(self.start())
        self.assert_whole()

    def assert_whole(self):
        read_image(self.path("a.h5"))
        self.assertEqual(os.listdir(self.folder), self.left)
        os.remove(self.path("a.h5"))

    def assert_loses(self, end, first, *words):
        """A run that ended so was refused with one line, which names the first."""
        code, said = end
        self.assertEqual(code, 2, said)
        self.assertEqual(len(said.splitlines()), 1, said)
        for word in (*words, f"process {first.pid} on {os.uname().nodename} since"):
            self.assertIn(word, said)

    def test_of_two_that_start_together_one_wins(self):
        for _ in range(2 * times()):
            # Which of them is first is left to chance; whichever it is stays until the other one is refused.
            runs, holds = [], []
            for _ in range(2):
                runs.append(self.start(hold=1))
                holds.append(self.holding)
            wait_until("one of them is refused", lambda: any(run.poll() is not None for run in runs))
            for hold in holds:
                os.remove(hold)
            ends = [self.finish(run) for run in runs]
            self.assertEqual(sorted(code for code, _ in ends), [0, 2], ends)
            loser = 0 if ends[0][0] else 1
            self.assert_loses(ends[loser], runs[1 - loser], "another run is writing it")
            self.assert_whole()

    def test_a_second_one_is_refused_whatever_it_wants(self):
        first = self.start_and_wait()
        for options in ((), ("--overwrite",), ("--resume",)):
            self.assert_loses(self.finish(self.start(*options)), first)
        self.release()
        self.finish_well(first)
        self.assert_whole()

    def test_a_lock_that_a_killed_run_left_keeps_nobody_out(self):
        for _ in range(2 * times()):
            for _ in range(2):
                self.kill(self.start_and_wait())
            self.assert_goes_on()

    def test_a_run_that_copied_a_damaged_file_keeps_others_out(self):
        self.kill(self.start_and_wait())
        part = self.path("a.h5.part")
        os.truncate(part, os.path.getsize(part) - 100)
        first = self.start_and_wait()
        self.assert_loses(self.finish(self.start()), first)
        self.kill(first)
        self.assert_goes_on()


class TwoRunsWithoutLocks(TwoRuns):
    environment = preloading(NO_LOCKS)

    def test_the_one_that_is_refused_hears_what_to_do(self):
        first = self.start_and_wait()
        self.assert_loses(self.finish(self.start()), first, "has no locks: if that run is gone, remove a.h5.part.lock")
        self.kill(first)
        self.assertIn("a.h5.part.lock", os.listdir(self.folder))
        self.assert_goes_on()


if __name__ == "__main__":
    main()
