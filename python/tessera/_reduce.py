"""Reductions: several statistics in as few passes as possible."""

import os
import zlib
from collections import namedtuple
from collections.abc import Mapping

import numpy as np

from tessera import _core
from tessera._context import context_of, log, progress_of
from tessera._errors import UsageError, integer_of
from tessera._inputs import aligned, source_of, whole_array

_SMALL = 2**20  # bytes that are reduced on the calling thread


class Counts(namedtuple("Counts", "elements nans positive_infinities negative_infinities missing")):
    """How many elements were reduced, and how many more are missing by the attributes of the file."""

    __slots__ = ()


class Reduction(Mapping):
    """Results by the names of the operations.

    A float, an int of any size or a bool of a whole array; an ndarray along axes, of bins, of several quantiles
    and of the largest; a column of an ndarray by groups.
    """

    def __init__(self, values, counts=None, edges=None):
        self._values = values
        self.counts = counts
        self.edges = edges or {}  #: edges of bins, by operation

    def __getitem__(self, name):
        return self._values[name]

    def __iter__(self):
        return iter(self._values)

    def __len__(self):
        return len(self._values)

    def __repr__(self):
        return f"Reduction({self._values!r})"

    def to_pandas(self):
        """A pandas.DataFrame of groups, a pandas.Series otherwise."""
        import pandas

        columns = all(isinstance(value, np.ndarray) and value.ndim == 1 for value in self._values.values())
        lengths = {len(value) for value in self._values.values()} if columns else ()
        if len(lengths) == 1:
            return pandas.DataFrame(self._values)
        return pandas.Series(self._values, dtype=object)


def _ops_text(ops):
    if isinstance(ops, str):
        return ops
    try:
        return ",".join(ops)
    except TypeError:
        raise UsageError(f"ops: {ops!r} is neither a text such as 'mean,std' nor a list of names") from None


def _names_text(names, what):
    text = names if isinstance(names, str) else ",".join(map(str, names))
    if not text:
        raise UsageError(f"{what}: names nothing")
    return text


def names_of(axis):
    """The text of axes that are names, else None."""
    if isinstance(axis, str):
        return axis
    try:
        names = list(axis)
    except TypeError:
        return None
    return ",".join(names) if names and all(isinstance(one, str) for one in names) else None


def axes_of(axis, dimensions):
    """The axes as a tuple of numbers from 0 on."""
    try:
        axes = [integer_of(one, "axis") for one in (axis if np.iterable(axis) else [axis])]
    except UsageError:
        raise UsageError(f"axis: {axis!r} is neither an integer nor a tuple of them") from None
    for one in axes:
        if not -dimensions <= one < dimensions:
            raise UsageError(f"axis: {one} is none of an array of {dimensions} dimensions")
    axes = tuple(one % dimensions for one in axes)
    if len(set(axes)) < len(axes) or not axes:
        raise UsageError(f"axis: {axis!r} names {'an axis twice' if axes else 'no axis'}")
    return axes


def _is_range(bins):
    return isinstance(bins, tuple) and len(bins) == 3 and hasattr(bins[2], "__index__")


def edges_of(bins):
    """The edges of the bins of a key, as an f8 array."""
    return np.array(_core.edges_of_bins(_bins_text(bins)))


def _bins_text(bins):
    if isinstance(bins, str):
        return bins
    try:
        if _is_range(bins):
            return ",".join(map(repr, (float(bins[0]), float(bins[1]), bins[2].__index__())))
        edges = np.asarray(bins, dtype="f8")
    except (TypeError, ValueError) as error:
        raise UsageError(f"bins: {error}; give (low, high, number) or edges") from error
    if edges.ndim != 1 or edges.size < 2:
        raise UsageError("bins: give (low, high, number), a tuple, or at least two edges")
    return "edges=" + ",".join(repr(float(edge)) for edge in edges)


def _whole(value, name):
    """The int of a whole number, which may be a float."""
    try:
        if int(value) == value:
            return int(value)
    except (TypeError, ValueError, OverflowError):
        pass
    raise UsageError(f"{name}: {value!r} is no integer")


def options_of(ops, *, axis=None, skipna=False, ddof=0, method=None, bins=None, groups=None, dims=None, state=None,
               append=False):
    options = [("op", _ops_text(ops))]
    if axis is not None:
        options.append(("axis", axis if isinstance(axis, str) else ",".join(map(str, axis))))
    if dims is not None:
        options.append(("dims", _names_text(dims, "dims")))
    if state is not None:
        options.append(("state", os.fspath(state)))
    if append:
        if state is None:
            raise UsageError("append: adds to the state of a file; give state")
        options.append(("append", "true"))
    if skipna:
        options.append(("nan", "skip"))
    ddof = _whole(ddof, "ddof")
    if ddof:
        options.append(("ddof", str(ddof)))
    if method is not None:
        options.append(("quantile-method", str(method)))
    if bins is not None:
        options.append(("bins", _bins_text(bins)))
    if groups is not None:
        options.append(("groups", str(groups)))
    return options


