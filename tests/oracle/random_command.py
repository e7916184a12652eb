"""Commands at random, of the operations and options that an array allows."""

import math

from command import Command
from group_results import random_keys
from order_answers import METHODS

WHOLE = ("sum", "prod", "mean", "var", "std", "skewness", "kurtosis", "min", "max", "argmin", "argmax", "minmax", "norm1", "norm2", "norminf",
         "count", "count_nonzero", "any", "all", "histogram", "median", "quantile", "topk", "argtopk")
OF_INTEGERS = ("mode", "nunique")
NOT_OF_GROUPS = ("count", "histogram", "median", "quantile", "topk", "argtopk", *OF_INTEGERS)
ALONG_AXES = tuple(name for name in WHOLE if name != "prod")
MOST_BINS_ALONG_AXES = 64


def random_axes(rng, rank):
    """None for the whole array; negative ones are counted from the end."""
    if rank == 0 or rng.random() < 0.5:
        return None
    chosen = rng.choice(rank, int(rng.integers(1, rank + 1)), replace=False)
    return [int(axis) - (rank if rng.random() < 0.3 else 0) for axis in chosen]


def random_operations(rng, array, axes):
    known = WHOLE if axes is None else ALONG_AXES
    if array.dtype.kind != "f":
        known += OF_INTEGERS
    count = len(known) if rng.random() < 0.15 else int(rng.integers(1, 6))
    return [str(name) for name in rng.choice(known, count, replace=False)]


def random_options(rng, setting):
    options = ["--device", setting.device(rng)]
    if rng.random() < 0.6:
        options += ["--threads", str(rng.integers(1, 5))]
    if rng.random() < 0.5:
        options += ["--slice", str(rng.choice(["4K", "4099", "5000", "16K", "64K", "100000", "1M", "3M"]))]
    if rng.random() < 0.2:
        options += ["--memory", str(rng.choice(["300M", "512M", "4G"]))]
    return options


def random_range(rng, array):
    """Between two of its elements, or of about their size."""
    some = [float(x) for x in array.ravel()[rng.integers(0, array.size, 2)]] if array.size else []
    some = [x for x in some if math.isfinite(x)] + [float(rng.normal()), float(rng.normal() * 100)]
    low, high = sorted(some[:2])
    return (low, high) if low < high and math.isfinite(high - low) else (-1.0, 1.0)


def choose_bins(rng, command):
    command.bins = int(rng.choice([1, 2, 7, 10, 64, 1000, int(rng.integers(1, 3000))]))
    if command.axes is not None:
        command.bins = min(command.bins, MOST_BINS_ALONG_AXES)
    if command.axes is not None or rng.random() < 0.5:
        command.range = random_range(rng, command.array)


def choose_order(rng, command):
    """The values of order statistics."""
    extremes = [0.0, 1.0, 0.5, 0.01]
    command.quantiles = [float(rng.choice(extremes)) if rng.random() < 0.4 else float(rng.random())
                         for _ in range(int(rng.integers(1, 5)))]
    command.method = str(rng.choice(METHODS)) if rng.random() < 0.7 else "linear"
    command.topk, command.argtopk = (int(rng.choice([1, 2, 10, 1000, int(rng.integers(1, 300))])) for _ in range(2))


def group(rng, command, operations):
    command.operations, command.keys = operations, random_keys(rng, command.array)
    command.output = str(rng.choice(["o.h5", "o.npy", "o.csv"]))
    return command


def random_command(rng, array, inputs, setting):
    axes = random_axes(rng, array.ndim)
    command = Command(array, inputs, random_operations(rng, array, axes), axes)
    command.nan = str(rng.choice(["propagate", "skip"]))
    command.ddof = int(rng.choice([0, 0, 0, 1, 2, max(0, array.size - 1), array.size, 1 << 40]))
    command.options = random_options(rng, setting)
    command.ranks = setting.ranks(rng)
    command.table = rng.random() < 0.1
    of_groups = [name for name in command.operations if name in ALONG_AXES and name not in NOT_OF_GROUPS]
    if axes is None and of_groups and rng.random() < 0.3:
        return group(rng, command, of_groups)
    if "histogram" in command.operations:
        choose_bins(rng, command)
    choose_order(rng, command)
    if len(command.operations) == 1 and rng.random() < 0.5:
        command.output = "o.npy"
    return command
