"""Where a case runs: the program, the devices and ranks to choose from, and how a command is started and shown."""

import os
import shlex
import signal
import subprocess
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from surroundings import HANG_S  # noqa: F401

QUICK = ("reference", "cpu")


class Ended:
    """A command that does not end counts as one that failed."""

    returncode, stdout = "code none", ""
    stderr = "it hangs"


class Setting:
    def __init__(self, options):
        self.program = options.program
        devices = options.device.split(",")
        self.quick = [device for device in devices if device in QUICK]
        self.others = [device for device in devices if device not in QUICK]
        self.hangs_after_s = options.hangs_after
        self.launcher = options.mpirun
        # What compares HDF5 with what is read past it.
        self.environment = {**os.environ, "TESSERA_CHECK_HDF5": "1"}

    def device(self, rng):
        rare = rng.random() < 0.05
        return str(rng.choice(self.others if self.others and (rare or not self.quick) else self.quick))

    def ranks(self, rng):
        """Mostly none: starting several takes as long as a dozen commands."""
        chosen = int(rng.integers(1, 5)) if rng.random() < 0.03 else 0
        return chosen if self.launcher else 0

    def command(self, arguments, ranks):
        command = [self.program, *arguments]
        if ranks:
            command = [self.launcher, "-q", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *command]
        return command

    def shown(self, arguments, ranks):
        return shlex.join(self.command(arguments, ranks))

    def run(self, arguments, ranks):
        process = subprocess.Popen(self.command(arguments, ranks), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   errors="replace", env=self.environment, start_new_session=True)
        try:
            said = process.communicate(timeout=self.hangs_after_s)
        except subprocess.TimeoutExpired:
            return Ended
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)  # the ranks of mpirun as well
                process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, *said)
