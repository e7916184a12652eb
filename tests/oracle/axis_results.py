"""Whether the array that comes of a command with --axis is right: each output of it, and its type and shape."""

import math
import os

import h5py
import numpy as np

import answers
from answers import Answers
from difference import Difference

FLOATING = ("mean", "var", "std", "skewness", "kurtosis", "norm2", "median")
PICKED = ("inverted_cdf", "closest_observation", "lower", "higher", "nearest")


def rows_of(command):
    """Shape of the result, and the elements of each output in C order."""
    reduced = sorted(axis % command.array.ndim for axis in command.axes)
    kept = [d for d in range(command.array.ndim) if d not in reduced]
    moved = np.transpose(command.array, kept + reduced)
    outputs = math.prod(moved.shape[:len(kept)])
    return moved.shape[:len(kept)], moved.reshape(outputs, math.prod(moved.shape[len(kept):]))


def result_type(command, name):
    kind = command.array.dtype.kind
    own = {"f2": "f4"}.get(command.array.dtype.str[1:], command.array.dtype.str[1:])
    if name in FLOATING:
        return "f8"
    if name == "sum":
        return {"f": "f8", "i": "i8"}.get(kind, "u8")
    if name in ("norm1", "norminf"):
        return "f8" if kind == "f" else "u8"
    if name in ("min", "max", "minmax", "mode", "topk"):
        return own
    if name == "quantile":
        return own if command.method in PICKED else "f8"
    return "b1" if name in ("any", "all") else "i8"


def check(command, done):
    shape, table = rows_of(command)
    rows = Answers(table, command.nan)
    if table.shape[1] == 0 and table.shape[0] and set(command.operations) & set(answers.OF_NOTHING_AN_ERROR):
        return command.refused(done, 2, "empty")
    most = max([getattr(command, name) for name in command.operations if name in ("topk", "argtopk")], default=0)
    if most > table.shape[1]:
        return command.refused(done, 2, "an output has only")
    if table.shape[1] == 0 and table.shape[0] and "quantile" in command.operations and result_type(command, "quantile") != "f8":
        return command.refused(done, 2, "empty")
    expected = {name: wanted(command, rows, name) for name in command.operations}
    found = misfits(command, expected, shape)
    if found:
        command.refused(done, 4, "which")
        if not any(f"{text}, which" in done.stderr for text in found):
            raise Difference(f"{done.stderr.strip()!r}, but does not fit: {sorted(found)[:5]}")
        return None
    report = command.report_of(done)
    command.check_array(report, sum(rows.nans), sum(rows.up), sum(rows.down))
    for name, results in read_output(command).items():
        check_output(command, name, results, expected[name], shape)
    return None


def wanted(command, rows, name):
    if name == "histogram":
        return rows.histogram(answers.edges_of(command.range, command.bins))
    if name == "quantile":
        return rows.quantile(command.quantiles, command.method)
    if name in ("topk", "argtopk"):
        k, missing = getattr(command, name), math.nan if name == "topk" else -1
        return [row + (missing,) * (k - len(row)) for row in getattr(rows, name)(k)]
    return rows.of(name, command.ddof)


def misfits(command, wanted, shape):
    """Integers that the type of their result does not hold, as a message names them."""
    found = set()
    for name in {"sum", "norm1", "norminf"} & set(wanted):
        code = result_type(command, name)
        if code == "f8":
            continue
        limits = np.iinfo(code)
        for i, value in enumerate(wanted[name]):
            if not limits.min <= value <= limits.max:
                place = ", ".join(map(str, np.unravel_index(i, shape))) if shape else ""
                found.add(f"{name} at [{place}] is {value}")
    return found


def read_output(command):
    path = command.output
    if os.path.exists(path + ".part"):
        raise Difference(f"{path}.part is left")
    if path.endswith(".npy"):
        return {command.operations[0]: np.load(path)}
    with h5py.File(path, "r") as file:
        return {name: file[name][()] for name in command.operations}


def check_output(command, name, results, wanted, shape):
    quantiles = (len(command.quantiles),) if len(command.quantiles) > 1 else ()
    last = {"minmax": (2,), "histogram": (command.bins,), "quantile": quantiles, "topk": (command.topk,),
            "argtopk": (command.argtopk,)}.get(name, ())
    if results.shape != tuple(shape) + last or results.dtype.str[1:] != result_type(command, name):
        raise Difference(f"{name}: {results.dtype} {results.shape}, not {result_type(command, name)} {tuple(shape) + last}")
    right = np.array(wanted, dtype=result_type(command, name)).reshape(results.shape)
    differs = results.view(f"u{results.dtype.itemsize}") != right.view(f"u{results.dtype.itemsize}")
    if results.dtype.kind == "f":
        differs &= ~(np.isnan(results) & np.isnan(right))
    if differs.any():
        place = tuple(int(k) for k in np.argwhere(np.atleast_1d(differs))[0])[:results.ndim]
        raise Difference(f"{name}{list(place)} of {results.shape} along {command.axes}: {results[place]!r}, not "
                         f"{right[place]!r} ({int(differs.sum())} differ)")
