"""Bools of every file: true or false, whatever their bytes are; and unsigned integers of HDF5's bitfields."""

import itertools

from program import main, why_missing
from reduction import ReduceTest

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np

SHAPE = (60, 50)
DEVICES = ("reference", "cpu")


def some_bools(chance, shape=SHAPE):
    """Whether elements are true, and a byte for each, of which any but 0 says so."""
    truth = chance.random(shape) < 0.4
    return truth, np.where(truth, chance.integers(1, 256, shape), 0).astype("u1")


def enumeration(base, false=b"FALSE", true=b"TRUE"):
    made = h5py.h5t.enum_create(base)
    for name, value in ((false, 0), (true, 1)):
        made.enum_insert(name, value)
    return made


def create(path, name, in_file, in_memory, array, **layout):
    """A dataset with this type in the file, of elements with the other one in memory."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    if "chunk" in layout:
        plist.set_chunk(layout["chunk"])
    if layout.get("compact"):
        plist.set_layout(h5py.h5d.COMPACT)
    if layout.get("deflate"):
        plist.set_shuffle()
        plist.set_deflate(3)
    with h5py.File(path, "a") as file:
        space = h5py.h5s.create_simple(array.shape)
        data = h5py.h5d.create(file.id, name.encode(), in_file, space, plist)
        data.write(h5py.h5s.ALL, h5py.h5s.ALL, np.ascontiguousarray(array), mtype=in_memory)


LAYOUTS = {"contiguous": {}, "compact": {"compact": True}, "chunks": {"chunk": (16, 50)}, "edges": {"chunk": (16, 16)},
           "deflate": {"chunk": (16, 16), "deflate": True}}


class Bools(ReduceTest):
    def setUp(self):
        super().setUp()
        self.truth, self.bytes = some_bools(np.random.default_rng(3))

    def map(self, expression, *inputs, options=()):
        self.assert_done("map", expression, *inputs, "--output", "o.npy", "--overwrite", "--quiet", *options)
        return np.load(self.path("o.npy"))

    def assert_bools(self, source, truth):
        """What arrives of an INPUT: as a whole, in an expression, along an axis, as keys."""
        count = int(truth.sum())
        for device in DEVICES:
            wanted = {"sum": count, "count_nonzero": count, "max": 1, "median": float(np.median(truth)), "mode": int(count * 2 >
                      truth.size), "nunique": 2, "norm2": float(np.sqrt(count)), "all": False, "argmax": int(truth.argmax())}
            self.assert_answers(source, wanted, "--device", device)
        found = self.map("~m", f"m={source}")
        self.assertEqual(found.dtype, bool, source)
        self.assertTrue((found == ~truth).all(), source)

    def test_of_numpy_are_true_whatever_their_bytes_are(self):
        for order in "CF":
            self.save(np.array(self.bytes, order=order).view(bool))
            self.assert_bools("a.npy", self.truth)
        with open(self.path("a.raw"), "wb") as file:
            file.write(b"head" + self.bytes.tobytes())
        for code in ("b1", "bool"):
            self.assert_bools(f"a.raw?dtype={code}&shape=60x50&offset=4", self.truth)
        self.assert_refused(["reduce", "random:uniform?count=9&dtype=b1", "--op", "sum"], 2, "random numbers are")

    def test_of_hdf5_are_true_whatever_their_bytes_are(self):
        byte, h5 = enumeration(h5py.h5t.STD_I8LE), self.path("a.h5")
        for name, layout in LAYOUTS.items():
            with self.subTest(name):
                create(h5, name, byte, byte, self.bytes, **layout)
                self.assert_bools(f"a.h5:/{name}", self.truth)
                kind = {"compact": "through H5Dread", "contiguous": "contiguous"}.get(name, "chunks")
                self.assertIn(kind, self.read_report()["array"]["kind"])

    def test_of_enumerations_of_any_integer_are_read(self):
        for code, layout in zip(("STD_U8LE", "STD_I16BE", "STD_I32LE", "STD_U64BE", "STD_I64LE"), LAYOUTS.values()):
            with self.subTest(code):
                size = getattr(h5py.h5t, code).get_size()
                big = enumeration(getattr(h5py.h5t, code))
                stored = self.bytes.astype(f"{'>' if code.endswith('BE') else '<'}i{size}")
                if size > 1:
                    stored = stored * 256  # whose last byte is 0
                    if "U" not in code:
                        stored = -stored
                create(self.path("a.h5"), code, big, big, stored, **layout)
                self.assert_bools(f"a.h5:/{code}", self.truth)
        other = enumeration(h5py.h5t.STD_I8LE, b"NO", b"YES")
        create(self.path("a.h5"), "other", other, other, self.bytes)
        self.assert_refused(["reduce", "a.h5:/other", "--op", "sum"], 2, "holds an enumeration", "b1 i1")

    def test_of_virtual_datasets_and_of_nothing_that_was_written(self):
        with h5py.File(self.path("s.h5"), "w") as file:
            file["a"] = self.truth
            file.create_dataset("unwritten", (7,), bool)
            file.create_dataset("true", (7,), bool, fillvalue=True, chunks=(3,))
            layout = h5py.VirtualLayout((90, 50), bool)
            layout[:60] = h5py.VirtualSource(".", "a", SHAPE)
            file.create_virtual_dataset("v", layout, fillvalue=True)
        self.assert_answers("s.h5:/unwritten", {"sum": 0, "all": False})
        self.assert_answers("s.h5:/true", {"sum": 7, "all": True})
        self.assert_bools("s.h5:/v", np.vstack([self.truth, np.ones((30, 50), bool)]))

    def test_are_joined_with_bools_only(self):
        self.save(self.bytes.view(bool), "p1.npy")
        self.save(self.truth, "p2.npy")
        create(self.path("c.h5"), "c", enumeration(h5py.h5t.STD_I8LE), enumeration(h5py.h5t.STD_I8LE), self.bytes, chunk=(9, 9))
        self.assert_bools("p*.npy", np.vstack([self.truth] * 2))
        self.assert_answers("p1.npy", {"sum": 2 * int(self.truth.sum())}, "c.h5:/c")
        self.save(self.bytes, "q.npy")
        self.assert_refused(["reduce", "p1.npy", "q.npy", "--op", "sum"], 2, "q.npy: is u1 60x50 and cannot follow p1.npy, which is b1")

    def test_are_the_type_of_what_has_their_values(self):
        self.save(self.bytes.view(bool))
        operations = {"min": self.truth.min(0), "max": self.truth.max(0), "minmax": None, "mode": None, "topk=2": None,
                      "sum": self.truth.sum(0), "any": self.truth.any(0)}
        for device in DEVICES:
            self.assert_done("reduce", "a.npy", "--axis", "0", "--op", ",".join(operations), "--output", "o.h5", "--overwrite",
                             "--quiet", "--device", device, "--report", "r.json")
            with h5py.File(self.path("o.h5")) as file:
                for name in ("min", "max", "minmax", "mode", "topk", "any"):
                    self.assertEqual(file[name].dtype, bool, name)
                for name in ("min", "max", "any", "sum"):
                    self.assertTrue((file[name][()] == operations[name]).all(), name)
                self.assertTrue((file["mode"][()] == (self.truth.sum(0) > 30)).all())
                self.assertTrue((file["topk"][()] == (self.truth.sum(0)[:, None] >= [1, 2])).all())
        self.assertEqual(self.read_report()["array"]["dtype"], "b1")
        self.assert_done("reduce", "a.npy", "--axis", "1", "--op", "quantile=0.5", "--quantile-method", "lower", "--output",
                         "q.npy", "--quiet")
        self.assertEqual(np.load(self.path("q.npy")).dtype, bool)

    def test_group_and_are_grouped(self):
        values, stored = some_bools(np.random.default_rng(4))
        self.save(stored.view(bool), "v.npy")
        self.save(self.bytes.view(bool), "k.npy")
        row = np.arange(SHAPE[1]) % 3 == 1
        self.save(row, "row.npy")
        for keys, output in itertools.product(("k.npy", "k.npy,row.npy"), ("o.npy", "o.csv", "o.json")):
            self.assert_done("reduce", "v.npy", "--by", keys, "--op", "sum,max,any,median,mode", "--output", output, "--overwrite",
                             "--quiet")
            group = self.truth * 2 + row if "," in keys else self.truth
            wanted = [values[group == key] for key in np.unique(group)]
            if output == "o.npy":
                table = np.load(self.path("o.npy"))
                for name in ("k", "max", "any", "mode"):
                    self.assertEqual(table.dtype[name], bool, name)
                self.assertEqual(table["sum"].tolist(), [int(v.sum()) for v in wanted])
                self.assertEqual(table["max"].tolist(), [bool(v.max()) for v in wanted])
                self.assertEqual(table["median"].tolist(), [float(np.median(v)) for v in wanted])
                self.assertEqual(table["k"].tolist(), [False, True] if keys == "k.npy" else [False, False, True, True])
            elif output == "o.csv":
                with open(self.path("o.csv")) as file:
                    rows = [line.split(",") for line in file.read().splitlines()]
                self.assertEqual([row[0] for row in rows[1:]], ["0", "1"] if keys == "k.npy" else ["0", "0", "1", "1"])
                self.assertEqual([row[rows[0].index("max")] for row in rows[1:]], [str(int(v.max())) for v in wanted])
                self.assertEqual([row[rows[0].index("any")] for row in rows[1:]], [str(bool(v.any())).lower() for v in wanted])
            else:
                self.assertEqual([row["sum"] for row in self.read_json("o.json")], [int(v.sum()) for v in wanted])

    def test_are_multiplied_as_numbers(self):
        other, stored = some_bools(np.random.default_rng(5))
        self.save(self.bytes.view(bool))
        create(self.path("w.h5"), "w", enumeration(h5py.h5t.STD_I8LE), enumeration(h5py.h5t.STD_I8LE), stored, chunk=(16, 16))
        self.save(np.arange(3000.).reshape(SHAPE), "x.npy")
        for device in DEVICES:
            for first, second in (("a.npy", "w.h5:/w"), ("w.h5:/w", "a.npy")):
                self.assert_answers(first, {"dot": int((self.truth & other).sum())}, "--with", second, "--device", device)
            self.assert_answers("x.npy", {"dot": float(np.arange(3000.)[self.truth.ravel()].sum())}, "--with", "a.npy",
                                "--device", device)

    def test_in_expressions_are_those_of_numpy_on_every_device(self):
        other, stored = some_bools(np.random.default_rng(6))
        self.save(self.bytes.view(bool), "m.npy")
        create(self.path("n.h5"), "n", enumeration(h5py.h5t.STD_I8LE), enumeration(h5py.h5t.STD_I8LE), stored, chunk=(16, 16))
        numbers = self.truth.astype("i8") * 200 + other * 100
        wanted = {"m & ~n": self.truth & ~other, "m + n": self.truth | other, "where(~m, n, 7)": np.where(self.truth, 7, other),
                  "m*200 + n*100": numbers, "m": self.truth}
        devices = [*DEVICES, *(["opencl"] if not why_missing("opencl") else [])]
        for device, (text, value) in itertools.product(devices, wanted.items()):
            inputs = [f"{name}={path}" for name, path in (("m", "m.npy"), ("n", "n.h5:/n")) if name in text]
            found = self.map(text, *inputs, options=("--device", device))
            self.assertEqual(found.dtype, value.dtype, text)
            self.assertTrue((found == value).all(), (text, device))
            if device == "opencl" and text not in ("m", "m & ~n"):
                continue
            said = self.assert_done("reduce", "--map", text, *inputs, "--op", "sum,max", "--quiet", "--device", device)
            self.assertEqual(said.split(), [str(value.sum()), str(int(value.max()))], (text, device))
        self.assert_done("map", "not_m = ~m", "m=m.npy", "--output", "o.h5", "--overwrite", "--quiet")
        with h5py.File(self.path("o.h5")) as file:
            self.assertEqual(file["not_m"].dtype, bool)
            self.assertTrue((file["not_m"][()] == ~self.truth).all())
        self.assert_bools("o.h5:/not_m", ~self.truth)

    def test_are_named_by_info(self):
        self.save(self.truth)
        with h5py.File(self.path("a.h5"), "w") as file:
            file["a"] = self.truth
        for source in ("a.npy", "a.h5:/a", "a.h5"):
            self.assertIn("bool, 60x50", self.assert_done("info", source))
            self.assertIn('"b1"', self.assert_done("info", source, "--json"))


class Bitfields(ReduceTest):
    def test_are_unsigned_integers(self):
        chance, h5 = np.random.default_rng(7), self.path("a.h5")
        kinds = itertools.product((8, 16, 32, 64), ("LE", "BE"))
        for (bits, order), (name, layout) in zip([*kinds] * 2, itertools.cycle(LAYOUTS.items())):
            with self.subTest(f"{bits} {order} {name}"):
                array = chance.integers(0, 2**bits, SHAPE, f"u{bits // 8}")
                in_memory = getattr(h5py.h5t, f"STD_B{bits}LE")
                create(h5, f"{bits}{order}{name}", getattr(h5py.h5t, f"STD_B{bits}{order}"), in_memory, array, **layout)
                _, got = self.reduce(f"a.h5:/{bits}{order}{name}", ("sum", "max", "argmin"))
                self.assertEqual(got, {"sum": sum(array.ravel().tolist()), "max": int(array.max()), "argmin": int(array.argmin())})
        self.assertIn("u32, 60x50", self.assert_done("info", "a.h5:/32BEcontiguous"))

    def test_of_unusual_layout_are_read_too(self):
        encoded = h5py.h5t.STD_B16LE.encode()  # ends with the offset and the number of bits
        five = h5py.h5t.decode(encoded[:-4] + np.array([3, 5], "<u2").tobytes())
        array = np.arange(32, dtype="u8")
        create(self.path("a.h5"), "five", five, h5py.h5t.STD_B64LE, array)
        self.assert_answers("a.h5:/five", {"sum": 496, "max": 31})


if __name__ == "__main__":
    main()
