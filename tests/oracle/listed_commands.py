"""What most cases with a name ask about their array."""

import numpy as np

from command import Command

SUMS = ["sum", "mean", "norm1", "var", "std", "norm2", "minmax"]
DEVICES = ("cpu", "reference")


def commands(array, inputs, operations=SUMS, **more):
    for device in DEVICES:
        yield Command(array, inputs, list(operations), options=["--device", device], **more)


def save(array):
    np.save("a.npy", array)
    return ["a.npy"]
