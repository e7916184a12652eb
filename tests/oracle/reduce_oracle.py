#!/usr/bin/env python3
"""tessera reduce against exact arithmetic: arrays, files and options at random.

usage: reduce_oracle.py TESSERA [OPTIONS]

Each case has a number, which decides everything: the array, the files that hold it, and the commands. The cases that
have a name (listed_cases.py) come first. A difference prints the one line that repeats its case; exit 1.

  --seed N       cases are numbered from N * 1000000 (default: TESSERA_SEED, or 7)
  --cases N      so many random cases (default: no limit; 300 if there is no --seconds either)
  --seconds S    begins no case after so long
  --case CASE    this one only, a number or a name
  --only-random  without the cases that have a name
  --device LIST  devices to choose from (reference,cpu); others than these two are chosen rarely
  --hangs-after S  what takes longer hangs (600)
  --mpirun PATH  what starts several ranks (mpirun); '' = never
  --keep DIR     leaves the files of cases that differ in DIR/CASE (default: TESSERA_KEEP, or none)
  --differences N  ends after so many (1)
  --verbose      prints each case
"""

import argparse
import os
import re
import shlex
import shutil
import signal
import sys
import tempfile
import time

try:
    import h5py  # noqa: F401
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

import arrays
from difference import Difference
from files import write_files
from generated import random_generated
from hdf5_fill import with_holes
from hdf5_files import NotReadable
from listed_cases import LISTED
from map_command import MapCommand
from random_command import random_command
from random_expression import random_expression
from setting import HANG_S, Setting

# Another number where the same case is to be something else.
VERSION = 2
CASES_OF_A_SEED = 1_000_000
SCRIPT = min(os.path.relpath(__file__), os.path.abspath(__file__), key=lambda path: (path.startswith(".."), len(path)))


class Counts:
    def __init__(self):
        self.cases = self.files = self.commands = self.differences = self.elements = self.not_readable = 0

    def __str__(self):
        given_up = f"{self.not_readable} given up, " if self.not_readable else ""
        return (f"{self.cases} cases, {self.files} files, {self.commands} commands, {self.elements} elements, {given_up}"
                f"{self.differences} differences")