_RUN = ("context", "progress", "threads", "device", "overwrite")


class Call:
    """How a call is made: arguments that all functions take."""

    __slots__ = ("context", "progress", "overwrite")

    def __init__(self, context, progress, overwrite):
        self.context = context
        self.progress = progress
        self.overwrite = overwrite

    @classmethod
    def of(cls, function, run):
        """Of the arguments of a function that its signature does not name."""
        for name in run:
            if name not in _RUN:
                raise TypeError(f"{function}: takes no {name}")
        return cls.made(**run)

    @classmethod
    def made(cls, context=None, progress=None, threads=None, device=None, overwrite=False):
        if threads is not None or device is not None:
            if context is not None:
                raise UsageError("context: has threads and device itself")
            from tessera._context import Context

            context = Context(threads=threads or 0, device=device or "auto")
        return cls(context_of(context), progress_of(progress), overwrite)

    def options_of_output(self, path):
        return [("output", path), *([("overwrite", "true")] if self.overwrite else [])]

    def is_short(self, x):
        """Whether nobody needs to watch: an array of this process that is reduced on the calling thread."""
        return type(x) is np.ndarray and x.nbytes <= _SMALL and self.progress is None and not self.context.is_shared


_NOTHING = _core.Beside()


def beside_of(x, y=None, by=(), weights=None):
    """The arrays beside x, and what must be kept as long as they are used."""
    if y is None and weights is None and not by:
        return _NOTHING, None
    names = []
    if isinstance(weights, dict):
        if len(weights) != 1:
            raise UsageError("weights: one array, as {'lat': w} or {'lat,lon': w}")
        ((dims, weights),) = weights.items()
        names = _names_text(dims, "weights").split(",")
    second = source_of(aligned(y, x, "the second array"), "the second array") if y is not None else (None, None)
    weighing = source_of(aligned(weights, x, "weights"), "weights") if weights is not None else (None, None)
    keys = [source_of(key, f"by[{i}]") for i, key in enumerate(by)]
    return _core.Beside(second[0], [key[0] for key in keys], weighing[0], names), (second, weighing, keys)


def reduced(x, options, call, *, y=None, weights=None):
    """The operations of the core, the counts, and the report."""
    try:
        source, kept = source_of(x)
        beside, kept_beside = beside_of(x, y, weights=weights)
    except UsageError as error:
        call.context.refuse(error)
    here = call.is_short(x) and beside is _NOTHING
    result = _core.reduce(call.context.inside(), source, options, beside, call.progress, log, here)
    del kept, kept_beside
    return result


def list_of(name, values, x=None):
    """The ndarray of an operation with several values. If there is none, it has the type of x, as far as that is given."""
    if values or (x is None and name != "argtopk"):
        return whole_array(values, name)
    return np.empty(0, np.intp if name == "argtopk" else source_of(x)[0].info()[0])


def _value_of(name, values, x):
    return values[0] if len(values) == 1 and name not in _LISTS else list_of(name, values, x)


_LISTS = frozenset(("histogram", "topk", "argtopk", "quantile", "minmax"))


def reduction_of(result, x=None):
    operations, counts, _ = result
    values = {name: _value_of(name, values, x) for name, values, _ in operations}
    edges = {name: np.array(edges) for name, _, edges in operations if edges}
    return Reduction(values, Counts(*counts), edges)


