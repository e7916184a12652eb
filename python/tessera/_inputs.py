"""Whatever is taken for an array, as a source of elements; nothing is copied that need not be."""

import os

import numpy as np

from tessera import _core
from tessera._array import Array, Expr
from tessera._errors import UsageError

_CODES = frozenset("b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split())
_ADVICE = {
    "c": "take x.real and x.imag",
    "M": "take x.view('i8')",
    "m": "take x.view('i8')",
    "O": "convert it, as by x.astype(float)",
    "f": "convert it, as by x.astype('f8')",
}


def source_of(x, name="the array"):
    """A _core.Source, and what must be kept as long as it is used."""
    if isinstance(x, (Array, Expr)):
        return x.source()
    if type(x) is np.ndarray:
        return memory_of(x, name), x
    if isinstance(x, (str, os.PathLike)):
        return _core.Source.file(os.fspath(x)), None
    if type(x).__module__.partition(".")[0] == "h5py" and hasattr(x, "file"):
        return dataset_of(x, name)
    cuda = _cuda_interface_of(x, name)
    if cuda is not None and not isinstance(x, np.ndarray):  # which may be page-locked
        return cuda_memory_of(cuda, name), x
    array = array_of(x, name)
    return memory_of(array, name), array


def dataset_of(x, name):
    """A dataset of h5py, read from its file; one that is in no file that can be opened by its name is read by h5py."""
    if not hasattr(x, "shape"):
        raise UsageError(f"{x.name}: is a group of HDF5, not a dataset")
    if x.file.mode != "r":
        x.file.flush()
    path = _path_of(x.file)
    if path is None or x.name is None:
        array = array_of(x[()], name)
        return memory_of(array, name), array
    return _core.Source.dataset(path, x.name), None


def _path_of(file):
    """The path of a file of h5py, though the current folder may be another one now; None for one in memory."""
    if file.driver != "sec2":
        return None
    opened = file.id.get_vfd_handle()
    for path in (os.fspath(file.filename), os.path.realpath(f"/proc/self/fd/{opened}")):
        try:
            if os.path.samestat(os.stat(path), os.fstat(opened)):
                return os.path.abspath(path)
        except OSError:
            pass
    return None


def array_of(x, name):
    """An ndarray of an object that knows one of the protocols, or of a sequence."""
    try:
        if isinstance(x, np.ndarray):  # memmap, matrix, masked
            return _unmasked(x, name)
        if hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) == 1 and not hasattr(x, "__array__"):
            return np.from_dlpack(x)
        if hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) not in (1, 3):
            raise UsageError(f"{name}: lies in the memory of a device, not of CUDA; copy it to the host")
        return whole_array(_parts_of(x, name) if isinstance(x, (list, tuple)) else x, name)
    except UsageError:
        raise
    except (ValueError, TypeError, RuntimeError, BufferError) as error:
        raise UsageError(f"{name}: NumPy makes no array of it: {error}") from error


def _unmasked(array, name):
    """The plain ndarray of one whose elements are all there. NumPy would take what lies below a mask."""
    if np.ma.is_masked(array):
        raise UsageError(f"{name}: has masked elements, and the mask would be lost; take x.compressed(), or x.astype(float)"
                         ".filled(numpy.nan) with skipna=True (x = v[:] of a variable v of netCDF4, or the path 'FILE.nc:/v')")
    return array.view(np.ndarray)


def _parts_of(x, name):
    """x, with its arrays, however deep in lists, made plain. Masked elements are refused: NumPy would lose the mask."""
    if isinstance(x, (list, tuple)) and any(map(_has_parts, set(map(type, x)))):
        return [_parts_of(one, name) for one in x]
    return array_of(x, name)[()] if _is_array(type(x)) else x  # [()]: a number of one without dimensions


def _has_parts(kind):
    return issubclass(kind, (list, tuple)) or _is_array(kind)


def _is_array(kind):
    return hasattr(kind, "__array__") and not issubclass(kind, np.generic)


def whole_array(x, name):
    """The array of a sequence; of integers as u8 or i8, where NumPy makes rounded floats of them."""
    array = _unmasked(np.asanyarray(x), name)
    if not isinstance(x, (list, tuple)) or array.dtype.kind != "f" or not (np.abs(array) >= 2.0**53).any():
        return array
    numbers = np.asarray(x, dtype=object)
    if not all(isinstance(number, (int, np.integer)) for number in numbers.flat):
        return array
    least, most = min(map(int, numbers.flat)), max(map(int, numbers.flat))
    if least < -(2**63) or most >= 2**64 or (least < 0 and most >= 2**63):
        raise UsageError(f"{name}: no integer type of 64 bits has all its numbers")
    return numbers.astype("i8" if least < 0 else "u8")


def owned_arrays(kept):
    """The ndarrays among what must be kept."""
    if isinstance(kept, np.ndarray):
        yield kept
    elif isinstance(kept, (list, tuple)):
        for one in kept:
            yield from owned_arrays(one)


def aligned(other, x, name):
    """`other` by the names of dimensions where both arrays have names, as those of xarray: in the order of x's, and
    repeated along those that it lacks."""
    names, own = getattr(x, "dims", None), getattr(other, "dims", None)
    if not all(isinstance(dims, tuple) and dims and all(isinstance(dim, str) for dim in dims) for dims in (names, own)):
        return other
    if own == names[len(names) - len(own):]:
        return other
    if not set(own) <= set(names):
        raise UsageError(f"{name}: has the dimensions {', '.join(own)}; the array has {', '.join(names)}")
    turned = array_of(other, name).transpose([own.index(dim) for dim in names if dim in own])
    try:
        return np.broadcast_to(turned[tuple(slice(None) if dim in own else None for dim in names)], x.shape)
    except ValueError as error:
        raise UsageError(f"{name}: {error}") from error


def _code_of(dtype, name):
    code = dtype.str[1:]
    if code not in _CODES:
        advice = _ADVICE.get(dtype.kind, "numbers and bools are taken")
        raise UsageError(f"{name}: has elements of type {dtype}; {advice}")
    return code


def _cuda_interface_of(x, name):
    try:
        return getattr(x, "__cuda_array_interface__", None)
    except RuntimeError as error:  # PyTorch's, of a tensor with gradients
        raise UsageError(f"{name}: {error}") from error


def cuda_memory_of(interface, name):
    """An array of CuPy, Numba, PyTorch or JAX in the memory of a GPU."""
    if interface.get("mask") is not None:
        raise UsageError(f"{name}: its mask would be lost")
    dtype = np.dtype(interface["typestr"])
    code = _code_of(dtype, name)
    if not dtype.isnative:
        raise UsageError(f"{name}: has the other byte order")
    shape = tuple(interface["shape"])
    strides = interface.get("strides") or ()
    # Before version 3 nobody says on which stream the elements are made; 1 is the default one.
    stream = interface.get("stream") or 0 if interface["version"] >= 3 else 1
    return _core.Source.cuda(interface["data"][0] or 0, code, shape, tuple(strides), stream, name)


def memory_of(array, name):
    code = _code_of(array.dtype, name)
    text = array.dtype.str
    return _core.Source.memory(array.ctypes.data if array.size == 0 else array.__array_interface__["data"][0], code,
                               array.shape, array.strides, text[0] == ">" and len(code) > 0, name)
