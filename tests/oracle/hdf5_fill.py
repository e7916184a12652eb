"""Fill values, and arrays of which large parts are one."""

import numpy as np


def common_value(rng, array):
    """A number that the array has often, as an array without dimensions; any, of an empty one."""
    if array.size == 0:
        return np.zeros((), array.dtype)
    flat = array.ravel()
    some = flat[rng.integers(0, flat.size, 64)]
    bits = some.view(f"u{some.dtype.itemsize}")
    found, counts = np.unique(bits, return_counts=True)
    return found[np.argmax(counts)].reshape(1).view(array.dtype)[0:1].reshape(())


def with_holes(rng, array):
    """The same with one number in place of most others, or in some boxes."""
    if array.size == 0:
        return array
    value = array.flat[rng.integers(array.size)]
    if rng.random() < 0.4:
        holed = np.full_like(array, value)
        for _ in range(int(rng.integers(0, 4))):
            box = random_box(rng, array.shape)
            holed[box] = array[box]
        return holed
    holed = array.copy()
    for _ in range(int(rng.integers(1, 5))):
        holed[random_box(rng, array.shape)] = value
    return holed


def random_box(rng, shape):
    ends = [sorted(map(int, rng.integers(0, side + 1, 2))) for side in shape]
    return tuple(slice(start, end) for start, end in ends)
