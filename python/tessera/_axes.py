"""Reductions along axes: an array for each operation."""

import os

import numpy as np

from tessera import _core
from tessera._array import Array, path_of_output
from tessera._context import log
from tessera._errors import UsageError
from tessera._inputs import owned_arrays, source_of
from tessera._reduce import Call, Counts, Reduction, axes_of, beside_of, by_groups, edges_of, keys_of, names_of, options_of


def shape_of(x):
    if hasattr(x, "shape") and not isinstance(x, (str, os.PathLike)):
        return tuple(x.shape)
    source, kept = source_of(x)
    shape = tuple(source.info()[1])
    del kept
    return shape


def reduce_axes(x, ops, call, *, axis, keepdims=False, out=None, y=None, by=None, bins=None, groups=None, weights=None, **how):
    """A Reduction of ndarrays; of lazy arrays, if `out` is a path; None on ranks other than 0. With `by`, the
    first axis is that of the groups, whose keys are in key0."""
    try:
        shape = shape_of(x)
        by = keys_of(by, x)
        names = names_of(axis)
        if names and keepdims:
            raise UsageError("keepdims: needs axes by their numbers")
        if by and keepdims:
            raise UsageError("keepdims: groups take the place of the axis; leave keepdims out")
        if keepdims and isinstance(out, (str, os.PathLike)):
            raise UsageError("keepdims: is of arrays in memory; leave it out, or leave out the path")
        axes = names or axes_of(axis, len(shape))
        options = options_of(ops, axis=axes, bins=bins, groups=groups, **how)
        edges = edges_of(bins) if by and bins is not None else None
        source, kept = source_of(x)
        beside, kept_beside = beside_of(x, y, by=by, weights=weights)
    except UsageError as error:
        call.context.refuse(error)
    if isinstance(out, (str, os.PathLike)):
        return _to_file(source, options, call, path_of_output(out), ops, beside)
    if out is not None:
        check_out(out, (kept, kept_beside))
    arrays, counts, _ = _core.reduce_axes(call.context.inside(), source, options, beside, out, call.progress, log)
    del kept, kept_beside
    values = _keys(by, call, edges, groups) if by and out is None else {}
    if not arrays and not call.context.is_root:
        return None
    for name, array, _ in arrays:
        if keepdims and out is None:
            kept_shape = tuple(1 if d in axes else side for d, side in enumerate(shape))
            array = array.reshape(kept_shape + array.shape[len(shape) - len(axes) :])
        values[name] = array
    return Reduction(values, Counts(*counts), {name: np.array(edges) for name, _, edges in arrays if edges})


def _keys(by, call, edges, groups):
    """The columns of the key: the edges of its bins, or those of the groups of the keys themselves. Made by all ranks."""
    if edges is not None:
        return {"key0_from": edges[:-1], "key0_to": edges[1:]}
    table = by_groups(by[0], options_of("count", groups=groups), call, by)
    columns = list((table or {}).values())[:1]
    return dict(zip(["key0"], columns))


def _to_file(source, options, call, path, ops, beside):
    counts, _ = _core.reduce_to_files(call.context.inside(), source, [*options, *call.options_of_output(path)], beside, call.progress, log)
    if not call.context.is_root:
        return None
    names = [one.partition("=")[0].strip() for one in (ops.split(",") if isinstance(ops, str) else ops)]
    if path.lower().endswith(".npy"):
        return Reduction({names[0]: Array("file", path)}, Counts(*counts))
    return Reduction({name: Array.of_dataset(path, name) for name in names if name.isidentifier()}, Counts(*counts))


def along_axes(name, ops, x, run, *, axis, keepdims, out, **how):
    """The only array of one operation."""
    if axis is None:
        if out is not None:
            raise UsageError("out: is for a result along axes")
        axis = tuple(range(len(shape_of(x))))
        if not axis:
            raise UsageError("keepdims: the array has no dimensions")
    result = reduce_axes(x, ops, Call.of(name, run), axis=axis, keepdims=keepdims, out=out, **how)
    return None if result is None else result[ops.partition("=")[0]]


def check_out(out, kept):
    """`kept`: what is kept of the arrays that are read."""
    if not isinstance(out, np.ndarray):
        raise UsageError(f"out: {type(out).__name__} is neither an ndarray nor a path")
    for x in owned_arrays(kept):
        if np.may_share_memory(out, x):
            raise UsageError("out: overlaps an array that is read; give another one")
