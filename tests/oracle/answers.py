"""What `tessera reduce` has to answer, by the tables of docs/reduce.md, for each row of a table of numbers."""

import functools
import math

import numpy as np

import exact
import order_answers
from exact import rounded, rounded_root
from product import Product

OF_NOTHING_AN_ERROR = ("min", "max", "minmax", "argmin", "argmax", "mode")
INTEGERS_ONLY = ("mode", "nunique")


def plain(array):
    """The same numbers as f64, i8 or u8 of this machine."""
    with np.errstate(invalid="ignore"):  # of NaN that signal
        return array.astype({"f": "f8", "i": "i8", "u": "u8", "b": "u8"}[array.dtype.kind])


class Answers:
    """Answers about each row of `table`, under a policy for NaN."""

    def __init__(self, table, nan="propagate"):
        self.x = plain(table)
        self.rows, self.columns = self.x.shape
        self.real = self.x.dtype.kind == "f"
        self.is_nan = np.isnan(self.x) if self.real else np.zeros(self.x.shape, bool)
        self.skip = nan == "skip"
        self.nans = self.is_nan.sum(axis=1).tolist()
        self.counted = [self.columns - (nans if self.skip else 0) for nans in self.nans]
        self.spoilt = [nans > 0 and not self.skip for nans in self.nans]
        self.kept = ~self.is_nan
        if self.real:
            self.finite = np.where(np.isfinite(self.x), self.x, 0.0)
            self.up = ((self.x == np.inf).sum(axis=1)).tolist()
            self.down = ((self.x == -np.inf).sum(axis=1)).tolist()
            negative_zero = (self.x == 0) & np.signbit(self.x)
            self.negative_zeros = (negative_zero.sum(axis=1)).tolist()
            self.unit = -exact.LOWEST
        else:
            self.finite = self.x
            self.up = self.down = self.negative_zeros = [0] * self.rows
            self.unit = 0

    @functools.cached_property
    def totals(self):
        return exact.sums(self.finite)

    @functools.cached_property
    def absolutes(self):
        if self.real:
            return exact.sums(np.abs(self.finite))
        # The least integer has no opposite of its type.
        negative = self.x < 0
        return [a - b for a, b in zip(exact.sums(np.where(negative, 0, self.x)), exact.sums(np.where(negative, self.x, 0)))]

    @functools.cached_property
    def squares(self):
        return exact.sums_of_squares(self.finite)

    def each(self, answer):
        return [answer(row) for row in range(self.rows)]

    def not_finite(self, row):
        return self.spoilt[row] or self.up[row] > 0 or self.down[row] > 0

    def signed_sum(self, row, divisor):
        """The sum, or the mean, where floats are summed."""
        if self.spoilt[row] or (self.up[row] and self.down[row]):
            return math.nan
        if self.up[row] or self.down[row]:
            return math.inf if self.up[row] else -math.inf
        if self.totals[row] == 0:
            alone = self.counted[row] > 0 and self.negative_zeros[row] == self.counted[row]
            return -0.0 if alone else 0.0
        return rounded(self.totals[row], divisor << self.unit)

    def sum(self):
        return self.each(lambda row: self.signed_sum(row, 1)) if self.real else self.totals

    def mean(self):
        return self.each(lambda row: self.signed_sum(row, self.counted[row]) if self.counted[row] else math.nan)

    def variance(self, row, ddof):
        """As a quotient; None where it is NaN."""
        n = self.counted[row]
        if self.not_finite(row) or n <= ddof:
            return None
        above = n * self.squares[row] - self.totals[row] ** 2
        return above, n * (n - ddof) << 2 * self.unit

    def var(self, ddof):
        found = self.each(lambda row: self.variance(row, ddof))
        return [math.nan if v is None else rounded(*v) for v in found]

    def std(self, ddof):
        found = self.each(lambda row: self.variance(row, ddof))
        return [math.nan if v is None else rounded_root(*v) for v in found]

    def deviation_sums(self, row):
        """n, and the sums of the 2nd to 4th powers of n (x - mean), in units of their own; None where the sums are NaN
        or all elements are equal. This is the definition of moments, not the program's sums of powers of x."""
        n = self.counted[row]
        if self.not_finite(row) or n == 0:
            return None
        numbers = exact.integers_of(self.x[row][self.kept[row]])
        total = sum(numbers)
        found = [0] * 3
        for x in numbers:
            deviation = n * x - total
            square = deviation * deviation
            found = [found[0] + square, found[1] + square * deviation, found[2] + square * square]
        return (n, *found) if found[0] else None

    def skewness(self):
        def one(row):
            sums = self.deviation_sums(row)
            if sums is None:
                return math.nan
            n, second, third, _ = sums
            root = rounded_root(n * third ** 2, second ** 3)
            return -root if third < 0 else root

        return self.each(one)

    def kurtosis(self):
        def one(row):
            sums = self.deviation_sums(row)
            return math.nan if sums is None else rounded(sums[0] * sums[3] - 3 * sums[1] ** 2, sums[1] ** 2)

        return self.each(one)

    def special_norm(self, row):
        if self.spoilt[row]:
            return math.nan
        return math.inf if self.up[row] or self.down[row] else None

    def norm1(self):
        if not self.real:
            return self.absolutes

        def one(row):
            special = self.special_norm(row)
            return rounded(self.absolutes[row], 1 << self.unit) if special is None else special

        return self.each(one)

    def norm2(self):
        def one(row):
            special = self.special_norm(row)
            return rounded_root(self.squares[row], 1 << 2 * self.unit) if special is None else special

        return self.each(one)

    def extreme(self, row, take):
        """take(numbers) among those that count; NaN where there is none."""
        if self.spoilt[row] or self.counted[row] == 0:
            return math.nan
        numbers = self.x[row][self.kept[row]]
        found = take(numbers).item()
        if self.real and found == 0:
            # Below +0.0 is -0.0.
            zeros = numbers[numbers == 0]
            some_negative, all_negative = np.signbit(zeros).any(), np.signbit(zeros).all()
            found = -0.0 if (some_negative if take is np.min else all_negative) else 0.0
        return found

    def min(self):
        return self.each(lambda row: self.extreme(row, np.min))

    def max(self):
        return self.each(lambda row: self.extreme(row, np.max))

    def minmax(self):
        return list(zip(self.min(), self.max()))

    def norminf(self):
        def one(row):
            if self.counted[row] == 0:
                return 0.0 if self.real else 0
            least, greatest = self.extreme(row, np.min), self.extreme(row, np.max)
            return least if math.isnan(least) else max(abs(least), abs(greatest))

        return self.each(one)

    def place(self, row, take):
        if self.spoilt[row]:
            return int(np.argmax(self.is_nan[row]))
        if self.counted[row] == 0:
            return -1
        extreme = take(self.x[row][self.kept[row]])
        return int(np.argmax(self.kept[row] & (self.x[row] == extreme)))

    def argmin(self):
        return self.each(lambda row: self.place(row, np.min))

    def argmax(self):
        return self.each(lambda row: self.place(row, np.max))

    @functools.cached_property
    def nonzero(self):
        counts = (self.x != 0) & self.kept if self.skip else self.x != 0
        return counts.sum(axis=1).tolist()

    def count(self):
        return [self.columns - nans for nans in self.nans]

    def count_nonzero(self):
        return self.nonzero

    def any(self):
        return [count > 0 for count in self.nonzero]

    def all(self):
        return [count == n for count, n in zip(self.nonzero, self.counted)]

    def prod(self):
        return self.each(lambda row: Product(self.x[row][self.kept[row] | (not self.skip)].astype("f8")))

    def histogram(self, edges):
        """Counts between `edges`: an element is in the last bin whose lower edge is not above it. Among the smallest
        numbers a lower edge may be above the upper edge of all, which is therefore not searched."""
        x = self.x.astype("f8")
        inside = (x >= edges[0]) & (x <= edges[-1])
        bins = len(edges) - 1
        bin_of = np.searchsorted(edges[:-1], x, side="right") - 1
        key = np.where(inside, exact.row_numbers(x).reshape(x.shape) * bins + bin_of, self.rows * bins)
        counts = np.bincount(key.ravel(), minlength=self.rows * bins + 1)[:-1]
        return [tuple(row) for row in counts.reshape(self.rows, bins).tolist()]

    def histogram_range(self):
        """From the least to the greatest element, of one row; None where that is no range."""
        x = self.x[self.kept].astype("f8")
        if x.size == 0:
            return 0.0, 1.0
        low, high = float(x.min()), float(x.max())
        if not math.isfinite(high - low):
            return None
        return (low - 0.5, high + 0.5) if low == high else (low, high)

    def ordered(self, row):
        """The elements that have a rank, in order; none where a NaN decides the answer."""
        return [] if self.spoilt[row] else order_answers.in_order(self.x[row][self.kept[row]])

    def median(self):
        return self.each(lambda row: order_answers.median(self.ordered(row)) if self.ordered(row) else math.nan)

    def quantile(self, quantiles, method):
        def one(row):
            ordered = self.ordered(row)
            return tuple(order_answers.quantile(ordered, method, q) if ordered else math.nan for q in quantiles)

        return self.each(one)

    def mode(self):
        return self.each(lambda row: order_answers.mode(self.x[row]))

    def nunique(self):
        return self.each(lambda row: len(np.unique(self.x[row])))

    def argtopk(self, k):
        return self.each(lambda row: tuple(order_answers.largest(self.x[row], k, self.skip)))

    def topk(self, k):
        places = self.argtopk(k)
        return self.each(lambda row: tuple(self.x[row][list(places[row])].tolist()))

    def of(self, operation, ddof=0):
        """Of each row: a number, or a tuple of them."""
        if operation in ("var", "std"):
            return getattr(self, operation)(ddof)
        return getattr(self, operation)()


