#!/usr/bin/env python3
"""Expressions with bools, numbers and literals at random against NumPy, with the types of NumPy 2.

usage: expression_oracle.py TESSERA [OPTIONS]

A case is a number, which decides the arrays, their files, and about a dozen expressions of them: those that NumPy has
are written by one `tessera map`, and one is reduced; those that it refuses are refused. A difference prints the line
that repeats its case; exit 1.

  --seed N       cases are numbered from N * 1000000 (default: TESSERA_SEED, or 7)
  --cases N      so many cases (default: 40)
  --seconds S    begins no case after so long, however many there were
  --case N       this one only
  --device LIST  devices to choose from, as far as they are there (reference,cpu)
"""

import argparse
import math
import os
import re
import shlex
import subprocess
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
import numpy2
from difference import Difference
from files import write_one
from hdf5_files import NotReadable
from map_command import same_elements
from setting import HANG_S

VERSION = 1
EXPRESSIONS = 12
SCRIPT = min(os.path.relpath(__file__), os.path.abspath(__file__), key=lambda path: (path.startswith(".."), len(path)))


def whole_literal(rng):
    """As Python writes them, in any base."""
    edges = [0, 1, 2, 3, 7, 100, 200, 255, 256, 1000, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64 - 1]
    number = int(edges[int(rng.integers(0, 8 if rng.random() < 0.8 else len(edges)))])
    digits = f"{number:x}"
    forms = [str(number)] * 4 + [f"0x{digits}", f"0X00{digits.upper()}", f"0o{number:o}", f"0b{number:b}"]
    return (str(rng.choice(["0", "00"])) if number == 0 else str(rng.choice(forms))), number


def real_literal(rng):
    text = str(rng.choice(["0.5", ".25", "1.", "1e3", "010.5", "2.5e-3", "00.0", "1E+2", "0.1", "3e0"]))
    return text, float(text)


class Generator:
    """Expressions of the arrays, as text and as what computes the value, which raises numpy2.Refused where NumPy has none."""

    def __init__(self, rng, named):
        self.rng, self.named = rng, named
        self.shape = next(iter(named.values())).shape
        self.bools = [name for name, array in named.items() if array.dtype.kind == "b"]

    def pick(self, choices):
        return choices[int(self.rng.integers(len(choices)))]

    def leaf(self):
        kind = self.rng.random()
        if kind < 0.75:
            name = self.pick(list(self.named))
            return name, lambda: self.named[name]
        if kind < 0.8:
            return "index", lambda: np.arange(math.prod(self.shape)).reshape(self.shape)
        text, number = whole_literal(self.rng) if kind < 0.92 else real_literal(self.rng)
        return text, lambda: number

    def make(self, depth):
        if depth == 0 or self.rng.random() < 0.1:
            return self.leaf()
        kind = self.pick([self.sign, self.binary, self.binary, self.binary, self.compare, self.where, self.where, self.cast,
                          self.extreme, self.function, self.power])
        return kind(depth - 1)

    def sign(self, depth):
        text, x = self.make(depth)
        sign = self.pick(["~", "~", "~", "~", "-", "+"])
        return f"{sign}({text})", lambda: numpy2.unary(sign, x())

    def binary(self, depth, signs=("+", "+", "-", "*", "*", "&", "|", "/", "//", "%")):
        (x_text, x), (y_text, y) = self.make(depth), self.make(depth)
        sign = self.pick(signs)
        return f"({x_text} {sign} {y_text})", lambda: numpy2.binary(sign, x(), y(), self.shape)

    def compare(self, depth):
        return self.binary(depth, tuple(numpy2.COMPARED))

    def where(self, depth):
        (c_text, c), (x_text, x), (y_text, y) = self.make(depth), self.make(depth), self.make(depth)
        return f"where({c_text}, {x_text}, {y_text})", lambda: numpy2.where(c(), x(), y(), self.shape)

    def cast(self, depth):
        text, x = self.make(depth)
        code = self.pick(numpy2.TYPES)
        return f"{'bool' if code == 'b1' else code}({text})", lambda: numpy2.cast(x(), code, self.shape)

    def extreme(self, depth):
        (x_text, x), (y_text, y) = self.make(depth), self.make(depth)
        name = self.pick(["min", "max"])
        return f"{name}({x_text}, {y_text})", lambda: numpy2.extreme(name, x(), y(), self.shape)

    def function(self, depth):
        text, x = self.make(depth)
        name = self.pick(["abs", "floor", "ceil", "rint", "sqrt", "sign", "isnan", "isfinite"])
        return f"{name}({text})", lambda: numpy2.function(name, x(), self.shape)

    def power(self, depth):
        if self.rng.random() < 0.4:
            base, exponent = self.pick(self.bools), self.pick(self.bools)
            return f"{base} ** {exponent}", lambda: numpy2.power(self.named[base], self.named[exponent], self.shape)
        text, x = self.make(depth)
        exponent = int(self.pick([1, 2]))
        return f"({text}) ** {exponent}", lambda: numpy2.power(x(), exponent, self.shape)


