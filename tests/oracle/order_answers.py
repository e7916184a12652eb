"""Medians, quantiles, modes and the largest elements, by sorting; docs/numerics-sums.md, "Order statistics"."""

import math

import numpy as np

from exact import rounded

# How position and weight follow from q and n; the others are below.
HYNDMAN_FAN = {"interpolated_inverted_cdf": (0, 1), "hazen": (0.5, 0.5), "weibull": (0, 0),
               "median_unbiased": (1 / 3.0, 1 / 3.0), "normal_unbiased": (3 / 8.0, 3 / 8.0)}
PICK = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")
METHODS = (*HYNDMAN_FAN, *PICK, "averaged_inverted_cdf", "linear", "midpoint")


def in_order(numbers):
    """Sorted, -0.0 before +0.0, as Python's numbers."""
    ordered = np.sort(numbers)
    if ordered.dtype.kind == "f":
        zeros = np.flatnonzero(ordered == 0)
        negative = int(np.signbit(numbers[numbers == 0]).sum())
        ordered[zeros[:negative]], ordered[zeros[negative:]] = -0.0, 0.0
    return ordered.tolist()


def picked_rank(method, q, n):
    linear = (n - 1) * q
    if method == "lower":
        return math.floor(linear)
    if method == "higher":
        return math.ceil(linear)
    if method == "nearest":
        return round(linear)
    if method == "inverted_cdf":
        return math.ceil(n * q - 1)
    position = n * q - 1 - 0.5  # closest_observation: halfway, the element whose number from 1 is even
    lower = math.floor(position)
    return lower if position == lower and lower % 2 else lower + 1


def position_of(method, q, n):
    if method in HYNDMAN_FAN:
        alpha, beta = HYNDMAN_FAN[method]
        return n * q + (alpha + q * (1 - alpha - beta)) - 1
    return n * q - 1 if method == "averaged_inverted_cdf" else (n - 1) * q


def between(a, b, weight):
    """NumPy's interpolation."""
    if weight == 0:
        return float(a)
    low, high = float(a), float(b)
    if low == high and a == b and math.copysign(1, low) == math.copysign(1, high):
        return low
    if math.isinf(low) or math.isinf(high):
        return low + high
    step = float(b - a)
    scale = 1.0
    if math.isinf(step):
        low, high, scale = low / 2, high / 2, 2.0
        step = high - low
    return scale * (low + step * weight if weight < 0.5 else high - step * (1 - weight))


def quantile(ordered, method, q):
    """`ordered` is not empty."""
    n = len(ordered)
    if method in PICK:
        return ordered[min(max(picked_rank(method, q, n), 0), n - 1)]
    position = position_of(method, q, n)
    if position >= n - 1 or position < 0:
        return float(ordered[-1 if position >= n - 1 else 0])
    lower = math.floor(position)
    weight = position - lower
    if method == "averaged_inverted_cdf":
        weight = 1.0 if weight else 0.5
    if method == "midpoint" and weight:
        weight = 0.5
    return between(ordered[lower], ordered[lower + 1], weight)


def median(ordered):
    """The mean of the two in the middle, rounded once."""
    a, b = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    if not isinstance(a, float):
        return rounded(a + b, 2)
    if not (math.isfinite(a) and math.isfinite(b)):
        return a + b
    if a == 0 and b == 0:
        return -0.0 if math.copysign(1, a) < 0 and math.copysign(1, b) < 0 else 0.0
    up, down = a.as_integer_ratio()
    more, less = b.as_integer_ratio()
    if up * less + more * down == 0:
        return 0.0
    return rounded(up * less + more * down, 2 * down * less)


def mode(numbers):
    values, counts = np.unique(numbers, return_counts=True)
    return values[counts.argmax()].item()


def largest(numbers, k, skip):
    """Indices: the largest first, NaN before all others, ties by the lower index."""
    indices = np.arange(len(numbers))
    if numbers.dtype.kind == "f":
        is_nan = np.isnan(numbers)
        rank = np.where(is_nan, np.inf, numbers)
        order = np.lexsort((indices, -rank, ~is_nan))
        return (order[~is_nan[order]] if skip else order)[:k].tolist()
    order = np.lexsort((indices, ~numbers if numbers.dtype.kind == "u" else -1 - numbers))
    return order[:k].tolist()
