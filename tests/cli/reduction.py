"""What the tests of tessera reduce share: the numbers that it should come to, from fractions, and how to ask it."""

import math
import struct
from fractions import Fraction

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

from program import ProgramTest

EVERYTHING = ("sum", "prod", "mean", "var", "std", "min", "max", "argmin", "argmax", "minmax", "norm1", "norm2", "norminf",
              "count_nonzero", "any", "all")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def rounded(x):
    """A Fraction as the nearest f64."""
    try:
        return float(x)  # int / int in Python is rounded once
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def rounded_root(x):
    """The root of a Fraction as the nearest f64: from a root with so many digits that no tie is left open."""
    if x == 0:
        return 0.0
    shift = 2200
    floor = math.isqrt((x.numerator << (2 * shift)) // x.denominator)
    exact = floor * floor * x.denominator == x.numerator << (2 * shift)
    return rounded(Fraction(2 * floor + (0 if exact else 1), 2 << shift))


def product(numbers):
    """The product of finite f64, rounded once: of integers, which are quicker than fractions."""
    factors, exponent = [], 0
    for x in numbers:
        mantissa, power = math.frexp(x)
        factors.append(int(mantissa * 2**53))
        exponent += power - 53
    while len(factors) > 1:
        factors = [math.prod(factors[i:i + 2]) for i in range(0, len(factors), 2)]
    if factors[0] == 0:
        return math.copysign(0.0, math.prod(math.copysign(1, x) for x in numbers))
    # What is far too large or small for f64 is so whatever the bits say.
    exponent = max(-5000 - factors[0].bit_length(), min(5000, exponent))
    sticky = 0
    magnitude = abs(factors[0])
    drop = max(0, magnitude.bit_length() - 2000)
    sticky = 1 if magnitude & ((1 << drop) - 1) else 0
    magnitude = 2 * (magnitude >> drop) + sticky
    return rounded(Fraction(magnitude) * Fraction(2) ** (exponent + drop - 1)) * (1 if factors[0] > 0 else -1)


def expected(array, ddof=0):
    """Answers for finite numbers."""
    flat = [x.item() for x in array.ravel(order="C")]
    terms = [Fraction(x) for x in flat]
    n, total, squares = len(terms), sum(terms), sum(x * x for x in terms)
    variance = (squares - total * total / n) / (n - ddof) if n > ddof else math.nan
    whole = array.dtype.kind in "iu"
    number = (lambda x: x) if whole else float
    return {
        "sum": int(total) if whole else rounded(total),
        "prod": product([float(x) for x in flat]),
        "mean": rounded(total / n),
        "var": rounded(variance) if n > ddof else math.nan,
        "std": rounded_root(variance) if n > ddof else math.nan,
        "min": number(min(flat)), "max": number(max(flat)),
        "argmin": flat.index(min(flat)), "argmax": flat.index(max(flat)),
        "minmax": (number(min(flat)), number(max(flat))),
        "norm1": sum(abs(x) for x in flat) if whole else rounded(sum(abs(x) for x in terms)),
        "norm2": rounded_root(squares),
        "norminf": number(max(abs(x) for x in flat)),
        "count_nonzero": sum(x != 0 for x in flat),
        "any": any(flat), "all": all(flat),
    }


def same(a, b):
    """Equal bits, for floats; any NaN is like another."""
    if isinstance(a, float) and isinstance(b, float):
        return struct.pack("<d", a) == struct.pack("<d", b) or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and a == b


def read_value(value):
    text = value["decimal"]
    if text in ("true", "false"):
        return text == "true"
    if value["hex"] is None:
        return int(text)
    by_hex = float.fromhex(value["hex"])
    assert same(by_hex, float(text)), value
    return by_hex


class ReduceTest(ProgramTest):
    def reduce(self, source, operations=EVERYTHING, *options):
        """The report, and its values by operation."""
        self.assertEqual(self.assert_done("reduce", source, "--op", ",".join(operations), "--quiet", "--report",
                                          "r.json", *options), "")
        report = self.read_report()
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