class Case:
    def __init__(self, number, options):
        self.rng = np.random.default_rng([VERSION, number])
        self.options, self.shown = options, ""
        self.device = str(self.rng.choice(options.devices))

    def random_arrays(self):
        """Of any types; the first is of bools."""
        rank = int(self.rng.integers(1, 4))
        shape = tuple(int(side) for side in self.rng.integers(1, (3000, 60, 12)[rank - 1], rank))
        codes = ["b1", *self.rng.choice(arrays.TYPES, int(self.rng.integers(1, 4)), p=[0.06] * 11 + [0.34])]
        return {name: arrays.numbers(self.rng, str(code), math.prod(shape)).reshape(shape) for name, code in zip("mnab", codes)}

    def check(self):
        named = self.random_arrays()
        sources = {name: write_one(self.rng, array, name) for name, array in named.items()}
        generator = Generator(self.rng, named)
        right, refused = {}, []
        while len(right) < EXPRESSIONS:
            text, compute = generator.make(generator.pick([1, 1, 2, 2, 3]))
            try:
                right[text] = numpy2.finished(compute(), generator.shape)
            except numpy2.Refused as why:
                refused.append((text, why))
        self.check_map(right, sources)
        self.check_reduce(generator.pick(list(right.items())), sources)
        if refused:
            self.check_refused(*generator.pick(refused), sources)
        return len(right) + bool(refused)

    @staticmethod
    def inputs(texts, sources):
        """Those that are named; an expression of none has the shape of all."""
        named = [name for name in sources if any(re.search(rf"\b{name}\b", text) for text in texts)]
        return [f"{name}={sources[name]}" for name in named or sources]

    def run(self, *arguments):
        arguments = [*arguments, "--device", self.device, "--quiet"]
        self.shown = shlex.join([self.options.given_program, *arguments])
        return subprocess.run([self.options.program, *arguments], capture_output=True, text=True, timeout=HANG_S)

    def check_map(self, right, sources):
        named = {f"r{i}": text for i, text in enumerate(right)}
        outputs = [part for name in named for part in ("--output", f"{name}={name}.npy")]
        expressions = [f"{name} = {text}" for name, text in named.items()]
        done = self.run("map", *expressions, *self.inputs(right, sources), *outputs)
        if done.returncode != 0:
            raise Difference(f"exit {done.returncode}: {done.stderr.strip()}")
        for name, text in named.items():
            found = np.load(f"{name}.npy")
            if not same_elements(found, right[text]):
                raise Difference(f"{text}: {found.dtype} {found.ravel()[:9]}, not {right[text].dtype} {right[text].ravel()[:9]}")

    def check_reduce(self, expression, sources):
        text, value = expression
        wanted = [str(int((value != 0).sum())), str(bool((value != 0).all())).lower(), str(bool((value != 0).any())).lower()]
        operations = "count_nonzero,all,any"
        if value.dtype.kind != "f":
            operations += ",sum,max"
            wanted += [str(sum(map(int, value.ravel().tolist()))), str(int(value.max()))]
        done = self.run("reduce", "--map", text, *self.inputs([text], sources), "--op", operations)
        if done.stdout.split() != wanted:
            raise Difference(f"{operations} of {text}: {done.stdout.split()} {done.stderr}, not {wanted}")

    def check_refused(self, text, why, sources):
        done = self.run("reduce", "--map", text, *self.inputs([text], sources), "--op", "sum")
        if done.returncode != 2 or "column" not in done.stderr:
            raise Difference(f"{text}: exit {done.returncode} {done.stdout} {done.stderr}, but {why}")


def run_case(number, options):
    """How many expressions were right; 0 if one was not."""
    back = os.getcwd()
    with tempfile.TemporaryDirectory(prefix="expressions ") as folder:
        os.chdir(folder)
        case = Case(number, options)
        try:
            with np.errstate(all="ignore"):
                return case.check()
        except NotReadable:
            return 1
        except Difference as difference:
            again = shlex.join(["python3", SCRIPT, options.given_program, "--case", str(number), "--device", options.device])
            print(f"case {number}: {difference}\n  {case.shown}\n  {again}", flush=True)
            return 0
        finally:
            os.chdir(back)


def is_there(device, program):
    probe = [program, "reduce", "random:uniform?count=9", "--op", "sum", "--device", device, "--quiet"]
    return device in ("reference", "cpu") or subprocess.run(probe, capture_output=True, timeout=HANG_S).returncode != 3


def parse_options():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("given_program")
    parser.add_argument("--seed", type=int, default=int(os.environ.get("TESSERA_SEED", "7")))
    parser.add_argument("--cases", type=int)
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--case", type=int)
    parser.add_argument("--device", default="reference,cpu")
    options = parser.parse_args()
    options.program = os.path.abspath(options.given_program)
    options.devices = [device for device in options.device.split(",") if is_there(device, options.program)]
    if options.cases is None:
        options.cases = 40 if options.seconds == float("inf") else 1_000_000
    return options


def main():
    options = parse_options()
    first = options.seed * 1_000_000
    numbers = [options.case] if options.case is not None else range(first, first + options.cases)
    end = time.monotonic() + options.seconds
    expressions = cases = 0
    for number in numbers:
        if time.monotonic() > end:
            break
        right = run_case(number, options)
        if not right:
            return 1
        cases, expressions = cases + 1, expressions + right
    print(f"{cases} cases, {expressions} expressions")
    return 0


if __name__ == "__main__":
    sys.exit(main())
