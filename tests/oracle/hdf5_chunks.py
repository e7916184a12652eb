"""Datasets in chunks at random: limits of their sides, filters, unwritten chunks, resizing, and chunks written raw."""

import ctypes
import itertools
import math
import re
import zlib

import h5py
import numpy as np

from hdf5_fill import common_value

DONT_FILTER_PARTIAL_CHUNKS = 2
NBIT = 5  # H5Z_FILTER_NBIT
LZF = 32000  # of h5py
MOST_CHUNKS = 6000
# Filters with parameters, for whichever plug-ins are there.
PLUGINS = [(32004, ()), (32004, (64,)), (32008, (0, 0)), (32008, (0, 2)), (32008, (24, 2)),
           *((32001, (0, 0, 0, 0, 5, shuffle, compressor)) for shuffle in range(3) for compressor in range(6))]


def hdf5_library():
    """The one that h5py has loaded, for the calls that it does not have."""
    with open("/proc/self/maps") as maps:
        paths = {line.split()[-1] for line in maps if re.search(r"/libhdf5(_serial)?[.-][^/]*$", line)}
    return ctypes.CDLL(min(paths)) if paths else None


LIBRARY = hdf5_library()


def leave_partial_chunks(creation):
    """Those that reach beyond the array are not to be filtered."""
    LIBRARY.H5Pset_chunk_opts.argtypes = (ctypes.c_int64, ctypes.c_uint)
    assert LIBRARY.H5Pset_chunk_opts(creation.id, DONT_FILTER_PARTIAL_CHUNKS) >= 0


def chunk_shape(rng, shape):
    """Mostly some dozens of chunks, sometimes thousands, sometimes one that is larger than the array."""
    most = int(rng.choice([1, 30, 300, MOST_CHUNKS], p=[0.1, 0.45, 0.35, 0.1]))
    sides = []
    for side in shape:
        kind = rng.random()
        sides.append(1 if kind < 0.2 else max(1, side) if kind < 0.4 else side + int(rng.integers(1, 9)) if kind < 0.5
                     else int(rng.integers(1, side + 2)))
    if rng.random() < 0.1:
        sides = [1] * len(sides)
    while math.prod(-(-side // chunk) for side, chunk in zip(shape, sides)) > most:
        d = int(np.argmax([-(-side // chunk) for side, chunk in zip(shape, sides)]))
        sides[d] *= 2
    return tuple(sides)


def maximal_shape(rng, shape, chunk):
    """Nothing unlimited, one side, several, and none; sides that are shorter than a chunk can grow."""
    kind = rng.integers(0, 4)
    one = int(rng.integers(len(shape)))
    limits = []
    for d, (side, along) in enumerate(zip(shape, chunk)):
        unlimited = kind == 1 and d == one or kind == 2 and rng.random() < 0.7 or kind == 3 and rng.random() < 0.3
        if unlimited:
            limits.append(h5py.h5s.UNLIMITED)
        elif side < along or rng.random() < 0.2:
            limits.append(max(side, along) + int(rng.integers(0, 50)))
        else:
            limits.append(side)
    return tuple(limits)


def set_filters(rng, creation, dtype, chunk):
    """True if there are none but shuffle and deflate."""
    kind = rng.random()
    if kind < 0.25:
        return True
    if kind < 0.85:
        shuffle, deflate = rng.random() < 0.6, rng.random() < 0.8
        swapped = rng.random() < 0.05
        if shuffle and not swapped:
            creation.set_shuffle()
        if deflate:
            creation.set_deflate(int(rng.integers(0, 10)))
        if shuffle and swapped:
            creation.set_shuffle()
        return not swapped
    if rng.random() < 0.3:
        creation.set_shuffle()
    plugins = [row for row in PLUGINS if h5py.h5z.filter_avail(row[0])]
    if plugins and rng.random() < 0.6:
        number, values = plugins[rng.integers(len(plugins))]
        creation.set_filter(number, h5py.h5z.FLAG_OPTIONAL, values)
        if rng.random() < 0.3:
            creation.set_fletcher32()
        return False
    can_szip = h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP) and dtype.kind in "iu" and math.prod(chunk) >= 8
    if can_szip and rng.random() < 0.3:
        creation.set_szip(h5py.h5z.SZIP_NN_OPTION_MASK, 8)
    elif dtype.kind in "iu" and rng.random() < 0.2:
        creation.set_filter(NBIT)
    elif dtype.kind in "iu" and rng.random() < 0.2:
        creation.set_scaleoffset(h5py.h5z.SO_INT, h5py.h5z.SO_INT_MINBITS_DEFAULT)
    elif rng.random() < 0.6:
        if rng.random() < 0.5:
            creation.set_filter(LZF, h5py.h5z.FLAG_OPTIONAL)
        else:
            creation.set_deflate(int(rng.integers(1, 10)))
    if rng.random() < 0.8:
        creation.set_fletcher32()
    return False


def allows_new_layouts(file):
    """Those of HDF5 1.10: virtual ones, and chunks of which only whole ones are filtered."""
    return file.get_access_plist().get_libver_bounds()[1] != h5py.h5f.LIBVER_V18


def properties(rng, file, array, chunk):
    """How the dataset is made, and what the rest has to know of that."""
    creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    creation.set_chunk(chunk)
    plain_filters = set_filters(rng, creation, array.dtype, chunk)
    fill = common_value(rng, array)
    default_fill = fill.tobytes() == bytes(fill.nbytes) and rng.random() < 0.5
    if not default_fill:
        creation.set_fill_value(fill)
    never_filled = rng.random() < 0.05
    creation.set_fill_time(h5py.h5d.FILL_TIME_NEVER if never_filled else
                           int(rng.choice([h5py.h5d.FILL_TIME_ALLOC, h5py.h5d.FILL_TIME_IFSET])))
    if rng.random() < 0.5:
        creation.set_alloc_time(int(rng.choice([h5py.h5d.ALLOC_TIME_EARLY, h5py.h5d.ALLOC_TIME_LATE,
                                                h5py.h5d.ALLOC_TIME_INCR])))
    partial_as_they_are = LIBRARY is not None and allows_new_layouts(file) and rng.random() < 0.15
    if partial_as_they_are:
        leave_partial_chunks(creation)
    return creation, fill, plain_filters, partial_as_they_are, never_filled


def boxes_of(array, chunk, needed):
    """Boxes of whole chunks that are needed: all at once, or runs along the last dimension."""
    if needed.all():
        return [tuple(slice(0, side) for side in array.shape)]
    boxes = []
    for row in itertools.product(*map(range, needed.shape[:-1])):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], needed[row], [False]]).astype("i1")))
        for start, end in zip(edges[::2], edges[1::2]):
            ranges = [(k * c, (k + 1) * c) for k, c in zip(row, chunk)] + [(start * chunk[-1], end * chunk[-1])]
            boxes.append(tuple(slice(int(a), int(min(b, side))) for (a, b), side in zip(ranges, array.shape)))
    return boxes


