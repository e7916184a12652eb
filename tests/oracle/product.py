"""Products of all elements, as docs/reduce.md defines them: a number, or two within which the answer lies."""

import math

import numpy as np

from exact import rounded

KEPT_BITS = 400


def cut(magnitude, exponent):
    """magnitude * 2^exponent without the bits that matter to nobody."""
    drop = max(0, magnitude.bit_length() - KEPT_BITS)
    return magnitude >> drop, exponent + drop


def power(base, count):
    """base^count as (magnitude, exponent)."""
    result, factor = (1, 0), (base, 0)
    while count:
        if count & 1:
            result = cut(result[0] * factor[0], result[1] + factor[1])
        factor = cut(factor[0] * factor[0], 2 * factor[1])
        count >>= 1
    return result


def magnitude_of(x):
    """Product of finite numbers that are not 0, without signs, as (magnitude, exponent).

    The magnitude is odd and exact up to KEPT_BITS, more than the 128 up to which products are rounded once."""
    significands, exponents = np.frexp(np.abs(x))
    integers = np.ldexp(significands, 53).astype("i8")
    trailing = np.log2((integers & -integers).astype("f8")).astype("i8")
    odd, counts = np.unique(integers >> trailing, return_counts=True)
    exponent = int(exponents.astype("i8").sum()) - 53 * x.size + int(trailing.sum())
    magnitude = 1
    for factor, count in zip(odd.tolist(), counts.tolist()):
        more, shift = power(factor, count)
        magnitude, exponent = cut(magnitude * more, exponent + shift)
    return magnitude, exponent


def as_f64(magnitude, exponent):
    """Rounded once; exponents that are out of every range stay out of it."""
    top = exponent + magnitude.bit_length()
    if top > 1100:
        return math.inf
    if top < -1200:
        return 0.0
    return rounded(magnitude << max(0, exponent), 1 << max(0, -exponent))


class Product:
    """The numbers that are right for the product of `x`, which are f64."""

    def __init__(self, x):
        self.low = self.high = self.special(x)
        if self.low is not None:
            return
        magnitude, exponent = magnitude_of(x)
        negative = np.signbit(x).sum() % 2 == 1
        odd_bits = magnitude.bit_length()
        low = high = (magnitude, exponent)
        top = exponent + odd_bits
        if odd_bits > 128 and -1200 < top < 1100:
            # n * 2^-50 units in the last place, of which one is 2^-52 of the number or, of small ones, 2^-1074.
            shift = 160
            scaled, exponent = magnitude << shift, exponent - shift
            unit = max(magnitude.bit_length() + shift - 53, -1074 - exponent)
            error = x.size << unit - 50 if unit >= 50 else x.size
            low, high = (max(0, scaled - error), exponent), (scaled + error, exponent)
        self.low, self.high = as_f64(*low), as_f64(*high)
        if negative:
            self.low, self.high = -self.high, -self.low

    @staticmethod
    def special(x):
        if np.isnan(x).any() or (np.isinf(x).any() and (x == 0).any()):
            return math.nan
        sign = -1.0 if np.signbit(x).sum() % 2 else 1.0
        if np.isinf(x).any():
            return sign * math.inf
        if (x == 0).any():
            return sign * 0.0
        return 1.0 if x.size == 0 else None

    def nearest(self):
        """The only number that is right, of which there is one but for very long products."""
        assert self.low == self.high or math.isnan(self.low), self
        return self.low

    def accepts(self, answer):
        if math.isnan(self.low):
            return math.isnan(answer)
        same_sign = math.copysign(1, answer) == math.copysign(1, self.low)
        return self.low <= answer <= self.high and same_sign

    def __repr__(self):
        return repr(self.low) if self.low == self.high or math.isnan(self.low) else f"{self.low!r} to {self.high!r}"
