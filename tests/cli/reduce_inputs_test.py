"""tessera reduce: every kind of input, and what it refuses."""

import json
import math
import os

from program import main
from reduction import INTEGERS, ReduceTest, expected, read_value, same

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np


class Layouts(ReduceTest):
    def test_every_order_of_bytes_and_dimensions(self):
        base = np.random.default_rng(6).integers(-9, 9, (13, 7, 5)).astype("f8")
        for order in "CF":
            for code in ("<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "<i2", ">i2"):
                array = np.asarray(base, dtype=code, order=order)
                with self.subTest(order=order, code=code):
                    self.assert_right(array, "--slice", "4K")

    def test_ties_in_fortran_order_have_the_first_index_of_c_order(self):
        array = np.zeros((300, 301), order="F", dtype="f4")
        array[299, 0] = array[17, 300] = array[17, 299] = 5
        array[280, 3] = array[11, 290] = -5
        for device in ("reference", "cpu"):
            self.assert_answers(self.save(array), {"argmax": 17 * 301 + 299, "argmin": 11 * 301 + 290},
                                "--device", device, "--slice", "4K")
        report, _ = self.reduce("a.npy", ("argmax",))
        self.assertEqual(report["results"][0]["coordinates"], [17, 299])

    def test_versions_of_npy(self):
        array = np.arange(11, dtype="i4")
        for version in ((1, 0), (2, 0), (3, 0)):
            with open(self.path("v.npy"), "wb") as file:
                np.lib.format.write_array(file, array, version)
            self.assert_answers("v.npy", {"sum": 55})

    def test_raw_files(self):
        array = np.arange(-6, 6, dtype=">i2")
        with open(self.path("a.bin"), "wb") as file:
            file.write(b"head" + array.tobytes())
        self.assert_answers("a.bin?dtype=>i2&shape=3x4&offset=4", {"sum": -6, "argmax": 11, "min": -6})
        report, _ = self.reduce("a.bin?dtype=>i2&shape=3,4&offset=4", ("sum",))
        self.assertEqual((report["array"]["shape"], report["array"]["dtype"]), ([3, 4], "i2"))

    def test_slices_change_nothing(self):
        array = np.random.default_rng(7).standard_normal(50021) * 1e10
        array[[9, 40000]] = array.max() + 1
        wanted = expected(array)
        self.save(array)
        for size in ("4K", "4099", "64K", "8M"):
            self.assert_answers("a.npy", wanted, "--slice", size, "--threads", "2")

    def test_the_table_has_the_same_numbers(self):
        self.save(np.array([[1.5, -2.0], [3.25, 0.0]]))
        table = self.assert_done("reduce", "a.npy", "--op", "sum,argmin,minmax")
        self.assertIn("\nsum            2.75\n", table)
        self.assertIn("\nargmin         1  at [0, 1]\n", table)
        self.assertIn("\nminmax         -2 3.25\n", table)


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
                                  ({"fletcher32": True}, "HDF5, through H5Dread"),
                                  ({"scaleoffset": 3}, "HDF5, through H5Dread")):
                with self.subTest(shape=shape, options=options):
                    if "scaleoffset" in options:  # loses digits: what h5py reads is what counts
                        source = self.dataset(array, chunks=chunks, **options)
                        with h5py.File(self.path("a.h5")) as file:
                            stored = file["group/data"][()]
                        self.assert_answers(source, expected(stored))
                    else:
                        self.assert_right_stored(array, kind, chunks=chunks, **options)

    def test_a_filter_that_is_not_there_is_named(self):
        source = self.dataset(np.arange(100.0), chunks=(10,), compression="lzf")  # h5py brings it along
        self.assert_refused(["reduce", source, "--op", "sum"], 3, source, "filter 32000 (lzf)", "plug-in")

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
                           ("pairs", "compounds"), ("complex", "compounds")):
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


def philox(number, seed, stream=0):
    """Philox4x32-10 of Salmon et al., as they publish it."""
    c, k = [number & 0xffffffff, number >> 32, stream, 0], [seed & 0xffffffff, seed >> 32]
    for _ in range(10):
        a, b = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(b >> 32) ^ c[1] ^ k[0], b & 0xffffffff, (a >> 32) ^ c[3] ^ k[1], a & 0xffffffff]
        k = [(k[0] + 0x9E3779B9) & 0xffffffff, (k[1] + 0xBB67AE85) & 0xffffffff]
    return c


