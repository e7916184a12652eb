"""tessera reduce: its numbers against math.fsum, fractions and NumPy, bit for bit, and what it refuses."""

import json
import math
import struct
import unittest
from fractions import Fraction

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-h5py python3-numpy)")
    raise SystemExit(77)

from program import ProgramTest, main

EVERYTHING = ("sum", "mean", "var", "std", "min", "max", "argmin", "argmax", "minmax", "norm1", "norm2", "norminf",
              "count_nonzero", "any", "all")
INTEGERS = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")


def rounded(x):
    """A Fraction as the nearest f64."""
    try:
        return float(x)  # int / int in Python is rounded once
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def rounded_root(x):
    """The root of a Fraction as the nearest f64: from a root with so many digits that no tie is left open."""
    if x == 0:
        return 0.0
    shift = 2200
    floor = math.isqrt((x.numerator << (2 * shift)) // x.denominator)
    exact = floor * floor * x.denominator == x.numerator << (2 * shift)
    return rounded(Fraction(2 * floor + (0 if exact else 1), 2 << shift))


def expected(array, ddof=0):
    """Answers for finite numbers."""
    flat = [x.item() for x in array.ravel(order="C")]
    terms = [Fraction(x) for x in flat]
    n, total, squares = len(terms), sum(terms), sum(x * x for x in terms)
    variance = (squares - total * total / n) / (n - ddof) if n > ddof else math.nan
    whole = array.dtype.kind in "iu"
    number = (lambda x: x) if whole else float
    return {
        "sum": int(total) if whole else rounded(total),
        "mean": rounded(total / n),
        "var": rounded(variance) if n > ddof else math.nan,
        "std": rounded_root(variance) if n > ddof else math.nan,
        "min": number(min(flat)), "max": number(max(flat)),
        "argmin": flat.index(min(flat)), "argmax": flat.index(max(flat)),
        "minmax": (number(min(flat)), number(max(flat))),
        "norm1": sum(abs(x) for x in flat) if whole else rounded(sum(abs(x) for x in terms)),
        "norm2": rounded_root(squares),
        "norminf": number(max(abs(x) for x in flat)),
        "count_nonzero": sum(x != 0 for x in flat),
        "any": any(flat), "all": all(flat),
    }


def same(a, b):
    """Equal bits, for floats; any NaN is like another."""
    if isinstance(a, float) and isinstance(b, float):
        return struct.pack("<d", a) == struct.pack("<d", b) or (math.isnan(a) and math.isnan(b))
    return type(a) is type(b) and a == b


def read_value(value):
    text = value["decimal"]
    if text in ("true", "false"):
        return text == "true"
    if value["hex"] is None:
        return int(text)
    by_hex = float.fromhex(value["hex"])
    assert same(by_hex, float(text)), value
    return by_hex


class ReduceTest(ProgramTest):
    def reduce(self, source, operations=EVERYTHING, *options):
        """The report, and its values by operation."""
        self.assertEqual(self.assert_done("reduce", source, "--op", ",".join(operations), "--quiet", "--report",
                                          "r.json", *options), "")
        with open(self.path("r.json")) as file:
            report = json.load(file)
        values = {}
        for result in report["results"]:
            read = tuple(read_value(value) for value in result["values"])
            values[result["op"]] = read if len(read) > 1 else read[0]
        return report, values

    def save(self, array, name="a.npy"):
        np.save(self.path(name), array)
        return name

    def assert_answers(self, source, wanted, *options):
        _, got = self.reduce(source, tuple(wanted), *options)
        for name, value in wanted.items():
            ours = got[name]
            pairs = zip(value, ours) if isinstance(value, tuple) else [(value, ours)]
            for theirs, mine in pairs:
                self.assertTrue(same(theirs, mine), f"{name} of {source} {options}: {mine!r}, not {theirs!r}")

    def assert_right(self, array, *options, ddof=0):
        for device in ("reference", "cpu"):
            self.assert_answers(self.save(array), expected(array, ddof), "--device", device, *options)


class Floats(ReduceTest):
    def test_ordinary_numbers(self):
        random = np.random.default_rng(1)
        self.assert_right(random.standard_normal(4999))
        self.assert_right(random.standard_normal(4999).astype("f4"))
        self.assert_right(random.standard_normal(4999).astype("f2"))

    def test_numbers_of_every_size(self):
        random = np.random.default_rng(2)
        with np.errstate(over="ignore"):
            huge = random.standard_normal(3001) * 2.0 ** random.integers(-1060, 1000, 3001)
        self.assert_right(huge)
        self.assert_right(np.concatenate([huge, -huge[::-1], [1e-300]]))
        self.assert_right(random.integers(-5, 6, 503) * 5e-324)
        self.assert_right(np.array([1e308, 1e308, -1e308, -1e308, 1e-308]))

    def test_a_sum_too_large_is_infinite_only_if_the_real_one_is(self):
        largest = np.finfo("f8").max
        self.assert_right(np.array([largest, largest, -largest]))
        self.assert_answers(self.save(np.array([largest, largest])), {"sum": math.inf, "mean": largest,
                                                                      "var": 0.0, "norm2": math.inf})

    def test_half_precision_to_the_last_subnormal(self):
        self.assert_right(np.arange(0x7c00, dtype="u2").view("f2"))

    def test_one_element(self):
        self.assert_right(np.array([0.1]))
        self.assert_right(np.array(-3.5))
        self.assert_answers(self.save(np.array([7.0])), {"var": math.nan, "std": math.nan}, "--ddof", "1")

    def test_degrees_of_freedom(self):
        array = np.random.default_rng(3).standard_normal(97) + 1e9
        for ddof in (1, 2, 50):
            self.assert_right(array, "--ddof", str(ddof), ddof=ddof)

    def test_signed_zeros(self):
        wanted = {"sum": -0.0, "min": -0.0, "max": -0.0, "argmin": 0, "norm1": 0.0, "norm2": 0.0, "any": False}
        self.assert_answers(self.save(np.full(5, -0.0)), wanted)
        for zeros in ([0.0, -0.0], [-0.0, 0.0], [0.0] * 40 + [-0.0] + [0.0] * 40):
            for device in ("reference", "cpu"):
                self.assert_answers(self.save(np.array(zeros)), {"sum": 0.0, "min": -0.0, "max": 0.0, "argmin": 0,
                                                                 "argmax": 0, "norminf": 0.0}, "--device", device)

    def test_nan_and_infinities_in_every_combination(self):
        random = np.random.default_rng(4)
        inf, nan = math.inf, math.nan
        for specials in ([nan], [inf], [-inf], [inf, -inf], [nan, inf], [nan, -inf], [nan, inf, -inf], [nan] * 3):
            array = random.standard_normal(64)
            places = sorted(random.choice(64, len(specials), replace=False))
            array[places] = specials
            for device in ("reference", "cpu"):
                with self.subTest(specials=specials, device=device):
                    self.check_specials(array, device)

    def check_specials(self, array, device):
        with np.errstate(invalid="ignore"):
            propagated = {"sum": float(array.sum()) if not np.isfinite(array.sum()) else None,
                          "min": float(array.min()), "max": float(array.max()), "argmin": int(array.argmin()),
                          "argmax": int(array.argmax()), "norm1": float(np.abs(array).sum()),
                          "norm2": float(np.sqrt((array * array).sum())), "norminf": float(np.abs(array).max()),
                          "count_nonzero": 64, "any": True, "all": True}
        self.assert_answers(self.save(array), propagated, "--device", device)
        kept = array[~np.isnan(array)]
        positions = np.flatnonzero(~np.isnan(array))
        skipped = {"min": float(kept.min()), "max": float(kept.max()), "argmin": int(positions[kept.argmin()]),
                   "argmax": int(positions[kept.argmax()]), "count_nonzero": len(kept)}
        if np.isfinite(kept).all():
            skipped |= {name: expected(kept)[name] for name in ("sum", "mean", "var", "std", "norm1", "norm2")}
        self.assert_answers("a.npy", skipped, "--device", device, "--nan", "skip")
        report, _ = self.reduce("a.npy", ("sum",), "--device", device)
        counted = report["array"]
        self.assertEqual((counted["nans"], counted["positive_infinities"], counted["negative_infinities"]),
                         (np.isnan(array).sum(), np.isposinf(array).sum(), np.isneginf(array).sum()))

    def test_nothing_but_nan_skipped(self):
        self.assert_answers(self.save(np.full(9, np.nan)),
                            {"sum": 0.0, "mean": math.nan, "min": math.nan, "argmin": -1, "norminf": 0.0,
                             "count_nonzero": 0, "any": False, "all": True}, "--nan", "skip")

    def test_no_elements(self):
        self.save(np.zeros((4, 0)))
        self.assert_answers("a.npy", {"sum": 0.0, "mean": math.nan, "var": math.nan, "norm2": 0.0, "norminf": 0.0,
                                      "count_nonzero": 0, "any": False, "all": True})
        for name in ("min", "max", "argmin", "argmax", "minmax"):
            self.assert_refused(["reduce", "a.npy", "--op", name], 2, name, "empty")


class Histograms(ReduceTest):
    def assert_histogram(self, array, bins, given=None, *options):
        counts, edges = np.histogram(array[~np.isnan(array)].astype("f8"), bins, given)
        text = f"histogram={bins}" + (f",{given[0]!r},{given[1]!r}" if given else "")
        for device in ("reference", "cpu"):
            report, _ = self.reduce(self.save(array), ("mean", text, "max"), "--device", device, "--slice", "4K",
                                    *options)
            self.assertEqual([result["op"] for result in report["results"]], ["mean", "histogram", "max"])
            ours = report["results"][1]
            self.assertEqual([int(value["decimal"]) for value in ours["values"]], counts.tolist())
            self.assertEqual([float.fromhex(edge["hex"]) for edge in ours["edges"]], edges.tolist())

    def test_the_bins_of_numpy(self):
        random = np.random.default_rng(31)
        for array in (random.standard_normal(5003), random.integers(-50, 50, 4001).astype("i2"),
                      random.integers(0, 255, (50, 40), dtype="u1"), random.standard_normal(999).astype("f4"),
                      np.full(7, 2.5), np.arange(11) / 10):
            for bins in (1, 7, 10, 64):
                self.assert_histogram(array, bins)
        self.assert_histogram(random.standard_normal(5003), 20, (-0.5, 1.25))
        self.assert_histogram(np.repeat(np.linspace(0.1, 0.7, 7), 3), 6, (0.1, 0.7))

    def test_nan_is_in_no_bin(self):
        array = np.array([math.nan, 1.0, 2.0, math.nan, 4.0])
        self.assert_histogram(array, 3)
        self.assert_histogram(array, 3, None, "--nan", "skip")
        self.assert_histogram(np.array([math.nan]), 2, (0, 1))
        self.assert_histogram(np.array([-math.inf, 0.5, math.inf]), 2, (0, 1))

    def test_with_ranks_and_in_the_table(self):
        self.save(np.arange(100000) % 10)
        table = self.assert_done("reduce", "a.npy", "--op", "histogram=2,sum", "--slice", "4K", ranks=2)
        self.assertIn("\nhistogram\n         50000 from 0 to 4.5\n         50000 from 4.5 to 9\nsum            450000\n",
                      table)

    def test_ranges_that_are_none(self):
        self.save(np.array([0.0, math.inf]))
        self.assert_refused(["reduce", "a.npy", "--op", "histogram=4"], 2, "--op histogram", "inf", "LO,HI")
        for text, word in (("histogram", "BINS"), ("histogram=", "''"), ("histogram=0", "'0'"), ("histogram=4,1", "LO,HI"),
                           ("histogram=4,2,1", "width"), ("histogram=4,1,1", "width"), ("histogram=4,a,b", "'a'"),
                           ("histogram=4,-1e308,1e308", "width"), ("histogram=65537", "65536"), ("sum=3", "no value"),
                           ("histogram=4,histogram=5", "twice"), ("histogram=4,0,1,sun", "'sun'")):
            with self.subTest(text=text):
                self.assert_refused(["reduce", "a.npy", "--op", text], 2, "--op", word)


class Integers(ReduceTest):
    def test_every_type_over_its_whole_range(self):
        random = np.random.default_rng(5)
        for code in INTEGERS:
            limits = np.iinfo(code)
            array = random.integers(limits.min, limits.max, 5003, dtype=code, endpoint=True)
            array[[7, 4100]] = limits.min, limits.max
            with self.subTest(code=code):
                self.assert_right(array)
                self.assert_right(array.astype(array.dtype.newbyteorder(">")))

    def test_sums_beyond_64_bits(self):
        for code in ("i8", "u8"):
            for value in (np.iinfo(code).min, np.iinfo(code).max):
                self.assert_right(np.full(5000, value, dtype=code))

    def test_zeros(self):
        self.assert_right(np.zeros(77, dtype="i4"))


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
            file["flags"] = np.array([True])
            file["pairs"] = np.array([(1, 2.0)], dtype=[("a", "i4"), ("b", "f8")])
            file["complex"] = np.array([1j])
        wanted = ["/field", "/fixed", "/group/names"]
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
        self.assert_refused(["reduce", "text.h5:/x", "--op", "sum"], 2, "text.h5", "not an HDF5 file")
        array = np.random.default_rng(23).integers(0, 9, (40, 64)).astype("i4")
        source = self.dataset(array, chunks=(10, 64), compression=1)
        with h5py.File(self.path("a.h5")) as file:
            chunk = file["group/data"].id.get_chunk_info(2)
        with open(self.path("a.h5"), "rb+") as file:
            whole = file.read()
            file.seek(chunk.byte_offset + chunk.size // 2)
            file.write(b"\xff" * 8)
        self.assert_refused(["reduce", source, "--op", "sum"], 4, source, "chunk at [20, 0]")
        with open(self.path("cut.h5"), "wb") as file:
            file.write(whole[:len(whole) // 2])
        self.assert_refused(["reduce", "cut.h5:/group/data", "--op", "sum"], 2, "cut.h5")
        self.assert_refused(["reduce", source, "--op", "sum"], 4, "chunk at [20, 0]", ranks=2)


def philox(number, seed):
    """Philox4x32-10 of Salmon et al., as they publish it."""
    c, k = [number & 0xffffffff, number >> 32, 0, 0], [seed & 0xffffffff, seed >> 32]
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

    def test_numbers_between_two_others_are_those_of_numpy(self):
        for start, stop, count in ((0.0, 1.0, 1001), (-0.1, 0.7, 77), (5.0, -5.0, 11), (3.5, 9.0, 1)):
            array = np.linspace(start, stop, count)
            self.assert_answers(f"linspace:{start},{stop}?count={count}", expected(array), "--slice", "4K")
            self.assert_answers(f"linspace:{start},{stop}?count={count}&dtype=f4", expected(array.astype("f4")))

    def test_that_make_no_sense_are_refused(self):
        self.save(np.zeros(3))
        for source, word in (("random:uniform", "count"), ("random:normal?count=3", "'normal'"), ("random:", "''"),
                             ("random:uniform?count=x", "'x'"), ("random:uniform?count=3&shape=3", "'shape'"),
                             ("random:uniform?count=3&dtype=f2", "f4"), ("random:uniform?count=3&seed=-1", "'-1'"),
                             ("linspace:0,1", "count"), ("linspace:0?count=3", "START,STOP"),
                             ("linspace:0,x?count=3", "'x'"), ("linspace:0,1?count=3&dtype=i4", "f4"),
                             ("linspace:0,1?count=3&dtype=>f4", "byte order")):
            with self.subTest(source=source):
                self.assert_refused(["reduce", source, "--op", "sum"], 2, source, word)
        self.assert_refused(["reduce", "random:uniform?count=3", "a.npy", "--op", "sum"], 2, "alone")


class Memory(ReduceTest):
    def test_does_not_grow_with_the_array(self):
        report, values = self.reduce("random:uniform?count=268435459&dtype=u1", ("max", "count_nonzero"), "--memory",
                                     "70M", "--threads", "2")
        self.assertEqual(values["max"], 255)
        self.assertEqual(report["array"]["elements"], 268435459)
        self.assertLess(report["total"]["peak_memory_bytes"], 70 << 20)

    def test_leaves_out_threads_that_do_not_fit(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=np.ones((4, 1 << 20)), chunks=(1, 1 << 20), compression=1)
        report, _ = self.reduce("a.h5:/x", ("sum",), "--memory", "100M", "--threads", "9")
        self.assertEqual(report["total"]["workers"], 1)
        self.assert_refused(["reduce", "a.h5:/x", "--op", "sum", "--memory", "80M"], 2, "--memory", "needs 88.0 MiB")


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
            ("reduce", "a.npy", "--op", "sum", "--device", "opencl"): ["--device opencl", "cpu"],
            ("reduce", "a.npy", "--op", "sum", "--device", "auto"): ["--device auto", "cpu"],
            ("reduce", "a.npy", "--op", "sum", "--report", "none/r.json"): ["--report", "none"],
            ("reduce", "a.png", "--op", "sum"): ["a.png", "FILE.npy"],
        }.items():
            with self.subTest(arguments=arguments):
                self.assert_refused(arguments, 2, *words)
        self.assert_refused(["reduce", "none.npy", "--op", "sum"], 3, "none.npy")
        self.assert_refused(["reduce", "none.npy", "--op", "sum"], 3, "none.npy", ranks=2)

    def test_types_that_are_no_numbers(self):
        for array in (np.array(["a"]), np.array([b"a"]), np.array([1j]), np.array([True]),
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
