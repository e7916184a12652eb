"""Arrays that the program generates itself, by their definitions in docs/reduce.md and docs/numerics.md."""

import numpy as np

HALF = np.uint64(32)
LOW = np.uint64(0xFFFFFFFF)


def philox(numbers, seed):
    """Blocks of Philox4x32-10 of Salmon et al. with counter (number, 0): two halves of 64 bits."""
    c = [numbers & LOW, numbers >> HALF, np.zeros_like(numbers), np.zeros_like(numbers)]
    k = [seed & 0xFFFFFFFF, seed >> 32]
    for _ in range(10):
        a, b = np.uint64(0xD2511F53) * c[0], np.uint64(0xCD9E8D57) * c[2]
        c = [(b >> HALF) ^ c[1] ^ np.uint64(k[0]), b & LOW, (a >> HALF) ^ c[3] ^ np.uint64(k[1]), a & LOW]
        k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
    return c[1] << HALF | c[0], c[3] << HALF | c[2]


def uniform(count, seed, dtype):
    halves = philox(np.arange((count + 1) // 2, dtype="u8"), seed)
    bits = np.stack(halves, axis=1).ravel()[:count]
    if dtype == "f8":
        return (bits >> np.uint64(11)) * 2.0**-53
    if dtype == "f4":
        return ((bits >> np.uint64(40)) * 2.0**-24).astype("f4")
    width = np.dtype(dtype).itemsize
    return (bits >> np.uint64(64 - 8 * width)).astype(f"u{width}").view(dtype)


def random_uniform(rng, count):
    dtype = str(rng.choice(["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8"]))
    seed = int(rng.choice([0, 1, 2**32, 2**63 - 1, int(rng.integers(2**63))]))
    return f"random:uniform?count={count}&seed={seed}&dtype={dtype}", uniform(count, seed, dtype)


def random_linspace(rng, count):
    ends = [float(x) for x in rng.choice([0.0, -0.0, 1.0, -1.0, 0.1, 1e300, 5e-324, 1e-322, 3.0, float(rng.normal())], 2)]
    dtype = str(rng.choice(["f4", "f8"]))
    with np.errstate(over="ignore", under="ignore"):
        array = np.linspace(*ends, count).astype(dtype)
    return f"linspace:{ends[0]!r},{ends[1]!r}?count={count}&dtype={dtype}", array


def random_generated(rng, count):
    """INPUT and the array that it is."""
    return random_linspace(rng, count) if rng.random() < 0.4 else random_uniform(rng, count)