def reduce(x, ops, /, *, axis=None, by=None, bins=None, groups=None, y=None, weights=None, dims=None, skipna=False, ddof=0,
           method=None, keepdims=False, out=None, state=None, append=False, **run):
    """Several statistics of an array, in as few passes as possible.

    x         an array, a path or a pattern, a dataset of h5py, an expr()
    ops       names, as "mean,std,minmax,quantile=0.5,0.9" or a list: sum prod mean var std skewness kurtosis min
              max argmin argmax minmax norm1 norm2 norminf count count_nonzero any all dot cov corr
              histogram=BINS,LO,HI median quantile=Q,... mode nunique topk=K argtopk=K
    axis      an axis or a tuple, numbers or names of dimensions: an array for each operation, over the others; None:
              of all elements
    keepdims  the axes stay, with one element each
    by        keys of groups, an array in the shape of x or a list of them: a column for each operation. With one axis,
              keys along it: the groups, whose keys are key0, are the first axis of the results
    bins      of a key: a tuple (low, high, number), or edges, a list or an array; a text as of --bins
    groups    the keys are 0 to groups - 1
    y         the second array of dot, cov and corr
    weights   of the elements, for sum, mean, var, std, median, quantile and count: an array in the shape of x or of
              its last dimensions, a path, or {"lat": w} for one along dimensions with names
    dims      names of x's dimensions, where its file has none: "lat,lon" or a list
    skipna    as if NaN were not there
    ddof, method   of var and std, of quantile
    out       an ndarray for the only array, or a path for all: FILE.npy, FILE.h5, FILE.zarr; of groups also .csv and .json.
              A file that is there is an error without overwrite=True, unless the same call has made it, from files only
    state     a file that keeps the exact state of the answers; with append=True, x is added to the arrays that it has,
              and the results are those of all of them. An array of a file that would count twice is refused; one
              in memory is added each time

    >>> reduce([3, 1, 2], "sum,min,mean")
    Reduction({'sum': 6, 'min': 1, 'mean': 2.0})
    >>> reduce([[3, 1], [2, 5]], "sum", axis=0)["sum"]
    array([5, 6])
    >>> dict(reduce([3.0, 1.0, 2.0], "sum", by=[7, 7, 9]))
    {'key0': array([7, 9]), 'count': array([2, 1]), 'sum': array([4., 2.])}
    >>> dict(reduce([[3.0, 1.0], [2.0, 5.0], [4.0, 9.0]], "max", axis=0, by=[7, 9, 7]))
    {'key0': array([7, 9]), 'max': array([[4., 9.],
           [2., 5.]])}
    >>> reduce([[3, 1], [2, 6]], "mean", dims="lat,lon", axis="lon", weights={"lon": [1, 3]})["mean"]
    array([1.5, 5. ])
    """
    call = Call.of("reduce", run)
    how = {"skipna": skipna, "ddof": ddof, "method": method, "dims": dims}
    if axis is not None:
        if state is not None or append:
            raise UsageError("state and append: are of whole arrays; leave out axis")
        from tessera._axes import reduce_axes

        return reduce_axes(x, ops, call, axis=axis, keepdims=keepdims, out=out, y=y, by=by, bins=bins, groups=groups, weights=weights,
                           **how)
    how.update(state=state, append=append)
    if by is None and (bins is not None or groups is not None):
        raise UsageError("bins and groups: are of keys; give by")
    if by is not None:
        if keepdims:
            raise UsageError("keepdims: groups have no axes; leave it out")
        return by_groups(x, options_of(ops, bins=bins, groups=groups, **how), call, by, out, weights, y)
    if out is not None or keepdims:
        raise UsageError("out and keepdims: are of arrays along axes, or of groups")
    result = reduced(x, options_of(ops, **how), call, y=y, weights=weights)
    return reduction_of(result, x) if call.context.is_root else None


def by_groups(x, options, call, by, out=None, weights=None, y=None):
    try:
        keys = [aligned(key, x, f"by[{i}]") for i, key in enumerate(keys_of(by, x))]
        beside, kept = beside_of(x, y, by=keys, weights=weights)
        source, owner = source_of(x)
    except UsageError as error:
        call.context.refuse(error)
    if out is not None:
        options = [*options, *call.options_of_output(os.fspath(out))]
    columns, counts, _ = _core.reduce_groups(call.context.inside(), source, options, beside, call.progress, log)
    del kept, owner
    return Reduction(dict(columns), Counts(*counts)) if columns else None


def keys_of(by, x):
    """A list of arrays."""
    if by is None:
        return []
    return list(by) if isinstance(by, (list, tuple)) and _are_arrays(by) and not _is_nested(by, x) else [by]


def _is_nested(by, x):
    """Whether lists of lists are one key, in the shape of x."""
    from tessera._axes import shape_of

    if not all(isinstance(one, (list, tuple)) for one in by):
        return False
    try:
        shape = np.shape(by)
    except ValueError:  # of several lengths
        return False
    return shape == shape_of(x)


def _are_arrays(keys):
    """Whether they are several arrays, not the numbers of one."""
    return len(keys) > 0 and not any(isinstance(key, (int, float, np.generic)) for key in keys)


class Partial:
    """The exact state of a reduction of a part of an array. It pickles, and `|` merges parts in any order, to the
    same bits as one reduction of all.

    >>> import numpy
    >>> x = numpy.random.default_rng(1).normal(size=1000)
    >>> parts = partial(x[700:], "sum,std") | partial(x[:700], "sum,std")
    >>> parts.results()["std"] == std(x)
    True
    """

    def __init__(self, inside):
        self._inside = inside

    def __or__(self, other):
        if not isinstance(other, Partial):
            return NotImplemented
        merged = _core.Partial(self._inside.bytes())
        merged.merge(other._inside)
        return Partial(merged)

    def __reduce__(self):
        return _partial_of_bytes, (zlib.compress(self._inside.bytes(), 1),)

    def results(self):
        return reduction_of(self._inside.results())


def _partial_of_bytes(data):
    return Partial(_core.Partial(zlib.decompress(data)))


def partial(x, ops, /, *, y=None, first=0, skipna=False, ddof=0, **run):
    """The mergeable state of a reduction of a part of an array.

    first  index of the part's first element in the whole, for argmin and argmax
    """
    call = Call.of("partial", run)
    first = integer_of(first, "first")
    source, kept = source_of(x)
    beside, kept_beside = beside_of(x, y)
    inside = _core.partial(call.context.inside(), source, options_of(ops, skipna=skipna, ddof=ddof), beside, first,
                           call.progress, log, call.is_short(x) and y is None)
    del kept, kept_beside
    return Partial(inside)
