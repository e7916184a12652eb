"""Processes that end when they should: a command with a time limit, and all that it has started."""

import ctypes
import os
import signal
import subprocess
import time

from measure import children_of

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
# A process in a call of a driver that does not return cannot be killed; nobody waits for it longer than this.
END_S = 3.0


def adopt_orphans():
    """Processes that lose their parent become children of this one, so that it finds them."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_with_parent():
    """SIGTERM for this process when the process that started it has ended."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGTERM)


def is_running(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def below(pid):
    """What `pid` has started, directly or not, and still runs."""
    return {child for child in children_of(pid) - {pid} if is_running(child)}


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def reap():
    """Forgets the children of this process that have ended. For orphans: subprocess waits for its own."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


def end_all_below(pid):
    """Kills what `pid` has started; returns what cannot be killed."""
    deadline = time.monotonic() + END_S
    while left := below(pid):
        kill(left)
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    return left


def command_line(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as file:
            return file.read().replace("\0", " ")
    except OSError:
        return ""


def device_processes(pid):
    """Those that drive a GPU for `pid` or for a rank below it."""
    return [child for child in below(pid) if " device-process cuda" in command_line(child)]


class Finished:
    """`code` is None where the time limit was over."""

    def __init__(self, command, code, out, err, wall_s):
        self.command, self.code, self.out, self.err, self.wall_s = command, code, out, err, wall_s


class Running:
    """A command that has begun. What it has started ends with it."""

    def __init__(self, command, folder, environment=None, limits=None):
        self.command, self.environment = [str(part) for part in command], environment or {}
        self.start = time.monotonic()
        # A session of its own: mpirun may signal its whole process group when a rank ends.
        self.process = subprocess.Popen(self.command, cwd=folder, env={**os.environ, **self.environment}, text=True,
                                        errors="replace", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, start_new_session=True, preexec_fn=limits)

    def wait(self, limit_s):
        code, out, err = None, "", ""
        try:
            out, err = self.process.communicate(timeout=limit_s)
            code = self.process.returncode
        except subprocess.TimeoutExpired:
            out, err = self.end()
        return Finished(self.command, code, out, err, time.monotonic() - self.start)

    def end(self):
        kill(below(self.process.pid) | {self.process.pid})
        try:
            return self.process.communicate(timeout=END_S)
        except subprocess.TimeoutExpired:
            return "", "(it cannot be killed)"
