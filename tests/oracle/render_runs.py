"""Commands of the program as the oracle gives them: with a deadline, stopped or killed on the way, and written down."""

import os
import resource
import shlex
import signal
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "cli"))

from surroundings import HANG_S

LOG_HEADER_BYTES, LOG_RECORD_BYTES = 256, 120
PROGRESS = ("render:", "merge:", "rank ")
CODES = (0, 2, 3, 4, 75)
REFUSALS = (2, 3, 4)


class Difference(Exception):
    """The program was wrong."""


class Hang(Difference):
    """It was not done in time."""


class Stop:
    """Of a run: by a signal once so many tiles are stored or so many seconds are over, whatever comes first."""

    def __init__(self, number, tiles, seconds):
        self.number, self.tiles, self.seconds = number, tiles, seconds

    def __str__(self):
        return f"{self.number.name} at {self.tiles} tiles or after {self.seconds:.3f} s"


class Done:
    def __init__(self, code, said, interfered=False, ranks=0):
        self.code, self.said, self.interfered, self.ranks = code, said, interfered, ranks

    def lines(self):
        """The program's own lines on stderr, among those of mpirun and of drivers."""
        return [line for line in self.said.splitlines() if line.startswith("tessera: ")]


def stored_tiles(path):
    """Of an image in the making: tiles that its log has."""
    try:
        return max(0, os.path.getsize(path + ".part.log") - LOG_HEADER_BYTES) // LOG_RECORD_BYTES
    except OSError:
        return 0


def children_of(pid):
    listed = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True)
    return [int(line) for line in listed.stdout.split()]


