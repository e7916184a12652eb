"""Arrays that are read when they are needed: of files, and of expressions."""

import os

import numpy as np

from tessera import _core
from tessera._errors import UsageError, integer_of


def path_of_output(out):
    """The path as a text. A folder of Zarr may be given with a slash at its end."""
    path = os.fspath(out)
    return path.rstrip("/") if path.endswith(".zarr/") else path


class Array:
    """An array in a file. Slices and calls read it; what is kept is its name, so that it pickles. A slice of a file that has
    another type or shape by now is an error.

    shape, dtype, ndim, size, nbytes as of NumPy; chunks: a shape whose multiples are read fastest, or None
    """

    def __init__(self, make, *arguments):
        self._made_by = make, arguments
        self._source = getattr(_core.Source, make)(*arguments)
        code, shape, chunk, self.kind = self._source.info()
        self.dtype = np.dtype(code)
        self.shape = tuple(shape)
        self.chunks = tuple(chunk) or None

    @classmethod
    def of_dataset(cls, path, name):
        """Of an HDF5 file, or of a Zarr folder that a call has written."""
        path = os.fspath(path)
        return cls("file", f"{path}:/{name}") if path.endswith(".zarr") else cls("dataset", path, name)

    def __reduce__(self):
        make, arguments = self._made_by
        return Array, (make, *arguments)

    ndim = property(lambda self: len(self.shape))
    size = property(lambda self: int(np.prod(self.shape, dtype=object)))
    nbytes = property(lambda self: self.size * self.dtype.itemsize)

    def source(self):
        return self._source, ()

    def __len__(self):
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def __repr__(self):
        _, arguments = self._made_by
        return f"<tessera.Array {':'.join(map(str, arguments))}, {self.dtype}, {self.shape}>"

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self[...], dtype=dtype)

    def __getitem__(self, key):
        """Integers, slices and ...: as of NumPy."""
        origin, extent, rest = _box_of(key, self.shape)
        out = np.empty(extent, self.dtype)
        if out.size:
            _core.read(self._source, self.shape, origin, extent, out)
        return out[rest] if rest is not None else out


def _box_of(key, shape):
    """The box that holds what `key` takes, and the key of that in the box; None: all of it."""
    keys = list(key) if isinstance(key, tuple) else [key]
    if keys.count(Ellipsis) > 1:
        raise IndexError("an index can only have one '...'")
    if Ellipsis not in keys:
        keys.append(Ellipsis)
    at = keys.index(Ellipsis)
    missing = len(shape) - (len(keys) - 1)
    if missing < 0:
        raise IndexError(f"{len(keys) - 1} indices for an array of {len(shape)} dimensions")
    keys[at : at + 1] = [slice(None)] * missing
    origin, extent, rest, whole = [], [], [], True
    for one, side in zip(keys, shape, strict=True):
        if isinstance(one, slice):
            numbers = range(*one.indices(side))
            first = min(numbers, default=0)
            last = max(numbers, default=-1)
            origin.append(first if numbers else 0)
            extent.append(last - first + 1 if numbers else 0)
            step = numbers.step if numbers else 1
            rest.append(slice(None, None, step))
            whole = whole and step == 1
        elif hasattr(one, "__index__") and not isinstance(one, (bool, np.bool_)):
            index = one.__index__()
            if not -side <= index < side:
                raise IndexError(f"index {index} is out of bounds for a side of {side}")
            origin.append(index % side)
            extent.append(1)
            rest.append(0)
            whole = False
        else:
            raise IndexError("only integers, slices and ... are indices of a lazy array; take array[...] first")
    return tuple(origin), tuple(extent), None if whole else tuple(rest)


def open(path, name=None, /, *, dtype=None, shape=None, offset=0):
    """A lazy array of a file, or of several that a * stands for, joined along the first axis.

    path    FILE.npy, FILE.h5, or a raw file with dtype= and shape= (and offset= bytes in front)
    name    the dataset of an HDF5 file; also as FILE.h5:/name

    >>> import numpy, tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp(), "x.npy")
    >>> numpy.save(path, numpy.arange(6.0).reshape(2, 3))
    >>> x = open(path)
    >>> x.shape, float(sum(x)), x[1, ::2]
    ((2, 3), 15.0, array([3., 5.]))
    """
    text = os.fspath(path)
    if name is not None:
        text = f"{text}:{name}" if name.startswith("/") else f"{text}:/{name}"
    if dtype is not None or shape is not None:
        if dtype is None or shape is None:
            raise UsageError("open: a raw file needs both dtype and shape")
        code = np.dtype(dtype).str.replace("|", "").replace("=", "").replace("<", "")
        sides = "x".join(str(integer_of(side, "shape")) for side in np.atleast_1d(shape))
        text = f"{text}?dtype={code}&shape={sides}" + (f"&offset={integer_of(offset, 'offset')}" if offset else "")
    return Array("file", text)


class Expr:
    """An expression of arrays: evaluated while it is reduced, element by element."""

    def __init__(self, text, arrays):
        self.text = text
        self._arrays = arrays

    def source(self):
        from tessera._inputs import source_of

        sources, kept = [], []
        for name, array in self._arrays.items():
            source, owner = source_of(array, name)
            sources.append((name, source))
            kept.append(owner)
        return _core.Source.expression(self.text, sources), kept

    def __repr__(self):
        return f"<tessera.Expr {self.text}>"

    def _info(self):
        source, kept = self.source()
        info = source.info()
        del kept
        return info

    dtype = property(lambda self: np.dtype(self._info()[0]))
    shape = property(lambda self: tuple(self._info()[1]))

    def __array__(self, dtype=None, copy=None):
        from tessera._map import map

        return np.asarray(map(self.text, **self._arrays), dtype=dtype)


def expr(text, /, **arrays):
    """An expression of arrays, for reduce() and its relatives: nothing is written.

    >>> import numpy
    >>> u, v = numpy.array([3.0, 6.0]), numpy.array([4.0, 8.0])
    >>> float(max(expr("sqrt(u*u + v*v)", u=u, v=v)))
    10.0
    """
    return Expr(text, arrays)
