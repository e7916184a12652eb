"""Single statistics, by the names of NumPy. Every result is exact, rounded once; the order of the elements and the
number of threads, ranks and devices do not change a bit."""

import math
import os

import numpy as np

from tessera._errors import UsageError, integer_of
from tessera._inputs import whole_array
from tessera._reduce import Call, list_of, options_of, reduced


def _single(name, x, run, *, axis=None, keepdims=False, out=None, op=None, y=None, weights=None, **how):
    if axis is not None or keepdims or out is not None:
        from tessera._axes import along_axes

        return along_axes(name, op or name, x, run, axis=axis, keepdims=keepdims, out=out, weights=weights, **how)
    result = reduced(x, options_of(op or name, **how), Call.of(name, run), y=y, weights=weights)
    operations = result[0]
    return operations[0][1][0] if operations else None


def sum(x, /, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The sum: of integers an int of any size, of floats the exact sum, rounded once.

    >>> sum([1e100, 1.0, -1e100])
    1.0
    >>> sum([2**63 - 1] * 4)
    36893488147419103228
    """
    return _single("sum", x, run, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def prod(x, /, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The product.

    >>> prod([2.0, 3.0, 7.0])
    42.0
    """
    return _single("prod", x, run, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def mean(x, /, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The mean.

    >>> mean([0.1, 0.2, 0.3])
    0.2
    """
    return _single("mean", x, run, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def min(x, /, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The least element.

    >>> min([3, -1, 2])
    -1
    """
    return _single("min", x, run, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def max(x, /, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The greatest element.

    >>> max([3, -1, 2])
    3
    """
    return _single("max", x, run, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def argmin(x, /, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The index of the least element, in C order; of equal ones the first.

    >>> argmin([[3, -1], [2, -1]])
    1
    """
    return _single("argmin", x, run, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def argmax(x, /, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The index of the greatest element, in C order; of equal ones the first.

    >>> argmax([[3, -1], [2, -1]])
    0
    """
    return _single("argmax", x, run, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def any(x, /, *, axis=None, keepdims=False, out=None, **run):
    """Whether any element is not 0.

    >>> any([0, 0, 3])
    True
    """
    return _single("any", x, run, axis=axis, keepdims=keepdims, out=out)


def all(x, /, *, axis=None, keepdims=False, out=None, **run):
    """Whether no element is 0.

    >>> all([1.0, 0.0])
    False
    """
    return _single("all", x, run, axis=axis, keepdims=keepdims, out=out)


def count_nonzero(x, /, *, axis=None, keepdims=False, out=None, **run):
    """How many elements are not 0.

    >>> count_nonzero([1, 0, 2])
    2
    """
    return _single("count_nonzero", x, run, axis=axis, keepdims=keepdims, out=out)


def median(x, /, *, weights=None, axis=None, skipna=False, keepdims=False, out=None, **run):
    """The median; with `weights`, as quantile(x, 0.5) has them.

    >>> median([3.0, 1.0, 2.0, 10.0])
    2.5
    """
    return _single("median", x, run, weights=weights, axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def std(x, /, *, axis=None, ddof=0, correction=None, skipna=False, keepdims=False, out=None, **run):
    """The standard deviation. `correction` is the name of `ddof` in the array API.

    >>> std([1.0, 2.0, 3.0, 4.0])
    1.118033988749895
    """
    ddof = ddof if correction is None else correction
    return _single("std", x, run, axis=axis, ddof=ddof, skipna=skipna, keepdims=keepdims, out=out)


def var(x, /, *, axis=None, ddof=0, correction=None, skipna=False, keepdims=False, out=None, **run):
    """The variance. `correction` is the name of `ddof` in the array API.

    >>> var([1.0, 2.0, 3.0, 4.0], ddof=1)
    1.6666666666666667
    """
    ddof = ddof if correction is None else correction
    return _single("var", x, run, axis=axis, ddof=ddof, skipna=skipna, keepdims=keepdims, out=out)


def norm(x, /, ord=2, *, axis=None, skipna=False, keepdims=False, out=None, **run):
    """A norm of the elements as a vector: 1, 2 or infinity.

    >>> norm([3.0, -4.0]), norm([3.0, -4.0], 1), norm([3.0, -4.0], float("inf"))
    (5.0, 7.0, 4.0)
    """
    names = {1: "norm1", 2: "norm2", math.inf: "norminf"}
    if ord not in names:
        raise UsageError(f"ord: {ord!r} is none of 1, 2 and infinity")
    return _single("norm", x, run, op=names[ord], axis=axis, skipna=skipna, keepdims=keepdims, out=out)


def _into(out, values):
    if out is None:
        return values
    if not isinstance(out, np.ndarray) or out.shape != values.shape or not np.can_cast(values.dtype, out.dtype, "same_kind"):
        raise UsageError(f"out: takes an ndarray of {values.dtype} in the shape {values.shape}")
    np.copyto(out, values)
    return out


def quantile(x, q, /, *, weights=None, axis=None, method="linear", skipna=False, keepdims=False, out=None, **run):
    """Quantiles: a float for one, else an array in the shape of q, with it first. The methods are those of numpy.quantile.
    In a file, `out` as a path, the quantiles are the last dimension, as of the command.

    With `weights`, as reduce() takes them, "linear" is xarray's definition, and "inverted_cdf" that of surveys and of NumPy.

    >>> quantile([1.0, 2.0, 4.0], 0.75)
    3.0
    >>> quantile([1.0, 2.0, 4.0], [0, 0.5, 1])
    array([1., 2., 4.])
    >>> quantile([1.0, 2.0, 4.0], 0.75, weights=[1, 1, 4], method="inverted_cdf")
    4.0
    """
    q = np.asarray(q, dtype=float)
    op = "quantile=" + ",".join(repr(float(one)) for one in q.ravel())
    if q.size == 0:
        raise UsageError("q: names no quantile")
    if axis is not None or keepdims or out is not None:
        if axis is None and out is not None:
            raise UsageError("out: is for a result along axes")
        is_path = isinstance(out, (str, os.PathLike))
        values = _single("quantile", x, run, axis=axis, op=op, keepdims=keepdims, out=out if is_path else None, method=method,
                         skipna=skipna, weights=weights)
        if is_path or values is None:
            return values
        if q.size == 1:
            values = np.asarray(values)[..., np.newaxis]  # one Q adds no dimension
        # NumPy has the quantiles first.
        return _into(out, np.moveaxis(values, -1, 0).reshape(q.shape + values.shape[:-1]))
    result = reduced(x, options_of(op, method=method, skipna=skipna), Call.of("quantile", run), weights=weights)
    values = result[0][0][1] if result[0] else [math.nan] * q.size
    return values[0] if q.ndim == 0 else whole_array(values, "quantile").reshape(q.shape)


def histogram(x, bins=10, range=None, *, skipna=False, **run):
    """Counts of elements in bins of equal width, and the edges of the bins, as of numpy.histogram.

    >>> histogram([1.0, 2.0, 2.5, 4.0], 3)
    (array([1, 2, 1]), array([1., 2., 3., 4.]))
    """
    if not hasattr(bins, "__index__"):
        raise UsageError("bins: a number of bins of equal width is taken")
    op = f"histogram={bins.__index__()}"
    if range is not None:
        try:
            low, high = map(float, range)
        except (TypeError, ValueError):
            raise UsageError(f"range: {range!r} is no (low, high)") from None
        op += f",{low!r},{high!r}"
    result = reduced(x, options_of(op, skipna=skipna), Call.of("histogram", run))
    if not result[0]:
        return None
    _, values, edges = result[0][0]
    return np.array(values), np.array(edges)


def topk(x, k, /, *, skipna=False, **run):
    """The k greatest elements, in descending order, and their indices in C order.

    >>> topk([5, 1, 9, 7], 2)
    (array([9, 7]), array([2, 3]))
    """
    k = integer_of(k, "k")
    result = reduced(x, options_of(f"topk={k},argtopk={k}", skipna=skipna), Call.of("topk", run))
    return tuple(list_of(name, values, x) for name, values, _ in result[0]) or None


def dot(x, y, /, **run):
    """The sum of the products of two arrays of one shape; of integers an int of any size.

    >>> dot([1e200, 1.0], [1e-200, 2.0])
    3.0
    """
    return _single("dot", x, run, y=y)