class Runner:
    """In `folder`; `history` is what was done there, for whom it may concern."""

    def __init__(self, program, folder, hangs_after_s):
        self.program, self.folder, self.hangs_after_s = program, folder, hangs_after_s
        self.history = []
        self.commands = 0

    def path(self, name):
        return os.path.join(self.folder, name)

    def note(self, what):
        self.history.append("# " + what)

    def run(self, *arguments, ranks=0, stop=None, watched=None, fault="", most_bytes=0):
        """Gives the command, with TESSERA_FAULT=`fault` and files of `most_bytes` at most, and does `stop` to it, by
        the log of the output `watched`."""
        command = [self.program, *arguments]
        if ranks:
            command = ["mpirun", "-q", "-n", str(ranks), "--oversubscribe", "--bind-to", "none", *command]
        self.history.append((f"TESSERA_FAULT={fault} " if fault else "")
                            + (f"ulimit -f {most_bytes / 1024}; " if most_bytes else "")
                            + shlex.join(command) + (f"   # {stop}" if stop else ""))
        self.commands += 1
        started, wall = time.monotonic(), time.time()
        environment = {**os.environ, "TESSERA_FAULT": fault} if fault else None
        with open(self.path("stderr.text"), "w") as said:
            process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                       stderr=said, env=environment, start_new_session=True,
                                       preexec_fn=self.limit(most_bytes), restore_signals=not most_bytes)
            try:
                interfered = bool(stop) and self.interfere(process, stop, watched, started)
                code = self.wait(process, bool(ranks))
            finally:
                self.kill(process)
        seconds = time.monotonic() - started
        with open(self.path("stderr.text"), errors="replace") as said:
            done = Done(code, said.read(), interfered, ranks)
        os.remove(self.path("stderr.text"))
        self.history.append(f"#   exit {code} after {seconds:.2f} s: {done.said.strip()[-600:]}")
        if code not in CODES and not (interfered and self.ended_by(stop, code, ranks, watched, wall)):
            raise Difference(f"exit {code} ({'a signal' if code < 0 or code > 128 else 'no exit code of Tessera'})")
        return done

    @staticmethod
    def limit(most_bytes):
        """For a child: writes beyond that fail as on a full disk. Python has SIGXFSZ ignored, and so has the child."""
        if not most_bytes:
            return None
        return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))

    def run_rivals(self, *commands):
        """All at once, without a launcher; what each said."""
        rivals = []
        try:
            for command in commands:
                self.history.append(shlex.join([self.program, *command]) + " &")
                self.commands += 1
                rivals.append(subprocess.Popen([self.program, *command], cwd=self.folder, stdin=subprocess.DEVNULL,
                                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                               errors="replace", start_new_session=True))
            done = []
            for rival in rivals:
                _, said = rival.communicate(timeout=self.hangs_after_s * 2)
                self.history.append(f"#   exit {rival.returncode}: {said.strip()[-600:]}")
                done.append(Done(rival.returncode, said))
        except subprocess.TimeoutExpired:
            raise Hang(f"one of two runs is not done after {self.hangs_after_s * 2} s") from None
        finally:
            for rival in rivals:
                self.kill(rival)
                rival.stderr.close()
        return done

    def ended_by(self, stop, code, ranks, watched, wall):
        """Whether the signal itself is the reason of such an exit code: SIGKILL always, others before the program has
        begun to listen to them, which it does before it writes. mpirun has codes of its own for that."""
        if stop.number == signal.SIGKILL or ranks:
            return True
        return code == -stop.number and not any(
            os.stat(self.path(name)).st_mtime > wall for name in os.listdir(self.folder) if name.startswith(watched))

    def wait(self, process, launched):
        """Its exit code. One that takes too long is asked to stop first, to see whether it would."""
        try:
            return process.wait(self.hangs_after_s * (2 if launched else 1))
        except subprocess.TimeoutExpired:
            pass
        where = subprocess.run(["cat", f"/proc/{process.pid}/wchan"], capture_output=True, text=True).stdout
        process.terminate()
        try:
            code = process.wait(5)
            heard = f"ends on SIGTERM with {code}"
        except subprocess.TimeoutExpired:
            heard = "ignores SIGTERM"
        raise Hang(f"not done after {self.hangs_after_s} s, {heard} ({where or 'running'})")

    def interfere(self, process, stop, watched, started):
        """Whether the signal was sent; to the ranks too where that is asked for."""
        while stored_tiles(self.path(watched)) < stop.tiles and time.monotonic() < started + stop.seconds:
            if process.poll() is not None:
                return False
            time.sleep(.002)
        if process.poll() is not None:
            return False
        for pid in [process.pid, *(children_of(process.pid) if stop.number == signal.SIGKILL else ())]:
            try:
                os.kill(pid, stop.number)
            except ProcessLookupError:
                pass
        return True

    def kill(self, process):
        """However it ended, nothing of it is left that still writes."""
        if process.poll() is None:
            for pid in [*children_of(process.pid), process.pid]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            process.wait()
        deadline = time.monotonic() + HANG_S
        while time.monotonic() < deadline and self.session_lives(process.pid):
            time.sleep(.01)

    @staticmethod
    def session_lives(session):
        listed = subprocess.run(["pgrep", "-s", str(session)], capture_output=True, text=True).stdout.split()
        alive = []
        for pid in listed:
            try:
                with open(f"/proc/{pid}/stat") as file:
                    state = file.read().rpartition(")")[2].split()[0]
            except OSError:
                continue
            if state not in "ZX":
                alive.append(pid)
                os.kill(int(pid), signal.SIGKILL)
        return bool(alive)

    def succeed(self, *arguments, **more):
        done = self.run(*arguments, **more)
        if done.code != 0:
            raise Difference(f"exit {done.code} of what should succeed: {done.said.strip()[-300:]}")
        return done

    def check_refusal(self, done, *names, extra=()):
        """One line that has one of these names; beside it progress, and lines that begin with one of `extra`."""
        lines = [line for line in done.lines() if "more digits than 64-bit floats" not in line]
        if len(lines) != 1:
            raise Difference(f"exit {done.code} with {len(lines)} lines of 'tessera: ' on stderr: {done.said!r}")
        if not any(name in lines[0] for name in names):
            raise Difference(f"exit {done.code} with a line that names none of {names}: {lines[0]!r}")
        expected = ("tessera: ", *PROGRESS, *extra)
        if not done.ranks and not all(line.startswith(expected) for line in done.said.splitlines()):
            raise Difference(f"exit {done.code} with other lines on stderr: {done.said!r}")
        if any(ord(c) < 32 and c not in "\n\t\r" for c in done.said):
            raise Difference(f"control characters on stderr: {done.said!r}")
