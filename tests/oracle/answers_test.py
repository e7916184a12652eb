#!/usr/bin/env python3
"""The answers of the oracle against fractions, number by number, and against NumPy where that is exact."""

import math
import struct
import sys
import unittest
from fractions import Fraction

try:
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-numpy)")
    raise SystemExit(77)

import answers
import exact
from answers import Answers
from generated import philox
from product import Product


def bits(x):
    return "nan" if x != x else struct.pack("<d", x)


def rounded(x):
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def rounded_root(x):
    """From a root with so many digits that no tie is left open."""
    shift = 2200
    floor = math.isqrt((x.numerator << 2 * shift) // x.denominator)
    is_root = floor * floor * x.denominator == x.numerator << 2 * shift
    return rounded(Fraction(2 * floor + (not is_root), 2 << shift))


class OfFinite(unittest.TestCase):
    def arrays(self):
        rng = np.random.default_rng(1)
        with np.errstate(over="ignore", under="ignore"):
            wide = rng.standard_normal(211) * 2.0 ** rng.integers(-1070, 1020, 211)
        yield wide
        yield np.concatenate([wide, -wide, [5e-324]])
        yield rng.integers(-5, 6, 90) * 5e-324
        yield np.array([1.7e308, 1.7e308, -1.7e308])
        yield rng.standard_normal(301).astype("f4")
        for code in ("i1", "u2", "i8", "u8"):
            limits = np.iinfo(code)
            yield rng.integers(limits.min, limits.max, 150, dtype=code, endpoint=True)
            yield np.full(40, limits.min if limits.min else limits.max, code)

    def test_sums_and_what_is_made_of_them(self):
        for array in self.arrays():
            terms = [Fraction(x) for x in array.tolist()]
            n, total, squares = len(terms), sum(terms), sum(x * x for x in terms)
            got = Answers(array.reshape(1, -1))
            is_real = array.dtype.kind == "f"
            for name, wanted in (("sum", total), ("norm1", sum(map(abs, terms)))):
                self.assertEqual(got.of(name)[0], rounded(wanted) if is_real else wanted)
            self.assertEqual(bits(got.mean()[0]), bits(rounded(total / n)))
            self.assertEqual(bits(got.norm2()[0]), bits(rounded_root(squares)))
            for ddof in (d for d in (0, 1, 7) if d < n):
                variance = (squares - total * total / n) / (n - ddof)
                self.assertEqual(bits(got.var(ddof)[0]), bits(rounded(variance)))
                self.assertEqual(bits(got.std(ddof)[0]), bits(rounded_root(variance)))
            self.assertTrue(math.isnan(got.var(n)[0]))

    def test_of_each_row_as_of_it_alone(self):
        for array in self.arrays():
            table = array[:array.size // 5 * 5].reshape(5, -1)
            for name in ("sum", "var", "norm1", "minmax", "argmax", "count_nonzero"):
                alone = [Answers(row.reshape(1, -1)).of(name)[0] for row in table]
                self.assertEqual(Answers(table).of(name), alone)

    def test_dot_products_of_every_two_types(self):
        chosen = [array[:40] for array in self.arrays() if array.size >= 40]
        for x in chosen:
            for y in chosen:
                total = sum(Fraction(a) * Fraction(b) for a, b in zip(x.tolist(), y.tolist()))
                whole = x.dtype.kind in "iu" and y.dtype.kind in "iu"
                self.assertEqual(answers.dot(x, y, "propagate"), total if whole else rounded(total))

    def test_products(self):
        rng = np.random.default_rng(2)
        for array in (np.arange(1.0, 31), rng.uniform(0.5, 2, 400) * rng.choice([-1, 1], 400), 2.0 ** rng.integers(-90, 90, 99),
                      np.full(3000, 1.0000001), rng.standard_normal(3) * 2.0**-350):
            wanted = rounded(math.prod(Fraction(x) for x in array.tolist()))
            self.assertTrue(Product(array).accepts(wanted))
            self.assertFalse(Product(array).accepts(math.nextafter(wanted, math.inf)))


class OfOthers(unittest.TestCase):
    def test_nan_and_infinities(self):
        inf, nan = math.inf, math.nan
        table = np.array([[1.0, nan, 2], [inf, 1, -inf], [inf, nan, 0], [nan, nan, nan], [-0.0, -0.0, -0.0]])
        kept, skipped = Answers(table), Answers(table, "skip")
        for got, wanted in ((kept.sum(), [nan, nan, nan, nan, -0.0]), (skipped.sum(), [3.0, nan, inf, 0.0, -0.0]),
                            (skipped.mean(), [1.5, nan, inf, nan, -0.0]), (skipped.max(), [2.0, inf, inf, nan, -0.0]),
                            (kept.norm2(), [nan, inf, nan, nan, 0.0]), (skipped.var(0), [0.25, nan, nan, nan, 0.0])):
            self.assertEqual([bits(x) for x in got], [bits(x) for x in wanted])
        self.assertEqual(kept.argmax(), [1, 0, 1, 0, 0])
        self.assertEqual(skipped.argmin(), [0, 2, 2, -1, 0])
        self.assertEqual((kept.count_nonzero(), skipped.count_nonzero()), ([3, 3, 2, 3, 0], [2, 3, 1, 0, 0]))
        self.assertEqual(skipped.all(), [True, True, False, True, False])

    def test_signs_of_zeros(self):
        got = Answers(np.array([[0.0, -0.0], [-0.0, -0.0]]))
        self.assertEqual([bits(x) for x in got.min() + got.max() + got.sum()],
                         [bits(x) for x in (-0.0, -0.0, 0.0, -0.0, 0.0, -0.0)])
        self.assertEqual(bits(answers.dot(np.array([-1]), np.array([0.0]), "skip")), bits(-0.0))

    def test_histograms_are_those_of_numpy(self):
        numbers = np.random.default_rng(3).standard_normal((3, 500))
        counts = Answers(numbers).histogram(np.linspace(-1, 2, 8))
        self.assertEqual(counts, [tuple(np.histogram(row, 7, (-1, 2))[0].tolist()) for row in numbers])

    def test_philox_is_that_of_the_paper(self):
        low, high = philox(np.zeros(1, "u8"), 0)
        self.assertEqual((int(low[0]), int(high[0])), (0xE169C58D6627E8D5, 0x9B00DBD8BC57AC4C))

    def test_roots_of_squares_and_next_to_them(self):
        for x in (3, 2**80 + 1):
            self.assertEqual(exact.rounded_root(x * x), float(x))
        self.assertEqual(exact.rounded_root((2**54 + 2) ** 2 + 1), float(2**54 + 4))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[1:]])
