"""Exact sums of numbers as Python's integers, and rounding them once.

NumPy cuts each number into pieces of 22 bits and adds those of one exponent. No such sum reaches 2^53, so that it is
exact in f64. Python's integers put the sums together. None of this is a method of the program under test.
"""

import math

import numpy as np

PIECE_BITS = 22
PIECE = (1 << PIECE_BITS) - 1
LOWEST = -1074  # exponent of the last bit of the smallest f64
EXPONENTS = 2048


def rounded(numerator, denominator=1):
    """The quotient of two integers as the nearest f64."""
    try:
        return numerator / denominator  # Python's division of integers rounds once
    except OverflowError:
        return math.inf if (numerator > 0) == (denominator > 0) else -math.inf


def rounded_root(numerator, denominator=1):
    """The root of a quotient as the nearest f64: enough bits of it, made odd where it continues."""
    if numerator == 0:
        return 0.0
    shift = max(0, 140 - numerator.bit_length() + denominator.bit_length())
    shift += shift % 2
    quotient, rest = divmod(numerator << shift, denominator)
    root = math.isqrt(quotient)
    sticky = rest != 0 or root * root != quotient
    return rounded(2 * root + sticky, 1 << shift // 2 + 1)


def integers_of(numbers):
    """Finite f64, or integers, as integers with a common unit."""
    if numbers.dtype.kind != "f":
        return [int(x) for x in numbers.tolist()]
    ratios = [x.as_integer_ratio() for x in numbers.tolist()]
    unit = max((below for _, below in ratios), default=1)
    return [above * (unit // below) for above, below in ratios]


def pieces_of(numbers):
    """Signed pieces of finite f64 or of integers, the lowest first, and the exponent of each number (from 0).

    A number is the sum of its pieces[k] << (22 k + exponent), in units of 2^-1074 for f64 and of 1 for integers.
    """
    if numbers.dtype.kind == "f":
        bits = numbers.view("u8")
        field = (bits >> 52 & 0x7FF).astype("i8")
        magnitude = (bits & (1 << 52) - 1) | ((field > 0).astype("u8") << 52)
        negative = bits >> 63 != 0
        exponent = np.maximum(field, 1) - 1
    else:
        negative = numbers < 0
        magnitude = np.where(negative, ~numbers.astype("u8") + np.uint64(1), numbers.astype("u8"))
        exponent = np.zeros(numbers.shape, "i8")
    sign = np.where(negative, -1, 1)
    pieces = [(magnitude >> k * PIECE_BITS & PIECE).astype("i8") * sign for k in range(3)]
    return pieces, exponent


class RowSums:
    """Adds up terms that belong to one of some rows."""

    def __init__(self, rows, row, exponent):
        """Term i is of row[i], and counts in units of 2^exponent[i]."""
        self.totals = [0] * rows
        width = int(exponent.max()) + 1 if exponent.size else 1
        key = row * width + exponent
        if rows * width <= 4 * key.size + 8192:
            self.cells, self.inverse, self.count = None, key, rows * width
        else:
            self.cells, self.inverse = np.unique(key, return_inverse=True)
            self.count = self.cells.size
        self.width = width

    def add(self, terms, shift, exponent_factor=1):
        """terms << (shift + exponent * exponent_factor), for terms below 2^50."""
        low = terms & PIECE
        for part, part_shift in ((low, shift), (terms >> PIECE_BITS, shift + PIECE_BITS)):
            if not part.any():
                continue
            sums = np.bincount(self.inverse, weights=part.astype("f8"), minlength=self.count)
            for i in np.flatnonzero(sums):
                cell = int(i if self.cells is None else self.cells[i])
                row, exponent = divmod(cell, self.width)
                self.totals[row] += int(sums[i]) << (part_shift + exponent * exponent_factor)


def row_numbers(table):
    return np.repeat(np.arange(table.shape[0]), table.shape[1])


def sums(table):
    """Of each row, in units of 2^-1074 for f64, of 1 for integers."""
    pieces, exponent = pieces_of(table.ravel())
    into = RowSums(table.shape[0], row_numbers(table), exponent)
    for k, piece in enumerate(pieces):
        into.add(piece, k * PIECE_BITS)
    return into.totals


def sums_of_squares(table):
    """Of each row, in units of 2^-2148 for f64, of 1 for integers."""
    pieces, exponent = pieces_of(table.ravel())
    into = RowSums(table.shape[0], row_numbers(table), exponent)
    for i in range(3):
        for k in range(i, 3):
            into.add(pieces[i] * pieces[k] * (1 if i == k else 2), (i + k) * PIECE_BITS, 2)
    return into.totals


def dot(x, y):
    """Of two arrays of one dimension, in units of the two together."""
    (x_pieces, x_exponent), (y_pieces, y_exponent) = pieces_of(x), pieces_of(y)
    into = RowSums(1, np.zeros(x.size, "i8"), x_exponent + y_exponent)
    for i in range(3):
        for k in range(3):
            into.add(x_pieces[i] * y_pieces[k], (i + k) * PIECE_BITS)
    return into.totals[0]
