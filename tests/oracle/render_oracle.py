#!/usr/bin/env python3
"""usage: render_oracle.py [--program] PATH [OPTIONS]

Random images with random histories - plain runs, shares, runs that are stopped, killed and resumed, damaged files -
against the plain definition of docs/numerics.md. After exit 0 every pixel must be right; after anything else there
must be one line that names the file, and no time may be lost. The seed and a case's number decide all that is random
in it, but for when exactly a signal arrives. Exit 1 after a difference.

  --seconds S     begins no new case after so long (default: no limit)
  --seed N        of all cases (default: TESSERA_SEED, or 7)
  --cases N       so many (default: no limit; 200 if there is no --seconds either)
  --case N        this one only: what a failure prints
  --only REGEX    cases whose history has such a name
  --hangs-after S a command that takes longer hangs (default: 600)
  --keep DIR      where files of a failed case go (default: TESSERA_KEEP, or they are removed)
  --go-on         after a difference too
"""

import argparse
import collections
import os
import random
import re
import shutil
import sys
import tempfile
import time

import render_checks  # before others: says what is missing
import render_truth
from render_case import Case
from render_histories import LONG, random_history
from render_jobs import random_job
from render_plain import plain
from render_runs import HANG_S, Difference, Hang, Runner

OFTEN, SELDOM = ("cpu", "cpu", "cpu", "reference", "reference"), ("auto", "opencl")


class Oracle:
    def __init__(self, options):
        self.options = options
        self.counts = collections.Counter()
        self.kinds = collections.Counter()
        self.seldom = SELDOM

    def begin(self):
        """Leaves out devices that are not here."""
        with tempfile.TemporaryDirectory() as folder:
            runner = Runner(self.options.program, folder, self.options.hangs_after)
            for device in SELDOM:
                done = runner.run("render", "--size", "8x8", "--output", device + ".h5", "--device", device, "--quiet")
                if done.code == 3:
                    self.seldom = tuple(name for name in self.seldom if name != device)

    def run_case(self, number):
        """A line for each difference; none."""
        rng = random.Random(f"{self.options.seed}/{number}")
        history = random_history(rng)
        if not re.search(self.options.only, history.__name__):
            return
        folder = tempfile.mkdtemp(prefix="tessera oracle ")
        runner = Runner(self.options.program, folder, self.options.hangs_after)
        runner.note(f"case {number}: {history.__name__}: {history.__doc__.splitlines()[0]}")
        failed = True
        try:
            self.happen(rng, history, runner)
            failed = False
        except Difference as difference:
            self.fail(number, runner, difference)
        finally:
            self.counts["cases"] += 1
            self.counts["commands"] += runner.commands
            self.kinds[history.__name__] += 1
            if failed and self.options.keep:
                shutil.move(folder, os.path.join(self.options.keep, f"render-{self.options.seed}-{number}"))
            shutil.rmtree(folder, ignore_errors=True)

    def happen(self, rng, history, runner):
        job = random_job(rng, history is plain, history in LONG and rng.random() < .9)
        if not render_truth.tells_pixels_apart(job):
            runner.note("too deep for f64")
            done = runner.run("render", *job.options(), "--output", "o.h5", "--quiet")
            if done.code != 2 or "too deep" not in done.said:
                raise Difference(f"exit {done.code} of an image that is too deep: {done.said!r}")
            return
        devices = OFTEN + (self.seldom if rng.random() < .08 and not job.deep else ())
        case = Case(rng, job, render_truth.Truth(job), runner, devices)
        history(case)

    def fail(self, number, runner, difference):
        self.counts["differences"] += 1
        what = "HANGS" if isinstance(difference, Hang) else "DIFFERENCE"
        print(f"{what}: {difference}\n  " + "\n  ".join(runner.history))
        print(f"  again: {sys.executable} {os.path.abspath(__file__)} --program {self.options.program} "
              f"--seed {self.options.seed} --case {number}", flush=True)

    def run(self):
        options = self.options
        self.begin()
        if options.case is not None:
            self.run_case(options.case)
        else:
            end = time.monotonic() + options.seconds
            number = 0
            while time.monotonic() < end and self.counts["cases"] < options.cases:
                number += 1
                self.run_case(number)
                if self.counts["differences"] and not options.go_on:
                    break
        kinds = ", ".join(f"{count} {name}" for name, count in sorted(self.kinds.items()))
        print(f"seed {options.seed}: {self.counts['cases']} cases ({kinds}), {self.counts['commands']} commands, "
              f"{self.counts['differences']} differences")
        return 1 if self.counts["differences"] else 0


def parse_options():
    parser = argparse.ArgumentParser(usage=__doc__[7:], add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("path", nargs="?", default="tessera")
    parser.add_argument("--program")
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TESSERA_SEED", "7")))
    parser.add_argument("--cases", type=int)
    parser.add_argument("--case", type=int)
    parser.add_argument("--only", default="")
    parser.add_argument("--hangs-after", type=float, default=HANG_S)
    parser.add_argument("--keep", default=os.environ.get("TESSERA_KEEP", ""))
    parser.add_argument("--go-on", action="store_true")
    options = parser.parse_args()
    options.program = os.path.abspath(options.program or options.path)
    if options.cases is None:
        options.cases = 200 if options.seconds is None else sys.maxsize
    if options.seconds is None:
        options.seconds = float("inf")
    if options.keep:
        options.keep = os.path.abspath(options.keep)
        os.makedirs(options.keep, exist_ok=True)
    return options


def main():
    options = parse_options()
    if options.help:
        print(__doc__.strip())
        return 0
    return Oracle(options).run()


if __name__ == "__main__":
    sys.exit(main())