def edges_of(limits, bins):
    """Of a histogram: NumPy's."""
    with np.errstate(over="ignore"):  # next to the greatest f64, before the last one is set
        return np.linspace(*limits, bins + 1)


def is_integer(array):
    return array.dtype.kind != "f"


def dot(x, y, nan):
    """Of two arrays of one dimension: an integer of integers, else rounded once."""
    if is_integer(x) and is_integer(y):
        return exact.dot(plain(x), plain(y))
    with np.errstate(invalid="ignore", over="ignore", under="ignore"):
        a, b = x.astype("f8"), y.astype("f8")
        products = a * b
    is_nan = np.isnan(a) | np.isnan(b)
    usual = np.isfinite(a) & np.isfinite(b)
    # Of a product with an infinity the other factor's sign and zero are all that counts.
    others = products[~usual & ~is_nan] if nan == "skip" else products[~usual]
    if np.isnan(others).any() or ((others == np.inf).any() and (others == -np.inf).any()):
        return math.nan
    if others.size:
        return float(others[0])
    terms = x[usual], y[usual]
    total = exact.dot(*map(plain, terms))
    if total == 0:
        zero = (terms[0] == 0) | (terms[1] == 0)
        negative = np.signbit(a[usual]) != np.signbit(b[usual])
        return -0.0 if zero.size and (zero & negative).all() else 0.0
    return rounded(total, 1 << exact.LOWEST * -(int(not is_integer(x)) + int(not is_integer(y))))
