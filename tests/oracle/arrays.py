"""Arrays at random: values of every kind, at the edges of their type, in numbers around the thresholds of the code."""

import math

import numpy as np

TYPES = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "b1")
FLOAT_BITS = {"f2": "u2", "f4": "u4", "f8": "u8"}

# Elements: blocks, stretches, tables and windows of the kernels (src/device/cpu), and tables of chunks (src/store).
ELEMENTS = (16, 32, 64, 192, 256, 512, 960, 1024, 1920, 2048, 3840, 4096, 8192, 16384, 32768, 65536, 131072)
# Bytes: slices, pieces, blocks and what is fetched of chunks at once.
BYTES = (4096, 12288, 16384, 65536, 262144, 1048576)
# Outputs and lengths along axes: strips, rows, tiles and stretches of the kernels, and how wide a narrow array is.
SIDES = (2, 4, 8, 15, 16, 32, 64, 128, 255, 256, 512, 1024, 2048, 4096, 8192)
MOST_ELEMENTS = 300_000
# Beyond what is looked at at once where it lies in the page cache.
MOST_BYTES = 9 << 20


def count_of(rng, dtype):
    """How many elements; about half of all arrays are small."""
    kind = rng.random()
    if kind < 0.08:
        return int(rng.integers(0, 5))
    if kind < 0.65:
        return int(2 ** rng.uniform(0, 12.3))
    if kind < 0.95:
        size = np.dtype(dtype).itemsize
        limits = ELEMENTS + tuple(limit // size for limit in BYTES)
        return min(MOST_ELEMENTS, max(0, int(rng.choice(limits)) * int(rng.choice([1, 1, 1, 2])) + int(rng.integers(-1, 2))))
    if kind < 0.99:
        return int(rng.integers(5000, MOST_ELEMENTS))
    return int(rng.integers(MOST_ELEMENTS, MOST_BYTES // np.dtype(dtype).itemsize))


def shape_of(rng, count):
    """One to four sides, of about so many elements; exactly so many of one, and of most."""
    rank = int(rng.choice([0, 1, 2, 3, 4], p=[0.02, 0.33, 0.35, 0.2, 0.1]))
    if rank == 0:
        return ()
    if count == 0:
        shape = [int(side) for side in rng.integers(1, 6, rank)]
        shape[rng.integers(rank)] = 0
        return tuple(shape)
    shape, left = [], count
    if rank > 1 and rng.random() < 0.4:
        side = max(1, int(rng.choice(SIDES)) + int(rng.integers(-1, 2)))
        if side <= 4 * count:
            shape, left, rank = [side], max(1, round(count / side)), rank - 1
    for _ in range(rank - 1):
        side = max(1, int(left ** rng.uniform(0, 1)))
        while rng.random() < 0.7 and left % side:
            side -= 1
        shape.append(side)
        left = max(1, left // side)
    shape.append(left)
    return tuple(int(side) for side in rng.permutation(shape))


def integers(rng, dtype, count):
    limits = np.iinfo(dtype)
    whole = rng.integers(limits.min, limits.max, count, dtype=dtype, endpoint=True)
    edges = np.array([limits.min, limits.min + 1, limits.max, limits.max - 1, 0, 1, limits.max // 2 + 1], dtype)
    style = rng.integers(0, 8)
    if style == 0:
        return np.full(count, rng.choice(edges), dtype)
    if style == 1:
        return rng.choice(edges, count)
    if style == 2:
        return rng.integers(max(limits.min, -5), 6, count).astype(dtype)
    if style == 3:  # an instrument's
        level = limits.max // 3 * 2
        return np.clip(rng.normal(level, max(1, level // 100), count), limits.min, limits.max // 8 * 7).astype(dtype)
    if style == 4:
        return np.where(rng.random(count) < 0.01, whole, np.zeros(1, dtype))
    if style == 5:
        return (np.arange(count) % 251 - (125 if limits.min < 0 else 0)).astype(dtype)
    return whole


def spread(rng, dtype, count):
    binades = int(rng.choice([3, 20, 40, 100, 300, 1060] if dtype == "f8" else [3, 8, 20, 40, 140]))
    return rng.standard_normal(count) * 2.0 ** rng.integers(-binades, min(binades, 1000), count)


def cancelling(rng, dtype, count):
    half = spread(rng, dtype, count // 2).astype(dtype)
    x = np.concatenate([half, -half, np.ones(count - 2 * half.size, dtype)])
    return x[rng.permutation(count)]


def float_edges(dtype):
    limits = np.finfo(dtype)
    magnitudes = [0.0, 1.0, limits.max, limits.tiny, limits.smallest_subnormal, limits.eps, 1 + limits.eps, 0.1]
    return np.array(magnitudes + [-x for x in magnitudes]).astype(dtype)


def floats(rng, dtype, count):
    style = rng.integers(0, 12)
    if style == 0:
        return rng.integers(0, 2 ** (8 * np.dtype(dtype).itemsize) - 1, count, FLOAT_BITS[dtype], True).view(dtype)
    if style == 1:
        return rng.choice(float_edges(dtype), count)
    if style == 2:
        return np.full(count, rng.choice(float_edges(dtype)), dtype)
    if style == 3:
        return cancelling(rng, dtype, count)
    if style in (4, 5):
        return spread(rng, dtype, count)
    if style == 6:
        return np.where(rng.random(count) < 0.002, 9.97e36, rng.standard_normal(count))
    if style == 7:
        return rng.integers(-5, 6, count)
    if style == 8:
        return rng.integers(-(2**20), 2**20, count) * float(np.finfo(dtype).smallest_subnormal)
    if style == 9:
        return rng.normal(1e4, 1, count)
    if style == 10:
        return np.where(np.arange(count) // 700 % 2, 2.0**-12, 2.0**10) * rng.uniform(1, 2, count)
    return rng.standard_normal(count)


def special(rng, x):
    """With NaN and infinities in some places."""
    kinds = [k for k in (math.nan, math.inf, -math.inf) if rng.random() < 0.6]
    if not kinds or x.size == 0:
        return x
    share = rng.choice([0, 0.001, 0.05, 0.9, 1])
    chosen = rng.random(x.size) < share
    chosen[rng.integers(x.size)] = True
    x[chosen] = rng.choice(kinds, int(chosen.sum()))
    return x


def numbers(rng, dtype, count):
    """`count` numbers of that type, in this machine's byte order."""
    if dtype == "b1":
        return rng.random(count) < rng.choice([0, 0.01, 0.5, 1])
    if dtype[0] in "iu":
        return integers(rng, dtype, count)
    with np.errstate(over="ignore", under="ignore"):
        x = floats(rng, dtype, count).astype(dtype)
    return special(rng, x.copy()) if rng.random() < 0.2 else x


def array(rng):
    """An array at random."""
    dtype = str(rng.choice(TYPES))
    shape = shape_of(rng, count_of(rng, dtype))
    return numbers(rng, dtype, math.prod(shape)).reshape(shape)
