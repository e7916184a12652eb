"""tools/minicluster: two side by side, what it leaves behind, who holds it."""

import os
import subprocess
import tempfile
import time
import unittest

import cluster


def run(home, *arguments):
    done = subprocess.run(["timeout", "-k", "5", str(cluster.HANG_S), cluster.MINICLUSTER, "--dir", home, *arguments],
                          capture_output=True, text=True, timeout=cluster.HANG_S + 20)
    if arguments[0] == "up":
        cluster.skip_unless_possible(done)
    return done


def processes_of(home):
    """Command lines of all processes that name the folder of the cluster."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", errors="replace") as file:
                command = file.read().replace("\0", " ")
        except OSError:
            continue
        if home in command:
            found.append(command)
    return found


class Minicluster(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="tessera-minicluster-")
        self.addCleanup(folder.cleanup)
        self.homes = [os.path.join(folder.name, name) for name in ("a", "b")]
        for home in self.homes:
            self.addCleanup(run, home, "down")

    def assert_does(self, home, *arguments):
        done = run(home, *arguments)
        self.assertEqual(done.returncode, 0, f"{arguments}: {done.stdout}{done.stderr}")
        return done.stdout

    def assert_nothing_is_left(self, home):
        self.assertEqual(processes_of(home), [])
        self.assertFalse(os.path.exists(home))
        with open("/proc/mounts") as mounts:
            self.assertNotIn(home, mounts.read())

    def test_two_live_side_by_side_and_leave_nothing(self):
        for home in self.homes:
            self.assert_does(home, "up", "2", "--until", str(os.getpid()))
        for home in self.homes:
            said = self.assert_does(home, "slurm", "srun", "-N2", "hostname")
            self.assertEqual(sorted(said.split()), ["h1", "h2"])
        # One of them with a job in the middle and a host gone.
        self.assert_does(self.homes[0], "slurm", "sbatch", "--output=/dev/null", "-N2", "--wrap", "srun sleep 1000")
        self.assert_does(self.homes[0], "crash", "h2")
        for home in self.homes:
            self.assert_does(home, "down")
            self.assert_nothing_is_left(home)

    def test_a_second_one_in_the_same_folder_is_told_of_the_first(self):
        self.assert_does(self.homes[0], "up", "1", "--until", str(os.getpid()))
        again = run(self.homes[0], "up", "1")
        self.assertEqual(again.returncode, 4)
        self.assertIn(f"brought up by process", again.stderr)
        self.assert_does(self.homes[0], "run", "h1", "true")

    def test_a_crashed_host_comes_back(self):
        self.assert_does(self.homes[0], "up", "2", "--until", str(os.getpid()))
        self.assert_does(self.homes[0], "crash", "h2")
        self.assertEqual(run(self.homes[0], "run", "h2", "true").returncode, 4)
        self.assert_does(self.homes[0], "boot", "h2")
        said = self.assert_does(self.homes[0], "slurm", "srun", "-N2", "hostname")
        self.assertEqual(sorted(said.split()), ["h1", "h2"])

    def test_it_goes_with_the_process_that_it_belongs_to(self):
        owner = subprocess.Popen(["sleep", "1000"])
        self.addCleanup(owner.kill)
        self.assert_does(self.homes[0], "up", "1", "--until", str(owner.pid))
        owner.kill()
        owner.wait()
        end = time.monotonic() + cluster.HANG_S
        while os.path.exists(self.homes[0]) or processes_of(self.homes[0]):
            self.assertLess(time.monotonic(), end, "the cluster is still there")
            time.sleep(0.1)
        self.assert_nothing_is_left(self.homes[0])

    def test_exit_codes_are_those_of_the_command_on_the_host(self):
        self.assert_does(self.homes[0], "up", "1", "--until", str(os.getpid()))
        self.assertEqual(run(self.homes[0], "run", "h1", "sh", "-c", "exit 9").returncode, 9)
        self.assertEqual(run(self.homes[0], "fly").returncode, 2)
        self.assertEqual(run(self.homes[0], "wait", "77", "1").returncode, 4)


if __name__ == "__main__":
    cluster.main()
