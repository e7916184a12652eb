"""What a step finds: checks that pass or fail, numbers, notes. Each is on disk as soon as it is known."""

import contextlib
import json
import os
import time

from measure import ROOT, BenchError, Skipped
from processes import Running, end_all_below
from rows import line

# Of the output of a command that failed, and of a line of it.
SHOWN_LINES, SHOWN_CHARACTERS = 6, 300
COMMAND_LIMIT_S = 60


class Failed(Exception):
    """A check that did not hold; the text says what was found."""


class TimedOut(Failed):
    """A command that did not end in time."""


def write_json(path, value):
    """Whole or not at all."""
    beside = path.with_suffix(".part")
    beside.write_text(json.dumps(value, indent=1) + "\n")
    os.replace(beside, path)


def first_lines(text):
    lines = [entry[:SHOWN_CHARACTERS] for entry in text.strip().splitlines()]
    return "\n".join(lines[:SHOWN_LINES] + (["..."] if len(lines) > SHOWN_LINES else []))


OUTCOMES = {Skipped: "skipped", TimedOut: "timed out"}


class Checks:
    """For the functions of steps: the programs, the device, a folder of their own, and where their findings go."""

    def __init__(self, programs, folder, results, quick):
        self.programs, self.folder, self.results, self.quick = programs, folder, results, quick
        self.tessera = programs["tessera"]
        self.found = {"checks": [], "lines": [], "notes": [], "commands": []}
        self.failed = False

    def save(self):
        write_json(self.results, self.found)

    def px(self, side, quick_side):
        return quick_side if self.quick else side

    @contextlib.contextmanager
    def check(self, what):
        """A check that fails, takes too long or is skipped does not keep the next one from being made."""
        entry = {"what": what, "outcome": "running", "said": ""}
        self.found["checks"].append(entry)
        self.save()
        start, first = time.monotonic(), len(self.found["commands"])
        try:
            yield entry
            entry["outcome"] = "passed"
        except Exception as error:  # what goes wrong in a check is its result
            entry["outcome"] = OUTCOMES.get(type(error), "failed")
            said = str(error) if isinstance(error, (Failed, BenchError, Skipped)) else repr(error)
            entry["said"] = first_lines(self.without_paths(said))
        entry["seconds"] = round(time.monotonic() - start, 2)
        entry["commands"] = self.found["commands"][first:]
        end_all_below(os.getpid())
        self.save()

    def line(self, what, value, unit, goal=None, better="higher"):
        self.lines([line(what, value, unit, goal, better)])

    def lines(self, lines):
        self.found["lines"] += lines
        self.save()

    def note(self, text):
        self.found["notes"].append(self.without_paths(text))
        self.save()

    def without_paths(self, text):
        """Programs by their names, files as they are called in the step's folder."""
        for name, path in self.programs.items():
            text = text.replace(str(path), name)
        return text.replace(f"{self.folder}/", "").replace(f"{ROOT}/", "")

    def did(self, command, code, wall_s):
        """A command for the page."""
        shown = [self.without_paths(str(part)) for part in command]
        self.found["commands"].append({"command": shown, "code": code, "seconds": round(wall_s, 2)})
        self.save()

    def start(self, *command, ranks=0, environment=None, limits=None):
        launcher = [self.mpirun(), "-n", ranks, "--oversubscribe", "--bind-to", "none"] if ranks else []
        return Running([*launcher, *command], self.folder, environment, limits)

    def mpirun(self):
        if "mpirun" not in self.programs:
            raise Skipped("mpirun is missing, or is not of the program's MPI")
        return self.programs["mpirun"]

    def finish(self, running, codes=(0,), limit_s=COMMAND_LIMIT_S):
        """Waits for its end; fails for other exit codes than `codes`. Any will do if there are none."""
        done = running.wait(limit_s)
        changed = [f"{name}={value}" for name, value in running.environment.items()]
        self.did([*changed, *done.command], done.code, done.wall_s)
        said = self.without_paths(done.err.strip() or done.out.strip() or "(no output)")
        if done.code is None:
            raise TimedOut(f"no end after {limit_s} s\n{said}")
        if codes and done.code not in codes:
            raise Failed(f"exit {done.code}\n{said}")
        return done

    def run(self, *command, codes=(0,), limit_s=COMMAND_LIMIT_S, **options):
        return self.finish(self.start(*command, **options), codes, limit_s)

    def need(self, condition, text):
        if not condition:
            raise Failed(text)


def same(found, truth, what):
    if found != truth:
        raise Failed(f"{what}: {str(found)[:SHOWN_CHARACTERS]}, not {str(truth)[:SHOWN_CHARACTERS]}")