class Oracle:
    def __init__(self, options):
        self.options = options
        self.setting = Setting(options)
        self.counts = Counts()

    def random_case(self, number):
        """An array, one or two sets of files with it, and some commands for each."""
        rng = np.random.default_rng([VERSION, number])
        if rng.random() < 0.05:
            source, array = random_generated(rng, arrays.count_of(rng, "f8"))
            return self.check_some(rng, array, [source], 0)
        array = arrays.array(rng)
        if rng.random() < 0.35:
            array = with_holes(rng, array)
        for i in range(int(rng.integers(1, 3))):
            self.check_some(rng, array, self.write(rng, array, f"a{i}"), i)
        if rng.random() < 0.2:
            self.check_expression(rng, array)
        return None

    def check_expression(self, rng, array):
        """Of this array and another one of its type, on any device."""
        other = arrays.numbers(rng, array.dtype.str[1:], array.size).reshape(array.shape)
        text, value = random_expression(rng, array, other)
        inputs = [f"{name}={self.write(rng, numbers, f'm{name}', joined=False)[0]}"
                  for name, numbers in (("a", array), ("b", other)) if re.search(rf"\b{name}\b", text)]
        for _ in range(2):
            command = random_command(rng, value, inputs, self.setting)
            command.expression = text
            if command.keys is None and self.setting.others and rng.random() < 0.5:
                command.options[1] = str(rng.choice(self.setting.others))
            self.check(command)
        if rng.random() < 0.7:
            self.check_map(rng, array, other)

    def check_map(self, rng, array, other):
        """One or two expressions that are written, on any device."""
        texts, values = {}, {}
        for name in ("c", "d")[:int(rng.integers(1, 3))]:
            texts[name], values[name] = random_expression(rng, array, other)
        inputs = [f"{name}={self.write(rng, numbers, f'n{name}', joined=False)[0]}"
                  for name, numbers in (("a", array), ("b", other))
                  if any(re.search(rf"\b{name}\b", text) for text in texts.values())]
        self.check(MapCommand(rng, texts, values, inputs, self.setting))

    def check_some(self, rng, array, inputs, i):
        for _ in range(int(rng.integers(1, 4))):
            command = random_command(rng, array, inputs, self.setting)
            if command.axes is None and command.keys is None and rng.random() < 0.25:
                self.add_dot(rng, command, array, f"w{i}")
            self.check(command)

    def add_dot(self, rng, command, array, name):
        """With another array of the shape, of any type, or with this one."""
        if rng.random() < 0.2 and len(command.inputs) == 1:
            return command.add_dot(command.inputs[0], array)
        dtype = str(rng.choice(arrays.TYPES))
        other = arrays.numbers(rng, dtype, array.size).reshape(array.shape)
        if dtype != "b1" and rng.random() < 0.1:
            other = np.full_like(other, rng.choice([0.0, -0.0]))
        inputs = self.write(rng, other, name, joined=False)
        return command.add_dot(inputs[0], other)

    def write(self, rng, array, name, joined=True):
        inputs = write_files(rng, array, name, joined)
        self.counts.files += len(inputs)
        return inputs

    def check(self, command):
        if set(command.options) & set(self.setting.others):
            command.without_order_statistics()
        self.counts.commands += 1
        self.counts.elements += command.array.size
        command.check(self.setting)

    def run(self, case):
        """One case in a folder of its own; False if the program differs."""
        folder = tempfile.mkdtemp(prefix=f"oracle {case} ")
        back = os.getcwd()
        os.chdir(folder)
        self.counts.cases += 1
        try:
            if case in LISTED:
                for command in LISTED[case]():
                    self.check(command)
            else:
                self.random_case(int(case))
            return True
        except Difference as difference:
            self.tell(case, difference)
            self.keep(case, folder)
            return False
        except NotReadable as source:
            self.counts.not_readable += 1
            if self.options.verbose:
                print(f"case {case}: HDF5 does not read back {source}", flush=True)
            return True
        finally:
            os.chdir(back)
            shutil.rmtree(folder, ignore_errors=True)

    def tell(self, case, difference):
        self.counts.differences += 1
        again = f"python3 {SCRIPT} {shlex.quote(self.options.given_program)} --case {shlex.quote(case)}"
        if self.options.device != "reference,cpu":
            again += f" --device {self.options.device}"
        print(f"case {case}: {difference}\n  {again}", flush=True)

    def keep(self, case, folder):
        if self.options.keep:
            os.makedirs(self.options.keep, exist_ok=True)
            shutil.copytree(folder, os.path.join(self.options.keep, str(case)), dirs_exist_ok=True)

    def cases(self):
        if self.options.case is not None:
            yield self.options.case
            return
        if not self.options.only_random:
            yield from LISTED
        first = self.options.seed * CASES_OF_A_SEED
        yield from map(str, range(first, first + self.options.cases))

    def run_all(self):
        end = time.monotonic() + self.options.seconds
        for case in self.cases():
            if case not in LISTED and time.monotonic() > end:
                break
            if self.options.verbose:
                print(f"case {case}", flush=True)
            self.run(case)
            if self.counts.differences >= self.options.differences:
                break
        print(self.counts)
        return 1 if self.counts.differences else 0


def parse_options():
    parser = argparse.ArgumentParser(usage=__doc__, add_help=False)
    parser.add_argument("-h", "--help", action="store_true")
    parser.add_argument("program", nargs="?", default="tessera")
    parser.add_argument("--program", dest="program", default=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TESSERA_SEED", "7")))
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--case")
    parser.add_argument("--only-random", action="store_true")
    parser.add_argument("--device", default="reference,cpu")
    parser.add_argument("--hangs-after", type=float, default=HANG_S)
    parser.add_argument("--mpirun", default="mpirun")
    parser.add_argument("--keep", default=os.environ.get("TESSERA_KEEP"))
    parser.add_argument("--differences", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    if options.help:
        return options
    options.given_program = options.program
    options.program = os.path.abspath(options.program)
    options.keep = options.keep and os.path.abspath(options.keep)
    if options.cases is None:
        options.cases = 300 if options.seconds is None else CASES_OF_A_SEED
    if options.seconds is None:
        options.seconds = float("inf")
    return options


def main():
    options = parse_options()
    if options.help:
        print(__doc__.strip())
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return Oracle(options).run_all()


if __name__ == "__main__":
    sys.exit(main())
