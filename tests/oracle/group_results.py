"""Whether the table that comes of a command with --by is right: its keys, and each group of it."""

import csv
import os

import h5py
import numpy as np

from answers import Answers
from difference import Difference

TWO = {"minmax": ("minmax_min", "minmax_max")}


def random_keys(rng, array):
    """Of few groups or many, dense or not; of any type of integers, in any layout."""
    dtype = str(rng.choice(["i1", ">i2", "i4", "i8", "u1", "u2", ">u4", "u8"]))
    limits = np.iinfo(dtype)
    some = rng.integers(limits.min, limits.max, int(rng.integers(1, 30)), dtype=np.dtype(dtype).newbyteorder("="),
                        endpoint=True)
    if rng.random() < 0.5:
        some = np.arange(len(some)) + int(rng.integers(0, 50))
    shape = [1 if rng.random() < 0.1 else side for side in array.shape]
    keys = rng.choice(some, shape).astype(dtype) if rng.random() < 0.9 else rng.random(shape) < 0.4
    # Of a scalar, asfortranarray() makes an array of one dimension.
    return np.asfortranarray(keys) if rng.random() < 0.2 and keys.ndim > 0 else keys


def groups_of(keys):
    """Each key, and the indices of its elements, sorted by key."""
    keys = np.ravel(keys)
    order = np.argsort(keys, kind="stable")
    found, first = np.unique(keys[order], return_index=True)
    return list(zip(found.tolist(), np.split(order, first[1:])))


def read_table(path):
    if path.endswith(".h5"):
        with h5py.File(path) as file:
            return {name: data[()].tolist() for name, data in file.items()}
    if path.endswith(".npy"):
        table = np.load(path)
        return {name: table[name].tolist() for name in table.dtype.names}
    with open(path, newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {name: [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}


def as_read(text, like):
    """A cell of a text as the number that it should be."""
    if not isinstance(text, str):
        return type(like)(text) if isinstance(text, bool) and isinstance(like, int) else text
    return text == "true" if isinstance(like, bool) else type(like)(text)


def too_large(row, name, command):
    """Whether an integer does not fit into the type of its column."""
    if command.array.dtype.kind == "f" or name not in ("sum", "norm1"):
        return False
    limits = np.iinfo("i8" if name == "sum" and command.array.dtype.kind == "i" else "u8")
    return not limits.min <= row.of(name, command.ddof)[0] <= limits.max


def check(command, done):
    groups = groups_of(np.broadcast_to(command.keys, command.array.shape))
    flat = command.array.reshape(-1)
    rows = [Answers(flat[indices].reshape(1, -1), command.nan) for _, indices in groups]
    if any(too_large(row, name, command) for row in rows for name in command.operations):
        return command.refused(done, 4, "does not fit")
    report = command.report_of(done)
    table = read_table(command.output)
    os.remove(command.output)
    if report["groups"]["count"] != len(groups):
        raise Difference(f"{report['groups']['count']} groups, not {len(groups)}")
    wanted = {"k": [int(key) for key, _ in groups], "count": [len(indices) for _, indices in groups]}
    for name in command.operations:
        values = [row.of(name, command.ddof)[0] for row in rows]
        if name in ("argmin", "argmax"):
            values = [int(indices[value]) if value >= 0 else value for value, (_, indices) in zip(values, groups)]
        columns = zip(*values) if name in TWO and values else [values] * len(TWO.get(name, (name,)))
        wanted.update({column: list(some) for column, some in zip(TWO.get(name, (name,)), columns)})
    if set(table) != set(wanted):
        raise Difference(f"columns {sorted(table)}, not {sorted(wanted)}")
    for name, column in wanted.items():
        ours = [as_read(cell, like) for cell, like in zip(table[name], column)]
        command.compare(f"column {name}", ours if len(table[name]) == len(column) else table[name], column)
