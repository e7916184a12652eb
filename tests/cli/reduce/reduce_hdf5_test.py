"""tessera reduce: datasets of HDF5 however they are stored, and what it refuses of them."""

import os

from program import main
from reduction import INTEGERS, ReduceTest, expected, h5py, np


class Hdf5(ReduceTest):
    def dataset(self, array, name="a.h5", **options):
        with h5py.File(self.path(name), "w") as file:
            file.create_dataset("group/data", data=array, **options)
        return f"{name}:/group/data"

    def kind_of(self, source):
        report, _ = self.reduce(source, ("count_nonzero",))
        return report["array"]["kind"]

    def assert_right_stored(self, array, kind=None, **options):
        source = self.dataset(array, **options)
        if kind:
            self.assertEqual(self.kind_of(source), kind)
        wanted = expected(array)
        for size in ("4K", "8M"):
            self.assert_answers(source, wanted, "--slice", size)

    def test_a_dataset_of_a_newer_library_is_not_called_missing(self):
        with h5py.File(self.path("new.h5"), "w") as file:
            file.create_dataset("x", data=np.ones((20, 31)), chunks=(6, 7))
        with open(self.path("new.h5"), "r+b") as file:
            whole = file.read()
            layout = b"\3\2\3"  # version, chunked, dimensions and one for the element
            self.assertEqual(whole.count(layout), 1)
            file.seek(whole.index(layout))
            file.write(b"\x63")
        self.assert_refused(("reduce", "new.h5:/x", "--op", "sum"), 2, "newer HDF5", "h5repack")

    def test_every_type_and_byte_order_contiguous_and_chunked(self):
        random = np.random.default_rng(21)
        base = random.integers(0, 100, (23, 19))
        for code in (*INTEGERS, "f2", "f4", "f8"):
            for order in "<>":
                array = base.astype(order + code)
                with self.subTest(code=code, order=order):
                    self.assert_right_stored(array, "HDF5, contiguous")
                    self.assert_right_stored(array, "HDF5, chunks, deflate", chunks=(5, 7), compression=4,
                                             shuffle=True)

    def test_chunks_of_every_rank_with_each_filter(self):
        random = np.random.default_rng(22)
        for shape, chunks in (((101,), (16,)), ((17, 13), (17, 4)), ((9, 8, 7), (2, 3, 7)), ((4, 5, 3, 6), (3, 2, 2, 5))):
            array = random.standard_normal(shape).astype("f4")
            for options, kind in (({}, "HDF5, chunks"), ({"shuffle": True}, "HDF5, chunks"),
                                  ({"compression": 1}, "HDF5, chunks, deflate"),
                                  ({"compression": 9, "shuffle": True}, "HDF5, chunks, deflate"),
                                  ({"fletcher32": True}, "HDF5, chunks"),
                                  ({"scaleoffset": 3}, "HDF5, through H5Dread")):
                with self.subTest(shape=shape, options=options):
                    if "scaleoffset" in options:  # loses digits: what h5py reads is what counts
                        source = self.dataset(array, chunks=chunks, **options)
                        with h5py.File(self.path("a.h5")) as file:
                            stored = file["group/data"][()]
                        self.assert_answers(source, expected(stored))
                    else:
                        self.assert_right_stored(array, kind, chunks=chunks, **options)

    def test_what_was_never_written_has_the_fill_value(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            data = file.create_dataset("chunks", (30, 30), ">i4", chunks=(7, 7), fillvalue=-3, compression=1)
            data[3:5, 3:9] = 1
            whole = data[()]
            file.create_dataset("none", (4, 5), "f8", fillvalue=2.5)
            file.create_dataset("none in chunks", (4, 5), "f8", chunks=(2, 2), fillvalue=2.5)
        self.assert_answers("a.h5:/chunks", expected(whole))
        self.assert_answers("a.h5:/none", {"sum": 50.0})
        self.assert_answers("a.h5:/none in chunks", {"sum": 50.0})

    def test_chunks_that_skipped_a_filter(self):
        array = np.arange(64, dtype="<u2").reshape(8, 8)
        with h5py.File(self.path("a.h5"), "w") as file:
            data = file.create_dataset("d", (8, 8), "<u2", chunks=(4, 8), compression=1, shuffle=True)
            data[4:] = array[4:]
            data.id.write_direct_chunk((0, 0), array[:4].tobytes(), filter_mask=0b11)
        self.assert_answers("a.h5:/d", expected(array))

    def test_many_small_chunks_and_files_with_something_before_them(self):
        array = np.arange(15007, dtype="i4") % 101 - 50
        with h5py.File(self.path("a.h5"), "w", userblock_size=512) as file:
            for name, options in (("plain", {}), ("deflated", {"compression": 1, "shuffle": True})):
                file.create_dataset(name, data=array, chunks=(1000,), **options)
                file.create_dataset(f"many {name}", data=array, chunks=(3,), **options)
        with h5py.File(self.path("a.h5"), "r+") as source, h5py.File(self.path("b.h5"), "w") as to:
            for name in source:
                source.copy(name, to)
        for file in ("a.h5", "b.h5"):
            for name in ("plain", "many plain", "deflated", "many deflated"):
                self.assert_answers(f"{file}:/{name}", expected(array), "--threads", "2")

    def test_unusual_datasets_are_read_all_the_same(self):
        array = np.arange(60, dtype="f4").reshape(6, 10)
        array.tofile(self.path("outside.bin"))
        with h5py.File(self.path("a.h5"), "w", userblock_size=1024) as file:
            file["scalar"] = 2.5
            file["array"] = array
            odd = h5py.h5t.STD_I32LE.copy()
            odd.set_size(3)
            odd.set_precision(24)
            space = h5py.h5s.create_simple((6, 10))
            three = h5py.h5d.create(file.id, b"three bytes", odd, space)
            three.write(h5py.h5s.ALL, h5py.h5s.ALL, array.astype("i4") - 30)
            layout = h5py.VirtualLayout((12, 10), "f4")
            layout[:6] = layout[6:] = h5py.VirtualSource(".", "array", (6, 10))
            file.create_virtual_dataset("virtual", layout)
            file.create_dataset("external", (6, 10), "f4", external=[(self.path("outside.bin"), 0, 240)])
            compact = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            compact.set_layout(h5py.h5d.COMPACT)
            small = h5py.h5d.create(file.id, b"compact", h5py.h5t.IEEE_F32LE, space, compact)
            small.write(h5py.h5s.ALL, h5py.h5s.ALL, array)
            file["empty"] = h5py.Empty("f8")
            file["link"] = h5py.SoftLink("/array")
        self.assert_answers("a.h5:/scalar", expected(np.array(2.5)))
        for name in ("array", "external", "compact", "link"):
            self.assert_answers(f"a.h5:/{name}", expected(array), "--slice", "4K")
        self.assert_answers("a.h5:/virtual", expected(np.concatenate([array, array])))
        self.assert_answers("a.h5:/three bytes", expected(array.astype("i8") - 30))
        self.assert_answers("a.h5:/empty", {"sum": 0.0, "count_nonzero": 0})

    def test_parts_of_a_virtual_dataset_are_beside_the_file_that_it_is_really_in(self):
        os.mkdir(self.path("d"))
        with h5py.File(self.path("d/parts.h5"), "w") as file:
            file["x"] = np.arange(4.0)
        layout = h5py.VirtualLayout((4,), "f8")
        layout[:] = h5py.VirtualSource("parts.h5", "x", (4,))
        with h5py.File(self.path("d/whole.h5"), "w") as file:
            file.create_virtual_dataset("v", layout)
        os.symlink("d/whole.h5", self.path("same.h5"))
        with h5py.File(self.path("linked.h5"), "w") as file:
            file["v"] = h5py.ExternalLink("d/whole.h5", "/v")
        for name in ("d/whole.h5", "same.h5", "linked.h5"):
            self.assert_answers(name + ":/v", {"sum": 6.0})

    def test_the_image_as_an_array(self):
        self.assert_done("render", "--size", "150x100", "--tile", "64", "--quiet", "--output", "i.h5")
        with h5py.File(self.path("i.h5")) as file:
            counts = file["iterations"][()]
        self.assert_answers("i.h5:/iterations", expected(counts))

    def test_what_is_not_there_or_is_no_numbers(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file["field"] = np.zeros(3)
            file["group/names"] = ["a", "b"]
            file["fixed"] = np.array([b"abc"])
            kinds = h5py.enum_dtype({"LAND": 0, "SEA": 1}, basetype="i1")
            file.create_dataset("flags", data=np.array([1], dtype="i1"), dtype=kinds)
            file["pairs"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
            file["complex"] = np.array([1j])
        wanted = ["/complex, /field, /fixed, /flags, /group/names, /pairs"]
        self.assert_refused(["reduce", "a.h5:/feld", "--op", "sum"], 3, "a.h5", "/feld", *wanted)
        self.assert_refused(["reduce", "a.h5:/x/y", "--op", "sum"], 3, "/x/y", *wanted)
        self.assert_refused(["reduce", "a.h5", "--op", "sum"], 2, "which dataset", *wanted)
        self.assert_refused(["reduce", "a.h5:/group", "--op", "sum"], 2, "/group is a group", *wanted)
        self.assert_refused(["reduce", "none.h5:/x", "--op", "sum"], 3, "none.h5")
        for name, what in (("group/names", "strings"), ("fixed", "strings"), ("flags", "enumeration"),
                           ("pairs", "records of 2 members"), ("complex", "complex numbers")):
            self.assert_refused(["reduce", f"a.h5:/{name}", "--op", "sum"], 2, f"/{name}", what)

    def test_damaged_files(self):
        self.write("text.h5", "not HDF5")
        os.mkdir(self.path("folder.h5"))
        self.assert_refused(["reduce", "text.h5:/x", "--op", "sum"], 2, "text.h5", "not an HDF5 file")
        self.assert_refused(["reduce", "folder.h5:/x", "--op", "sum"], 2, "folder.h5", "not a file")
        array = np.random.default_rng(23).integers(0, 9, (40, 64)).astype("i4")
        source = self.dataset(array, chunks=(10, 64), compression=1)
        with h5py.File(self.path("a.h5")) as file:
            chunk = file["group/data"].id.get_chunk_info(2)
        with open(self.path("a.h5"), "rb+") as file:
            whole = file.read()
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        self.assert_refused(["reduce", source, "--op", "sum"], 4, source, "chunk at [20, 0]")
        checked = self.dataset(array, name="b.h5", chunks=(10, 64), compression=1, fletcher32=True)
        with h5py.File(self.path("b.h5")) as file:
            chunk = file["group/data"].id.get_chunk_info(3)
        with open(self.path("b.h5"), "rb+") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        self.assert_refused(["reduce", checked, "--op", "sum"], 4, checked, "chunk at [30, 0]", "Fletcher32")
        with open(self.path("cut.h5"), "wb") as file:
            file.write(whole[:len(whole) // 2])
        self.assert_refused(["reduce", "cut.h5:/group/data", "--op", "sum"], 2, "cut.h5")
        self.assert_refused(["reduce", source, "--op", "sum"], 4, "chunk at [20, 0]", ranks=2)

    def test_a_damaged_tile_of_an_image_is_named_as_such(self):
        self.run_program("render", "--size", "300x200", "--tile", "64", "--quiet", "--output", "image.h5")
        with h5py.File(self.path("image.h5")) as file:
            chunk = next(file["iterations"].id.get_chunk_info(i) for i in range(20)
                         if file["iterations"].id.get_chunk_info(i).chunk_offset == (64, 192))
        with open(self.path("image.h5"), "rb+") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        for operation in (("sum",), ("max", "--axis", "0", "--output", "o.npy")):
            self.assert_refused(["reduce", "image.h5:/iterations", "--op", *operation], 4,
                                "image.h5: tile row 1, column 3 of /iterations: ", "run: tessera verify --repair image.h5")
        self.assertEqual(self.run_program("verify", "--repair", "image.h5", "--quiet").returncode, 0)
        self.assertEqual(self.run_program("reduce", "image.h5:/iterations", "--op", "sum").returncode, 0)


if __name__ == "__main__":
    main()
