"""Files at random that hold a given array: .npy, raw, HDF5, and several of them as one array."""

import numpy as np

from hdf5_files import write_hdf5


def either_order(rng, array):
    """In either byte order, where the type has one."""
    return array.astype(array.dtype.newbyteorder(">")) if rng.random() < 0.3 else array


def write_npy(rng, array, name):
    stored = either_order(rng, array)
    if rng.random() < 0.4:
        stored = np.array(stored, order="F")
    version = (1, 0) if rng.random() < 0.7 else tuple(rng.choice([(2, 0), (3, 0)]))
    with open(f"{name}.npy", "wb") as file:
        np.lib.format.write_array(file, stored, tuple(map(int, version)))
    return f"{name}.npy"


def write_raw(rng, array, name):
    """Raw files have no scalars."""
    if array.ndim == 0:
        return write_npy(rng, array, name)
    offset = int(rng.choice([0, 0, 1, 4, 64, 4096, int(rng.integers(0, 9000))]))
    stored = either_order(rng, array)
    with open(f"{name}.raw", "wb") as file:
        file.write(rng.bytes(offset) + stored.tobytes() + rng.bytes(int(rng.choice([0, 0, 3, 100]))))
    big = stored.dtype.byteorder == ">"
    mark = ">" if big else str(rng.choice(["", "<"]))
    sides = str(rng.choice(["x", ","])).join(map(str, array.shape))
    end = f"&offset={offset}" if offset or rng.random() < 0.3 else ""
    return f"{name}.raw?dtype={mark}{array.dtype.str[1:]}&shape={sides}{end}"


def with_any_bytes(rng, bools):
    """The same bools, of which those that are true have any byte but 0."""
    return np.where(bools, rng.integers(1, 256, bools.shape), 0).astype("u1").view(bool)


def write_one(rng, array, name):
    if array.dtype.kind == "b" and rng.random() < 0.4:
        array = with_any_bytes(rng, array)
    return (write_npy, write_raw, write_hdf5, write_hdf5, write_hdf5)[rng.integers(5)](rng, array, name)


def write_joined(rng, array, name):
    """As several files, one behind the other along the first dimension."""
    cuts = np.sort(rng.integers(0, array.shape[0] + 1, int(rng.integers(1, 4))))
    parts = np.split(array, cuts)
    if rng.random() < 0.3:
        for i, part in enumerate(parts):
            np.save(f"{name}-{i:02}.npy", np.asfortranarray(part) if rng.random() < 0.3 else part)
        return [f"{name}-*.npy"]
    return [write_one(rng, part, f"{name}-{i}") for i, part in enumerate(parts)]


def write_files(rng, array, name, joined=True):
    """In this folder; the INPUTs that say where the array is."""
    if joined and array.ndim > 0 and rng.random() < 0.15:
        return write_joined(rng, array, name)
    return [write_one(rng, array, name)]