class MadeArrays(ReduceTest):
    def bits(self, count, seed):
        blocks = [philox(i // 2, seed) for i in range(count)]
        return np.array([b[i % 2 * 2 + 1] << 32 | b[i % 2 * 2] for i, b in enumerate(blocks)], dtype="u8")

    def test_random_numbers_are_those_of_the_paper(self):
        self.assertEqual(philox(0, 0), [0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8])
        for seed in (1, 2**40 + 7):
            bits = self.bits(3001, seed)
            source = f"random:uniform?count=3001&seed={seed}"
            for size in ("4K", "8M"):
                self.assert_answers(source, expected((bits >> 11) * 2.0**-53), "--slice", size)
            self.assert_answers(source + "&dtype=f4", expected(((bits >> 40) * 2.0**-24).astype("f4")))
            self.assert_answers(source + "&dtype=u2", expected((bits >> 48).astype("u2")))
            self.assert_answers(source + "&dtype=i8", expected(bits.view("i8")))
        self.assert_answers("random:uniform?count=3001", expected((self.bits(3001, 1) >> 11) * 2.0**-53))

    def test_normal_numbers_are_those_of_box_and_muller(self):
        numbers = []
        for block in (philox(i, 5, stream=1) for i in range(1500)):
            radius = math.sqrt(-2 * math.log(((block[1] << 32 | block[0]) + 0.5) * 2.0**-64))
            angle = block[3] << 32 | block[2]
            part = (angle << 2 & 2**64 - 1) * 2.0**-64
            angle = math.pi / 2 * ((angle >> 62) + part - (part >= 0.5))
            numbers += [radius * math.cos(angle), radius * math.sin(angle)]
        _, got = self.reduce("random:normal?count=2999&seed=5", ("min", "max", "argmin", "argmax", "mean", "std"))
        array = np.array(numbers[:2999])
        self.assertEqual((got["argmin"], got["argmax"]), (array.argmin(), array.argmax()))
        for name, value in (("min", array.min()), ("max", array.max()), ("mean", array.mean()), ("std", array.std())):
            self.assertAlmostEqual(got[name], value, 13)
        for dtype in ("f4", "f8"):
            source = f"random:normal?count=300001&seed=8&dtype={dtype}"
            _, whole = self.reduce(source)
            for options in (("--slice", "4K", "--threads", "2"), ("--device", "reference")):
                self.assert_answers(source, whole, *options)

    def test_numbers_between_two_others_are_those_of_numpy(self):
        for start, stop, count in ((0.0, 1.0, 1001), (-0.1, 0.7, 77), (5.0, -5.0, 11), (3.5, 9.0, 1)):
            array = np.linspace(start, stop, count)
            self.assert_answers(f"linspace:{start},{stop}?count={count}", expected(array), "--slice", "4K")
            self.assert_answers(f"linspace:{start},{stop}?count={count}&dtype=f4", expected(array.astype("f4")))

    def test_that_make_no_sense_are_refused(self):
        self.save(np.zeros(3))
        for source, word in (("random:uniform", "count"), ("random:gauss?count=3", "'gauss'"), ("random:", "''"),
                             ("random:uniform?count=x", "'x'"), ("random:uniform?count=3&shape=3", "'shape'"),
                             ("random:uniform?count=3&dtype=f2", "f4"), ("random:uniform?count=3&seed=-1", "'-1'"),
                             ("random:normal?count=3&dtype=i4", "f4"),
                             ("linspace:0,1", "count"), ("linspace:0?count=3", "START,STOP"),
                             ("linspace:0,x?count=3", "'x'"), ("linspace:0,1?count=3&dtype=i4", "f4"),
                             ("linspace:0,1?count=3&dtype=>f4", "byte order")):
            with self.subTest(source=source):
                self.assert_refused(["reduce", source, "--op", "sum"], 2, source, word)
        self.assert_refused(["reduce", "random:uniform?count=3", "a.npy", "--op", "sum"], 2, "alone")


class SeveralFiles(ReduceTest):
    def test_are_one_array_whatever_their_formats(self):
        random = np.random.default_rng(41)
        parts = [random.standard_normal((rows, 6)) for rows in (5, 1, 0, 7, 9)]
        parts[3][6, 5] = parts[4][0, 0] = 9
        whole = np.concatenate(parts)
        np.save(self.path("0.npy"), parts[0])
        np.save(self.path("1.npy"), parts[1].astype(">f8"))
        np.save(self.path("2.npy"), parts[2])
        np.save(self.path("3.npy"), np.asfortranarray(parts[3]))
        with h5py.File(self.path("4.h5"), "w") as file:
            file.create_dataset("x", data=parts[4], chunks=(4, 4), compression=1)
        inputs = ["0.npy", "1.npy", "2.npy", "3.npy", "4.h5:/x"]
        for ranks in (0, 2):
            self.assert_done("reduce", *inputs, "--op", ",".join(expected(whole)), "--slice", "4K", "--report",
                             "r.json", "--quiet", ranks=ranks)
            with open(self.path("r.json")) as file:
                report = json.load(file)
            self.assertEqual(report["array"]["shape"], [22, 6])
            for result in report["results"]:
                read = tuple(read_value(value) for value in result["values"])
                wanted = expected(whole)[result["op"]]
                self.assertTrue(all(map(same, read, wanted if isinstance(wanted, tuple) else (wanted,))), result)

    def test_by_a_pattern(self):
        for i in range(11):
            np.save(self.path(f"part-{i:02}.npy"), np.array([i], dtype="i4"))
            with h5py.File(self.path(f"part-{i:02}.h5"), "w") as file:
                file["x"] = [i]
            np.array([i], dtype="i4").tofile(self.path(f"part-{i:02}.raw"))
        for pattern in ("part-*.npy", "part-*.h5:/x", "part-*.raw?dtype=i4&shape=1"):
            self.assert_answers(pattern, {"sum": 55, "argmax": 10, "argmin": 0})

    def test_that_do_not_fit_are_refused(self):
        np.save(self.path("a.npy"), np.zeros((3, 4)))
        for other in (np.zeros((3, 5)), np.zeros((3, 4), dtype="f4"), np.zeros(3), np.zeros((3, 4, 1))):
            np.save(self.path("b.npy"), other)
            self.assert_refused(["reduce", "a.npy", "b.npy", "--op", "sum"], 2, "b.npy", "does not continue a.npy")
        self.assert_refused(["reduce", "none-*.npy", "--op", "sum"], 3, "none-*.npy", "no file matches")

    def test_a_damaged_chunk_is_named_with_its_file(self):
        for name in ("a.h5", "b.h5"):
            with h5py.File(self.path(name), "w") as file:
                file.create_dataset("x", data=np.arange(4000), chunks=(1000,), compression=1)
        with h5py.File(self.path("b.h5")) as file:
            chunk = file["x"].id.get_chunk_info(1)
        with open(self.path("b.h5"), "rb+") as file:
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        self.assert_refused(["reduce", "a.h5:/x", "b.h5:/x", "--op", "sum"], 4, "b.h5:/x", "chunk at [1000]")


class BadInput(ReduceTest):
    def test_arguments(self):
        self.save(np.zeros(4))
        for arguments, words in {
            ("reduce",): ["INPUT"], ("reduce", "a.npy"): ["--op"], ("reduce", "a.npy", "--op", ""): ["--op"],
            ("reduce", "a.npy", "--op", "sum,sun"): ["'sun'", "'sum'"],
            ("reduce", "a.npy", "--op", "sum,sum"): ["twice"],
            ("reduce", "a.npy", "--op", "sum", "--ddof", "-1"): ["--ddof"],
            ("reduce", "a.npy", "--op", "sum", "--nan", "drop"): ["--nan", "propagate"],
            ("reduce", "a.npy", "--op", "sum", "--slice", "3"): ["--slice"],
            ("reduce", "a.npy", "--op", "sum", "--memory", "16M"): ["--memory", "needs"],
            ("reduce", "a.npy", "--op", "sum", "--axis", "0"): ["--axis"],
            ("reduce", "a.npy", "--op", "sum", "--report", "none/r.json"): ["--report", "none"],
            ("reduce", "a.png", "--op", "sum"): ["a.png", "FILE.npy"],
        }.items():
            with self.subTest(arguments=arguments):
                self.assert_refused(arguments, 2, *words)
        self.assert_refused(["reduce", "none.npy", "--op", "sum"], 3, "none.npy")
        self.assert_refused(["reduce", "none.npy", "--op", "sum"], 3, "none.npy", ranks=2)

    def test_types_that_are_no_numbers(self):
        for array in (np.array(["a"]), np.array([b"a"]), np.array([1j]),
                      np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")]), np.array(["2024-01-01"], dtype="M8[D]")):
            self.assert_refused(["reduce", self.save(array), "--op", "sum"], 2, "a.npy", "type", "f2 f4 f8")

    def test_files_cut_off_or_of_another_kind(self):
        self.save(np.zeros(1000))
        with open(self.path("a.npy"), "rb") as file:
            whole = file.read()
        for length in (0, 3, 9, 50, 128, len(whole) - 1):
            with open(self.path("cut.npy"), "wb") as file:
                file.write(whole[:length])
            with self.subTest(length=length):
                self.assert_refused(["reduce", "cut.npy", "--op", "sum"], 2, "cut.npy")
        self.write("text.npy", "not an array at all")
        self.assert_refused(["reduce", "text.npy", "--op", "sum"], 2, "not a .npy file")
        self.assert_refused(["reduce", "text.npy?dtype=f8&shape=3", "--op", "sum"], 2, "cut off", "24 bytes")
        self.assert_refused(["reduce", ".?dtype=f8&shape=3", "--op", "sum"], 2, "not a file")


if __name__ == "__main__":
    main()
