"""Reductions: several statistics in as few passes as possible."""

import zlib
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from tessera import _core
from tessera._context import context_of, log, progress_of
from tessera._errors import UsageError
from tessera._inputs import source_of

_SMALL = 2**20  # bytes that are reduced on the calling thread


class Counts(NamedTuple):
    """What there was to reduce."""

    elements: int
    nans: int
    positive_infinities: int
    negative_infinities: int
    missing: int  #: as attributes of the file say


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


def _axis_text(axis):
    try:
        axes = [axis.__index__()] if hasattr(axis, "__index__") else [one.__index__() for one in axis]
    except (TypeError, AttributeError):
        raise UsageError(f"axis: {axis!r} is neither an integer nor a tuple of them") from None
    return ",".join(map(str, axes))


def options_of(ops, *, axis=None, skipna=False, ddof=0, method=None, bins=None, groups=None):
    options = [("op", _ops_text(ops))]
    if axis is not None:
        options.append(("axis", _axis_text(axis)))
    if skipna:
        options.append(("nan", "skip"))
    if ddof:
        options.append(("ddof", str(ddof)))
    if method is not None:
        options.append(("quantile-method", method))
    if bins is not None:
        options.append(("bins", bins if isinstance(bins, str) else ",".join(map(str, bins))))
    if groups is not None:
        options.append(("groups", str(groups)))
    return options


class Call(NamedTuple):
    """How a call is made: arguments that all functions take."""

    context: object
    progress: object

    @classmethod
    def of(cls, context=None, progress=None, threads=None, device=None):
        if threads is not None or device is not None:
            if context is not None:
                raise UsageError("context: has threads and device itself")
            from tessera._context import Context

            context = Context(threads=threads or 0, device=device or "auto")
        return cls(context_of(context), progress_of(progress))


def _is_small(x):
    return type(x) is np.ndarray and x.nbytes <= _SMALL


def reduced(x, options, call, *, y=None, by=()):
    """The operations of the core, the counts, and the report."""
    source, kept = source_of(x)
    keys = [source_of(key, f"by[{i}]") for i, key in enumerate(by)]
    second, kept_second = source_of(y, "the second array") if y is not None else (None, None)
    here = call.progress is None and _is_small(x) and y is None and not by
    result = _core.reduce(call.context.inside(), source, options, second, [key[0] for key in keys], call.progress, log,
                          here)
    del kept, kept_second, keys
    return result


def _value_of(name, values):
    if name in _LISTS:
        return np.array(values)
    return values[0] if len(values) == 1 else np.array(values)


_LISTS = frozenset(("histogram", "topk", "argtopk", "quantile", "minmax"))


def reduction_of(result):
    operations, counts, _ = result
    values = {name: _value_of(name, values) for name, values, _ in operations}
    edges = {name: np.array(edges) for name, _, edges in operations if edges}
    return Reduction(values, Counts(*counts), edges)


def reduce(x, ops, /, *, y=None, skipna=False, ddof=0, method=None, **run):
    """Several statistics of a whole array, in as few passes as possible.

    x    an array, a path or a pattern, a dataset of h5py, an expr()
    ops  names, as "mean,std,minmax,quantile=0.5,0.9" or a list: sum prod mean var std skewness kurtosis min max
         argmin argmax minmax norm1 norm2 norminf count_nonzero any all dot histogram=BINS,LO,HI median
         quantile=Q,... mode nunique topk=K argtopk=K
    y    the second array of dot

    >>> reduce([3, 1, 2], "sum,min,mean")
    Reduction({'sum': 6, 'min': 1, 'mean': 2.0})
    """
    options = options_of(ops, skipna=skipna, ddof=ddof, method=method)
    return reduction_of(reduced(x, options, Call.of(**run), y=y))


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
    call = Call.of(**run)
    source, kept = source_of(x)
    second, kept_second = source_of(y, "the second array") if y is not None else (None, None)
    inside = _core.partial(call.context.inside(), source, options_of(ops, skipna=skipna, ddof=ddof), second, int(first),
                           call.progress, log, call.progress is None and _is_small(x) and y is None)
    del kept, kept_second
    return Partial(inside)
