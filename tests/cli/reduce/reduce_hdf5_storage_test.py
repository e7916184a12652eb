"""tessera reduce: an HDF5 dataset is what h5py reads of it, however it is indexed, filtered, allocated and filled.

All with TESSERA_CHECK_HDF5=1, under which what is read past HDF5 is compared with H5Dread within the program."""

import ctypes
import itertools
import os
import random

from program import main, seed, times
from reduction import ReduceTest, expected, h5py, np

os.environ["TESSERA_CHECK_HDF5"] = "1"

PAST = ("HDF5, contiguous", "HDF5, chunks", "HDF5, chunks, deflate")
H5DREAD = "HDF5, through H5Dread"
NONE = None

# How HDF5 finds a chunk, by what makes it choose that: (libver, shape, maximum, chunks, whether room is made at once).
INDICES = {
    "v1 B-tree": ("earliest", (13, 11), NONE, (4, 3), False),
    "v1 B-tree, unlimited": ("earliest", (13, 11), (NONE, NONE), (4, 3), False),
    "v1 B-tree, room made at once": ("earliest", (13, 11), NONE, (4, 3), True),
    "single": ("latest", (13, 11), NONE, (13, 11), False),
    "implicit": ("latest", (13, 11), NONE, (4, 3), True),
    "implicit, below its maximum": ("latest", (13, 11), (20, 17), (4, 3), True),
    "fixed array": ("latest", (13, 11), NONE, (4, 3), False),
    "fixed array, below its maximum": ("latest", (13, 11), (20, 17), (4, 3), False),
    "fixed array of pages": ("latest", (2000, 2), NONE, (1, 2), False),
    "extensible array": ("latest", (13, 11), (NONE, 11), (4, 3), False),
    "extensible array, below its maximum": ("latest", (13, 11), (NONE, 17), (4, 3), False),
    "extensible array along the last": ("latest", (13, 11), (13, NONE), (4, 3), False),
    "extensible array along the middle": ("latest", (5, 6, 7), (5, NONE, 7), (2, 2, 3), False),
    "extensible array of pages": ("latest", (3000, 2), (NONE, 2), (1, 2), False),
    "extensible array, one dimension": ("latest", (137,), (NONE,), (4,), False),
    "v2 B-tree": ("latest", (13, 11), (NONE, NONE), (4, 3), False),
    "v2 B-tree of many": ("latest", (2000, 2), (NONE, NONE), (1, 2), False),
    "chunk larger than the dataset": ("earliest", (3, 2), (NONE, NONE), (8, 8), False),
    "fixed chunk larger than the dataset": ("latest", (3, 2), (9, 9), (8, 8), False),
    "more chunks than are looked for": ("earliest", (5000,), (NONE,), (1,), False),
    "more chunks in a v2 B-tree": ("latest", (1250, 4), (NONE, NONE), (1, 1), False),
}
UNUSUAL_INDICES = ("extensible array along the last", "extensible array along the middle")
FILTERS = {
    "none": (), "shuffle": ("shuffle",), "deflate": ("deflate",), "both": ("shuffle", "deflate"),
    "in the other order": ("deflate", "shuffle"), "fletcher32": ("fletcher32",),
    "deflate and fletcher32": ("shuffle", "deflate", "fletcher32"), "twice": ("deflate", "deflate"),
}
USUAL_FILTERS = ("none", "shuffle", "deflate", "both", "fletcher32", "deflate and fletcher32")
FILLS = ("default", "value", "undefined", "never")
WRITTEN = ("all", "some", "few", "none")
TYPES = ("i1", "<i2", ">i4", "<u8", "<f2", ">f4", "<f8", "?")


def library():
    """The HDF5 that h5py has loaded, for what h5py has no words for."""
    with open("/proc/self/maps") as maps:
        names = {line.split(None, 5)[5].strip() for line in maps if "libhdf5" in line}
    paths = [name for name in names if "_hl" not in name]
    hdf5 = ctypes.CDLL(paths[0])
    hdf5.H5Pset_chunk_opts.argtypes = [ctypes.c_int64, ctypes.c_uint]
    hdf5.H5Pset_fill_value.argtypes = [ctypes.c_int64, ctypes.c_int64, ctypes.c_void_p]
    return hdf5