def needed_chunks(rng, array, chunk, fill, dirty):
    """Which chunks have to be written, as an array of truths over their grid. Up to `dirty` all have."""
    differs = array.view(f"u{array.dtype.itemsize}") != fill.view(f"u{fill.dtype.itemsize}")
    differs[tuple(slice(0, side) for side in dirty)] = True
    for d, along in enumerate(chunk):
        differs = np.logical_or.reduceat(differs, range(0, differs.shape[d], along), axis=d)
    return differs | (rng.random(differs.shape) < rng.choice([0, 0, 0.2, 1]))


def write_direct(rng, dataset, array, chunk, needed, stored):
    """Chunk by chunk, with the filters that it has, or without some of them."""
    creation = dataset.id.get_create_plist()
    filters = [creation.get_filter(i)[0] for i in range(creation.get_nfilters())]
    for place in zip(*np.nonzero(needed)):
        origin = tuple(int(k * c) for k, c in zip(place, chunk))
        data = np.zeros(chunk, stored)
        part = array[tuple(slice(o, o + c) for o, c in zip(origin, chunk))]
        data[tuple(slice(0, side) for side in part.shape)] = part
        data, mask = data.tobytes(), 0
        for i, number in enumerate(filters):
            if rng.random() < 0.3:
                mask |= 1 << i
            elif number == h5py.h5z.FILTER_SHUFFLE:
                data = np.frombuffer(data, "u1").reshape(-1, stored.itemsize).T.tobytes()
            else:
                data = zlib.compress(data, int(rng.integers(0, 10)))
        dataset.id.write_direct_chunk(origin, data, mask)


def resize_about(rng, dataset, array, limits):
    """Larger, with numbers that go again, then smaller, then as the array is; the shape up to which they are left."""
    larger = [side if limit == side else side + int(rng.integers(0, 9 if limit == h5py.h5s.UNLIMITED else limit - side + 1))
              for side, limit in zip(array.shape, limits)]
    smaller = [side if limit == side else int(rng.integers(0, side + 1)) for side, limit in zip(array.shape, limits)]
    dataset.resize(larger)
    if rng.random() < 0.8 and math.prod(larger) < 2 * array.size + 1000:
        dataset[...] = np.ones(larger, array.dtype)
    dataset.resize(smaller)
    dataset.resize(array.shape)
    return smaller


def make_chunked(rng, file, name, array):
    chunk = chunk_shape(rng, array.shape)
    limits = maximal_shape(rng, array.shape, chunk)
    creation, fill, plain_filters, partial_as_they_are, never_filled = properties(rng, file, array, chunk)
    links = h5py.h5p.create(h5py.h5p.LINK_CREATE)
    links.set_create_intermediate_group(True)
    stored = array.dtype.newbyteorder(">") if rng.random() < 0.3 else array.dtype
    space = h5py.h5s.create_simple(array.shape, limits)
    dataset = h5py.Dataset(h5py.h5d.create(file, name, h5py.h5t.py_create(stored, logical=True), space, creation, links))
    dirty = [0] * array.ndim
    # HDF5 1.10 crashes where chunks that are not filtered are cut off.
    if limits != array.shape and not partial_as_they_are and rng.random() < 0.3:
        dirty = resize_about(rng, dataset, array, limits)
    if array.size == 0:
        return
    if never_filled:
        dirty = array.shape
    needed = needed_chunks(rng, array, chunk, fill, dirty)
    # Of chunks that have a place in the file already, HDF5 1.10 forgets which filters were left out.
    new = dataset.id.get_create_plist().get_alloc_time() == h5py.h5d.ALLOC_TIME_INCR and not any(dirty)
    if plain_filters and new and not partial_as_they_are and needed.sum() < 500 and rng.random() < 0.3:
        return write_direct(rng, dataset, array, chunk, needed, stored)
    boxes = boxes_of(array, chunk, needed)
    if rng.random() < 0.3:
        boxes = [boxes[i] for i in rng.permutation(len(boxes))]
    for box in boxes:
        dataset[box] = array[box]
