"""Where a case runs: the program, the devices and ranks to choose from, and how a command is started and shown."""

import os
import shlex
import subprocess

TIMEOUT_S = 100


class Ended:
    """A command that does not end, told as one that failed."""

    returncode, stdout = "none after 100 s", ""
    stderr = "it hangs"


class Setting:
    def __init__(self, options):
        self.program = options.program
        self.devices = options.device.split(",")
        self.launcher = options.mpirun
        # What compares HDF5 with what is read past it.
        self.environment = {**os.environ, "TESSERA_CHECK_HDF5": "1", "OMPI_ALLOW_RUN_AS_ROOT": "1",
                            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def device(self, rng):
        return str(rng.choice(self.devices))

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
        try:
            return subprocess.run(self.command(arguments, ranks), capture_output=True, text=True, errors="replace",
                                  timeout=TIMEOUT_S, env=self.environment)
        except subprocess.TimeoutExpired:
            return Ended