def creation(chunks, filters, fill, dtype, at_once, partial_unfiltered):
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if chunks:
        plist.set_chunk(chunks)
    for name in filters:
        {"shuffle": plist.set_shuffle, "fletcher32": plist.set_fletcher32,
         "deflate": lambda: plist.set_deflate(1)}[name]()
    if at_once:
        plist.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    if partial_unfiltered:
        assert library().H5Pset_chunk_opts(plist.id, 2) >= 0
    if fill == "value":
        plist.set_fill_value(np.array(3, dtype))
    elif fill == "undefined":
        assert library().H5Pset_fill_value(plist.id, h5py.h5t.py_create(np.dtype(dtype)).id, None) >= 0
    elif fill == "never":
        plist.set_fill_time(h5py.h5d.FILL_TIME_NEVER)
    return plist


def numbers(shape, dtype, rng):
    if dtype == "?":
        return rng.integers(0, 2, shape).astype("?")
    return (rng.integers(0, 100, shape) if dtype[-2] == "u" else rng.integers(-99, 100, shape)).astype(dtype)


class Storage(ReduceTest):
    def write_dataset(self, index, filters="none", fill="default", written="all", dtype="<i4", userblock=0,
                      partial_unfiltered=False, name="a.h5", rng=None):
        """The file's only dataset, /d, and what h5py reads of it."""
        rng = rng or np.random.default_rng(seed())
        libver, shape, most, chunks, at_once = INDICES[index]
        plist = creation(chunks, FILTERS[filters], fill, dtype, at_once, partial_unfiltered)
        with h5py.File(self.path(name), "w", libver=(libver, "latest"), userblock_size=userblock) as file:
            unlimited = h5py.h5s.UNLIMITED
            most = tuple(unlimited if side is NONE else side for side in most) if most else shape
            kind = h5py.h5t.py_create(np.dtype(dtype), logical=True)
            data = h5py.Dataset(h5py.h5d.create(file.id, b"d", kind, h5py.h5s.create_simple(shape, most), plist))
            values = numbers(shape, dtype, rng)
            rows = shape[0]
            if written == "all":
                data[...] = values
            elif written == "some":  # begins, goes on and ends with chunks that are not there
                data[rows // 3:2 * rows // 3] = values[rows // 3:2 * rows // 3]
            elif written == "few":
                for row in rng.integers(0, rows, 3):
                    data[row] = values[row]
        if userblock:
            with open(self.path(name), "rb+") as file:
                file.write(bytes(range(1, 128)) * (userblock // 127))
        return f"{name}:/d", self.read_by_h5py(name, "d")

    def read_by_h5py(self, file, name):
        """None of what HDF5 refuses to read: nothing was ever written, and nothing is to stand for it."""
        with h5py.File(self.path(file)) as opened:
            try:
                return opened[name][()]
            except OSError as error:
                self.assertIn("no data can be read", str(error))
                return None

    def assert_as_read(self, source, read, *options, turned=False):
        if read is None:
            self.assert_refused(["reduce", source, "--op", "sum"], 4, "a.h5", "no data can be read")
            return H5DREAD
        read = read.astype("u1") if read.dtype == np.bool_ else read.astype(read.dtype.newbyteorder("="))
        whole = expected(read)
        wanted = {name: whole[name] for name in ("sum", "argmin", "argmax", "minmax", "norm1", "count_nonzero")}
        # The weights tell elements that have changed places.
        weights = np.random.default_rng(1).integers(1, 1000, read.shape).astype("i8")
        np.save(self.path("w.npy"), weights)
        dot = sum(int(a) * int(b) for a, b in zip(read.astype("i8").ravel(), weights.ravel()))
        wanted["dot"] = dot if read.dtype.kind in "iu" else float(dot)
        self.assert_answers(source, wanted, "--with", "w.npy", *options)
        kind = self.read_report()["array"]["kind"]
        if turned:
            self.assert_answers("w.npy", {"dot": wanted["dot"]}, "--with", source, *options)
        return kind

    def test_every_index_with_every_filter(self):
        for index, filters in itertools.product(INDICES, FILTERS):
            if INDICES[index][4] and filters != "none" and "implicit" in index:
                continue  # a fixed array then
            with self.subTest(index=index, filters=filters):
                source, read = self.write_dataset(index, filters)
                kind = self.assert_as_read(source, read)
                past = index not in UNUSUAL_INDICES and filters in USUAL_FILTERS
                self.assertIn(kind, PAST if past else (H5DREAD,))

    def test_every_index_with_chunks_that_are_not_there(self):
        for index, written in itertools.product(INDICES, ("some", "few", "none")):
            filters = "none" if INDICES[index][4] else ("both", "shuffle")[len(index) % 2]
            fill = "default" if written == "few" else "value"
            with self.subTest(index=index, written=written, fill=fill):
                self.assert_as_read(*self.write_dataset(index, filters, fill, written))

    def test_fill_values_that_are_not_defined_or_never_written(self):
        for fill, filters, dtype, userblock in itertools.product(("undefined", "never"), ("none", "both"),
                                                                 (">f4", "<f2", "?"), (0, 512)):
            for index, written in (("v1 B-tree", "some"), ("fixed array", "all")):
                with self.subTest(fill=fill, filters=filters, index=index, dtype=dtype, userblock=userblock):
                    self.assert_as_read(*self.write_dataset(index, filters, fill, written, dtype, userblock))

    def test_whatever_comes_together(self):
        dice = random.Random(seed())
        for number in range(60 * times()):
            case = {"index": dice.choice(list(INDICES)), "filters": dice.choice(list(FILTERS)), "fill": dice.choice(FILLS),
                    "written": dice.choice(WRITTEN), "dtype": dice.choice(TYPES),
                    "userblock": dice.choice((0, 0, 512, 4096)), "partial_unfiltered": dice.random() < 0.3}
            if INDICES[case["index"]][0] == "earliest":
                case["partial_unfiltered"] = False  # older files have no place for it
            if INDICES[case["index"]][4] and case["fill"] in ("undefined", "never"):
                case["fill"] = "value"  # room that nobody wrote to has whatever bytes the disk has
            with self.subTest(number=number, seed=seed(), **case):
                rng = np.random.default_rng([seed(), number])
                options = dice.choice(((), ("--slice", "4K"), ("--threads", "1"), ("--device", "reference")))
                self.assert_as_read(*self.write_dataset(rng=rng, **case), *options, turned=True)

    def test_many_chunks_of_which_a_stretch_was_written(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            data = file.create_dataset("d", (843,), "i4", chunks=(1,))
            data[281:421] = 1
            large = file.create_dataset("large", (5, 200000), "i4", chunks=(1, 200000))
            large[2] = 7
            large[4] = 9
            mixed = file.create_dataset("mixed", (60, 30000), "i4", chunks=(1, 30000), compression=1)
            for row in range(1, 60, 2):
                mixed[row] = np.random.default_rng(row).integers(-9, 9, 30000)
            read = {name: file[name][()] for name in file}
        self.assert_answers("a.h5:/d", {"sum": 140, "argmax": 281, "count_nonzero": 140})
        self.assert_answers("a.h5:/large", {"sum": 3200000, "argmax": 800000})
        self.assert_answers("a.h5:/mixed", {"sum": int(read["mixed"].sum()), "argmax": int(read["mixed"].argmax()),
                                            "count_nonzero": int((read["mixed"] != 0).sum())})

    def test_an_unlimited_dimension_that_is_not_the_first(self):
        with h5py.File(self.path("a.h5"), "w", libver="latest") as file:
            file.create_dataset("d", data=np.arange(36.0).reshape(6, 6), chunks=(2, 2), maxshape=(6, None))
        self.assert_answers("a.h5:/d", {"sum": 630.0, "argmax": 35})
        with h5py.File(self.path("b.h5"), "w", libver="latest", userblock_size=512) as file:
            file.create_dataset("d", data=np.arange(36.0).reshape(6, 6), chunks=(2, 2), maxshape=(6, None))
        self.assert_answers("b.h5:/d", {"sum": 630.0, "argmax": 35})

    def test_chunks_at_the_edges_that_are_not_filtered(self):
        for index, filters in itertools.product(("fixed array", "extensible array", "v2 B-tree", "single",
                                                 "fixed chunk larger than the dataset"), ("shuffle", "deflate", "both")):
            with self.subTest(index=index, filters=filters):
                source, read = self.write_dataset(index, filters, partial_unfiltered=True)
                self.assertEqual(self.assert_as_read(source, read), H5DREAD)

    def test_stretches_behind_a_block_of_the_users_own(self):
        for userblock, libver in itertools.product((0, 512, 2048), ("earliest", "latest")):
            with h5py.File(self.path("a.h5"), "w", userblock_size=userblock, libver=libver) as file:
                file.create_dataset("unwritten", (40,), "i4")
                file.create_dataset("unwritten, filled", (40,), ">i4", fillvalue=5)
                file.create_dataset("written", data=np.arange(40, dtype="<i4"))
                part = file.create_dataset("part", (40,), ">f4", fillvalue=2)
                part[10:20] = np.arange(10)
                plist = creation(None, (), "never", "<i4", True, False)
                room = h5py.h5d.create(file.id, b"at once", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((40,)), plist)
                h5py.Dataset(room)[...] = np.arange(40)
                for fill in ("undefined", "never"):
                    plist = creation(None, (), fill, "<i4", False, False)
                    h5py.h5d.create(file.id, fill.encode(), h5py.h5t.STD_I32LE, h5py.h5s.create_simple((40,)), plist)
            if userblock:
                with open(self.path("a.h5"), "rb+") as file:
                    file.write(b"\x7f" * userblock)
            with h5py.File(self.path("a.h5")) as file:
                names = list(file)
            for name in names:
                array = self.read_by_h5py("a.h5", name)
                with self.subTest(userblock=userblock, libver=libver, name=name):
                    kind = self.assert_as_read(f"a.h5:/{name}", array)
                    self.assertEqual(kind, PAST[0] if name in ("written", "part", "at once") else H5DREAD)

    def test_a_file_behind_something_that_was_put_before_it(self):
        for name in ("stretch", "chunks"):
            array = np.arange(600, dtype="i4").reshape(20, 30)
            with h5py.File(self.path("b.h5"), "w") as file:
                file.create_dataset("d", data=array, chunks=(7, 7) if name == "chunks" else None)
            with open(self.path("b.h5"), "rb") as file, open(self.path("a.h5"), "wb") as behind:
                behind.write(b"\x55" * 1024 + file.read())
            self.assert_as_read("a.h5:/d", array)

    def test_datasets_that_have_grown_and_shrunk(self):
        rng = np.random.default_rng(5)
        for libver, most in itertools.product(("earliest", "latest"), ((None, 11), (13, None), (None, None), (40, 40))):
            if most == (13, None):
                sizes = ((13, 5), (13, 29), (13, 8), (13, 17))
            elif most == (None, 11):
                sizes = ((5, 11), (31, 11), (8, 11), (17, 11))
            else:
                sizes = ((5, 7), (31, 23), (8, 9), (17, 12))
            for filters in ({}, {"compression": 1, "shuffle": True}):
                with h5py.File(self.path("a.h5"), "w", libver=libver) as file:
                    data = file.create_dataset("d", sizes[0], "i4", chunks=(4, 3), maxshape=most, fillvalue=-1, **filters)
                    for size in sizes[:3]:
                        data.resize(size)
                        data[...] = rng.integers(-99, 99, size)
                    data.resize(sizes[3])
                    read = data[()]
                with self.subTest(libver=libver, most=most, filters=filters):
                    self.assert_as_read("a.h5:/d", read)

    def test_a_file_that_is_being_written(self):
        with h5py.File(self.path("a.h5"), "w", libver="latest") as file:
            for name, filters in (("plain", {}), ("deflated", {"compression": 1})):
                file.create_dataset(name, (20, 6), "i4", chunks=(3, 6), maxshape=(None, 6), **filters)[...] = 2
            file.create_dataset("stretch", data=np.arange(7))
            file.swmr_mode = True
            for rows in (20, 31):
                for name in ("plain", "deflated"):
                    file[name].resize((rows, 6))
                    file[name][rows - 1] = 5
                    file[name].flush()
                    self.assertEqual(self.assert_as_read(f"a.h5:/{name}", file[name][()]), H5DREAD)
            self.assertEqual(self.assert_as_read("a.h5:/stretch", np.arange(7)), H5DREAD)

    def test_without_elements_and_of_no_dimension(self):
        with h5py.File(self.path("a.h5"), "w", libver="latest", userblock_size=512) as file:
            file.create_dataset("none", (0, 4), "f8")
            file.create_dataset("none in chunks", (0, 4), "f8", chunks=(2, 2), maxshape=(None, 4), compression=1)
            file.create_dataset("null", data=h5py.Empty("f8"))
            file["scalar"] = 2.5
            h5py.h5d.create(file.id, b"never", h5py.h5t.IEEE_F64LE, h5py.h5s.create(h5py.h5s.SCALAR))
        for name in ("none", "none in chunks", "null"):
            self.assert_answers(f"a.h5:/{name}", {"sum": 0.0, "count_nonzero": 0})
        self.assert_answers("a.h5:/scalar", {"sum": 2.5, "argmax": 0})
        self.assert_answers("a.h5:/never", {"sum": 0.0, "argmax": 0})

    def test_a_virtual_dataset_of_one_that_nothing_fills(self):
        # Its own fill value says nothing of that: where it has none, memory is as it was.
        with h5py.File(self.path("part.h5"), "w") as file:
            plist = creation((4,), ("fletcher32",), "never", "<i4", False, False)
            part = h5py.h5d.create(file.id, b"x", h5py.h5t.STD_I32LE, h5py.h5s.create_simple((4000,)), plist)
            h5py.Dataset(part)[100:103] = 5
        layout = h5py.VirtualLayout((8000,), "i4")
        layout[2000:6000] = h5py.VirtualSource("part.h5", "x", (4000,))
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_virtual_dataset("d", layout, fillvalue=3)
            read = file["d"][()]
        self.assertEqual(self.assert_as_read("a.h5:/d", read, "--slice", "4K"), H5DREAD)

    def test_boxes_that_cut_chunks(self):
        other = np.random.default_rng(4).integers(0, 9, (60, 50)).astype("i4")
        np.save(self.path("first.npy"), other[:20])
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("other", data=other, chunks=(7, 6))
            for name, options in (("plain", {}), ("deflated", {"compression": 1})):
                data = file.create_dataset(name, (40, 50), "i4", chunks=(9, 20), fillvalue=3, **options)
                data[20:25] = np.arange(250).reshape(5, 50)
            read = {name: np.concatenate([other[:20], file[name][()]]) for name in ("plain", "deflated")}
        for name, array in read.items():
            _, got = self.reduce("first.npy", ("dot",), f"a.h5:/{name}", "--with", "a.h5:/other")
            self.assertEqual(got["dot"], int((array.astype("i8") * other).sum()), name)

    def test_a_sparse_dataset_beside_one_in_other_chunks(self):
        # Boxes of the first come through H5Dread, and its chunks one by one.
        with h5py.File(self.path("a.h5"), "w", userblock_size=512) as file:
            for name, options in (("plain", {}), ("deflated", {"compression": 1})):
                data = file.create_dataset(name, (60, 50), "i4", chunks=(1, 7), **options)
                data[20:25] = np.arange(250).reshape(5, 50)
            other = np.random.default_rng(2).integers(0, 9, (60, 50)).astype("i4")
            file.create_dataset("other", data=other, chunks=(8, 6))
            read = {name: file[name][()] for name in file}
        for x, y in itertools.permutations(read, 2):
            _, got = self.reduce(f"a.h5:/{x}", ("dot",), "--with", f"a.h5:/{y}")
            self.assertEqual(got["dot"], int((read[x].astype("i8") * read[y]).sum()), (x, y))

    def test_several_sparse_files_as_one_and_along_axes(self):
        parts = []
        for number in range(3):
            with h5py.File(self.path(f"part{number}.h5"), "w", libver="latest") as file:
                data = file.create_dataset("d", (9, 40), "i4", chunks=(2, 7), fillvalue=number, compression=1)
                data[3:6, 5:20] = np.arange(45).reshape(3, 15)
                parts.append(data[()])
        read = np.concatenate(parts)
        wanted = {name: expected(read)[name] for name in ("sum", "argmax", "count_nonzero")}
        self.assert_answers("part*.h5:/d", wanted)
        for axis in (0, 1):
            self.assert_done("reduce", "part*.h5:/d", "--op", "sum", "--axis", str(axis), "--output", f"o{axis}.npy",
                             "--quiet")
            np.testing.assert_array_equal(np.load(self.path(f"o{axis}.npy")), read.sum(axis=axis))


if __name__ == "__main__":
    main()
