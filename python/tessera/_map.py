"""Arrays from expressions of arrays."""

import os
import re

from tessera import _core
from tessera._array import Array, Expr, path_of_output
from tessera._axes import check_out
from tessera._context import log
from tessera._errors import UsageError, integer_of
from tessera._reduce import Call

_NAMED = re.compile(r"\s*(\w+)\s*=(?!=)")
_RUN = ("context", "progress", "threads", "device")


def map(text, /, *, out=None, chunks=None, compress=1, overwrite=False, **arrays_and_run):
    """Evaluates an expression of arrays, element by element, in the types of NumPy 2.

    text      "sqrt(u*u + v*v)", "where(a > 0, a, b)", ...
    out       None: a new ndarray. An ndarray: it is written and returned. A path FILE.npy, FILE.raw or
              FILE.h5:/dataset, or FILE.zarr, a folder: a lazy array of the file is returned; of "c=a;d=b" into FILE.h5
              or FILE.zarr a dict of them
    chunks, compress, overwrite   of a file, as of `tessera map`
    arrays    by the names that the expression has for them; they are broadcast
    context, progress, threads, device   as of all functions

    >>> import numpy
    >>> map("a*b + 1", a=numpy.arange(3.0), b=[2, 2, 2])
    array([1., 3., 5.])
    """
    run = {name: arrays_and_run.pop(name) for name in _RUN if name in arrays_and_run}
    if not arrays_and_run:
        raise UsageError("map: name the arrays, as in map('a + 1', a=x)")
    call = Call.made(**run)
    try:
        source, kept = Expr(text, arrays_and_run).source()
    except UsageError as error:
        call.context.refuse(error)
    if isinstance(out, (str, os.PathLike)):
        path = path_of_output(out)
        options = [("output", path)]
        if (path.rpartition(":/")[0] or path).endswith((".h5", ".hdf5", ".zarr")):
            options.append(("compress", str(integer_of(compress, "compress"))))
            if chunks is not None:
                options.append(("chunk", "x".join(str(integer_of(side, "chunks")) for side in chunks)))
        if overwrite:
            options.append(("overwrite", "true"))
        _core.map_to_file(call.context.inside(), source, options, call.progress, log)
        return _result_of(path, source, text) if call.context.is_root else None
    if out is not None:
        check_out(out, kept)
    made = _core.map(call.context.inside(), source, out, call.progress, log)
    del kept
    return made[0][1] if made else None


def _result_of(path, source, text):
    names = [match[1] if (match := _NAMED.match(part)) else "map" for part in text.split(";") if part.strip()]
    if len(names) > 1:
        return {name: Array.of_dataset(path, name) for name in names}
    if path.endswith(".raw"):
        code, shape, _, _ = source.info()
        return Array("file", f"{path}?dtype={code}&shape={'x'.join(map_text(shape))}")
    file, _, dataset = path.rpartition(":/")
    if file:
        return Array.of_dataset(file, dataset)
    return Array("file", path) if path.endswith(".npy") else Array.of_dataset(path, names[0])


def map_text(shape):
    return [str(side) for side in shape]
