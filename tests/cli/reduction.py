"""What the tests of tessera reduce share: the numbers that it should come to, and how to ask it."""

import os
import sys
from fractions import Fraction

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

from program import ProgramTest

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "oracle"))

import exact
from answers import Answers
from command import read_value, same  # noqa: F401

EVERYTHING = ("sum", "prod", "mean", "var", "std", "skewness", "kurtosis", "min", "max", "argmin", "argmax", "minmax", "norm1", "norm2", "norminf",
              "count", "count_nonzero", "any", "all")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def rounded(x):
    """A Fraction as the nearest f64."""
    return exact.rounded(*Fraction(x).as_integer_ratio())


def rounded_root(x):
    """The root of a Fraction as the nearest f64."""
    return exact.rounded_root(*Fraction(x).as_integer_ratio())


def expected(array, ddof=0):
    """The answers of the oracle."""
    answers = Answers(np.asarray(array).reshape(1, -1))
    wanted = {name: answers.of(name, ddof)[0] for name in EVERYTHING}
    return wanted | {"prod": wanted["prod"].nearest()}


class ReduceTest(ProgramTest):
    def reduce(self, source, operations=EVERYTHING, *options):
        """The report, and its values by operation. Standard output has the same values, one a line."""
        said = self.assert_done("reduce", source, "--op", ",".join(operations), "--quiet", "--report", "r.json", *options)
        report = self.read_report()
        texts = [value["decimal"] for result in report["results"] for value in result.get("values", [])]
        self.assertEqual(said.splitlines(), texts)
        values = {}
        for result in report["results"]:
            read = tuple(read_value(value) for value in result["values"])
            values[result["op"]] = read if len(read) > 1 else read[0]
        return report, values

    def read_report(self):
        return self.read_json("r.json")

    def save(self, array, name="a.npy"):
        np.save(self.path(name), array)
        return name

    def assert_answers(self, source, wanted, *options):
        _, got = self.reduce(source, tuple(wanted), *options)
        for name, value in wanted.items():
            ours = got[name]
            pairs = zip(value, ours) if isinstance(value, tuple) else [(value, ours)]
            for theirs, mine in pairs:
                self.assertTrue(same(theirs, mine), f"{name} of {source} {options}: {mine!r}, not {theirs!r}")

    def assert_right(self, array, *options, ddof=0):
        for device in ("reference", "cpu"):
            self.assert_answers(self.save(array), expected(array, ddof), "--device", device, *options)
