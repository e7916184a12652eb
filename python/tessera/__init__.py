"""Exact statistics of arrays of any size, and images of fractals, on all cores, GPUs and MPI ranks.

    import tessera as ts

    ts.mean(x)                                        # an array in memory, exact
    ts.reduce("field.npy", "mean,std,quantile=0.9")   # a file larger than memory
    ts.render("seahorse", size=(800, 600))            # a picture in a notebook

Calls release the GIL, stop at Ctrl-C, and raise UsageError, MissingError, Stopped or Error.
"""

from tessera import _core
from tessera._array import Array, Expr, expr, open
from tessera._context import Context, Device, devices
from tessera._explore import Explorer, explore
from tessera._errors import Error, MissingError, Stopped, UsageError
from tessera._map import map
from tessera._image import Image, open_image, palettes, render, views
from tessera._reduce import Counts, Partial, Reduction, partial, reduce
from tessera._statistics import (
    all, any, argmax, argmin, count_nonzero, dot, histogram, max, mean, median, min, norm, prod, quantile, std, sum,
    topk, var,
)

__version__ = _core.version().split()[0]

__all__ = [
    "Array", "Context", "Counts", "Device", "Error", "Explorer", "Expr", "Image", "MissingError", "Partial", "Reduction", "Stopped",
    "UsageError", "all", "any", "argmax", "argmin", "count_nonzero", "devices", "dot", "explore", "expr", "histogram", "map",
    "max", "mean", "median", "min", "norm", "open", "open_image", "palettes", "partial", "prod", "quantile",
    "reduce", "render", "std", "sum", "topk", "var", "views",
]  # fmt: skip
