"""tessera map and reduce --map: expressions of arrays, with NumPy as the oracle."""

import os
import random

from program import main, seed, times
from reduction import INTEGERS, ReduceTest

# Behind reduction, which skips the test where these are not.
import h5py
import numpy as np

np.seterr(all="ignore")
REALS = ("f2", "f4", "f8")
TYPES = (*INTEGERS, *REALS)


def sample(code, shape, chance):
    """Numbers of all sizes, some of them zero, and of reals some that are not finite."""
    if code[0] == "f":
        array = (chance.standard_normal(shape) * 2.0 ** chance.integers(-8, 9, shape)).astype(code)
        array[chance.random(shape) < .05] = chance.choice([np.nan, np.inf, -np.inf, -0.0])
    else:
        limits = np.iinfo(code)
        array = chance.integers(limits.min, limits.max, shape, dtype=code, endpoint=True)
    array[chance.random(shape) < .1] = 0
    return array


class Expression:
    """A random expression as text and as the function of NumPy. Written numbers have a type: NumPy 1 gives
    them another one than NumPy 2."""

    def __init__(self, chance, depth, names):
        self.chance, self.names = chance, names
        self.text, self.value = self.make(depth)

    def make(self, depth):
        if depth == 0:
            return self.leaf()
        return getattr(self, self.chance.choice(["unary", "binary", "binary", "compare", "where", "cast", "extreme"]))(depth - 1)

    def leaf(self):
        if self.chance.random() < .8:
            name = self.chance.choice(self.names)
            return name, lambda arrays: arrays[name]
        code = self.chance.choice(["i1", "i4", "u2", "f4", "f8"])
        number = self.chance.randrange(100)
        return f"{code}({number})", lambda arrays: np.full(1, number, code)

    def unary(self, depth):
        x, of_x = self.make(depth)
        name, call = self.chance.choice([("abs", np.abs), ("sqrt", np.sqrt), ("rint", np.rint), ("isnan", np.isnan),
                                         ("isfinite", np.isfinite), ("-", np.negative), ("sign", np.sign)])
        return f"(-{x})" if name == "-" else f"{name}({x})", lambda arrays: call(of_x(arrays))

    def binary(self, depth):
        (x, of_x), (y, of_y) = self.make(depth), self.make(depth)
        sign, call = self.chance.choice([("+", np.add), ("-", np.subtract), ("*", np.multiply), ("/", np.true_divide),
                                         ("//", np.floor_divide), ("%", np.remainder), ("&", np.bitwise_and),
                                         ("|", np.bitwise_or)])
        return f"({x} {sign} {y})", lambda arrays: call(of_x(arrays), of_y(arrays))

    def compare(self, depth):
        (x, of_x), (y, of_y) = self.make(depth), self.make(depth)
        sign, call = self.chance.choice([("<", np.less), ("<=", np.less_equal), ("==", np.equal), ("!=", np.not_equal),
                                         (">", np.greater), (">=", np.greater_equal)])
        return f"({x} {sign} {y})", lambda arrays: call(of_x(arrays), of_y(arrays))

    def extreme(self, depth):
        (x, of_x), (y, of_y) = self.make(depth), self.make(depth)
        name, call = self.chance.choice([("min", np.minimum), ("max", np.maximum)])
        return f"{name}({x}, {y})", lambda arrays: call(of_x(arrays), of_y(arrays))

    def where(self, depth):
        (c, of_c), (x, of_x), (y, of_y) = self.compare(0), self.make(depth), self.make(depth)
        return f"where({c}, {x}, {y})", lambda arrays: np.where(of_c(arrays), of_x(arrays), of_y(arrays))

    def cast(self, depth):
        x, of_x = self.make(depth)
        code = self.chance.choice(["f4", "f8"])
        return f"{code}({x})", lambda arrays: of_x(arrays).astype(code)


class MapTest(ReduceTest):
    def map(self, expression, *arguments, output="out.npy"):
        self.assert_done("map", expression, *arguments, "--output", output, "--overwrite", "--quiet")
        return np.load(self.path(output)) if output.endswith(".npy") else None

    def assert_same(self, found, wanted, what):
        self.assertEqual(found.dtype, wanted.dtype, what)
        self.assertEqual(found.shape, wanted.shape, what)
        same = (found == wanted) | ((found != found) & (wanted != wanted))
        self.assertTrue(same.all(), f"{what}: {found[~same][:3]}, not {wanted[~same][:3]}")


class Expressions(MapTest):
    def test_are_those_of_numpy(self):
        chance, numbers = random.Random(seed()), np.random.default_rng(seed())
        arrays = {f"x_{code}": sample(code, (41, 37), numbers) for code in TYPES}
        for name, array in arrays.items():
            self.save(array, f"{name}.npy")
        compared = 0
        while compared < 60 * times():
            expression = Expression(chance, chance.randrange(1, 4), list(arrays))
            try:
                wanted = expression.value(arrays)
            except TypeError:
                continue  # -bool, and the like
            if wanted.shape != (41, 37) or ("i8" in expression.text and "u8" in expression.text):
                continue  # comparisons of i8 with u8 are exact from NumPy 2 on
            used = [name for name in arrays if name in expression.text]
            with self.subTest(expression.text):
                for device in ("cpu", "reference"):
                    found = self.map(expression.text, *(f"{name}={name}.npy" for name in used), "--device", device)
                    self.assert_same(found, wanted, expression.text)
            compared += 1

    def test_know_coordinates(self):
        x = self.save(np.zeros((6, 7, 5)))
        i, j, k = np.indices((6, 7, 5))
        self.assert_same(self.map("index + 0*i8(a)", x), np.arange(210).reshape(6, 7, 5), "index")
        self.assert_same(self.map("index0*10000 + index1*100 + index2 + 0*i8(a)", x), i * 10000 + j * 100 + k, "indices")
        self.assert_same(self.map("index", x), np.arange(210).reshape(6, 7, 5), "index alone")
        for text in ("index3", "x + index7", "where(x > 0, 1, index3)", "c = x; d = index3 + x"):
            self.assert_refused(["map", text, "x=" + x, "--output", "o.h5"], 2, "index", "the array has 3 dimensions")
        row = self.save(np.zeros(5), "row.npy")
        self.assert_same(self.map("index2 + 0*x + 0*row", "x=" + x, "row=" + row), 1.0 * k, "the shape of the result counts")
        self.assert_refused(["reduce", row, "--map", "a + index1", "--op", "sum"], 2, "index1", "the array has 1 dimension,")

    def test_broadcast(self):
        numbers = np.random.default_rng(61)
        a, row, column, one = (numbers.standard_normal(shape) for shape in ((300, 41), (41,), (300, 1), ()))
        for name, array in (("a", a), ("row", row), ("column", column), ("one", one)):
            self.save(array, f"{name}.npy")
        sources = [f"{name}={name}.npy" for name in ("a", "row", "column", "one")]
        self.assert_same(self.map("a*row + column*one", *sources), a * row + column * one, "all")
        self.assert_same(self.map("row - column", *sources[1:3]), row - column, "outer")

    def test_of_broadcast_inputs_that_are_held_and_that_are_not(self):
        """Up to 4 MiB, a broadcast array is read once."""
        for columns in ((4 << 20) // 8, (4 << 20) // 8 + 1):
            row = np.arange(columns, dtype="f8")
            two = np.array([[1.0], [2.0]])
            self.save(row[None, :], "row.npy")
            self.save(np.repeat(two, columns, 1), "a.npy")
            wanted = np.repeat(two, columns, 1) * row
            self.assert_same(self.map("a*r", "a=a.npy", "r=row.npy"), wanted, columns)

    def test_of_every_layout(self):
        numbers = np.random.default_rng(62)
        x, y = numbers.standard_normal((2, 130, 97, 11))
        self.save(x, "x.npy")
        self.save(np.asfortranarray(y), "yf.npy")
        self.save(np.asfortranarray(x), "xf.npy")
        for i, part in enumerate(np.split(y, [50, 51])):
            self.save(part, f"part{i}.npy")
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=x, chunks=(33, 20, 11), compression=1, shuffle=True)
            file.create_dataset("y", data=y, chunks=(33, 20, 11), compression=1)
            file.create_dataset("other", data=y, chunks=(50, 97, 3))
        wanted = x * y + 1
        for a in ("x.npy", "xf.npy", "a.h5:/x"):
            for b in ("yf.npy", "part*.npy", "a.h5:/y", "a.h5:/other"):
                with self.subTest(a=a, b=b):
                    self.assert_same(self.map("a*b + 1", a, b), wanted, (a, b))
                    for device in ("cpu", "reference"):
                        report, got = self.reduce(a, ("sum", "argmax"), b, "--map", "a*b + 1", "--device", device)
                        self.assertEqual(got["argmax"], wanted.argmax())
                        self.assertAlmostEqual(got["sum"], wanted.sum(), delta=1e-6)
                        self.assertEqual(report["array"]["input"], "a*b + 1")
                        # Extremes alone are found in blocks of the first-level cache.
                        _, got = self.reduce(a, ("max", "argmin", "argmax"), b, "--map", "a*b + 1", "--device", device)
                        self.assertEqual([got["max"], got["argmin"], got["argmax"]],
                                         [wanted.max(), wanted.argmin(), wanted.argmax()])

    def test_are_reduced_as_any_array(self):
        numbers = np.random.default_rng(63)
        a, b = numbers.standard_normal((2, 61, 83))
        a[3, 4] = np.nan
        for name, array in (("a", a), ("b", b)):
            self.save(array, f"{name}.npy")
        both = self.map("a*b", "a.npy", "b.npy", output="both.npy")
        for options in (("--nan", "skip"), (), ("--op", "histogram=7,-1,1")):
            plain = self.assert_done("reduce", "both.npy", "--op", "sum,std,argmin,norm2", *options, "--quiet")
            mapped = self.assert_done("reduce", "--map", "a*b", "a.npy", "b.npy", "--op", "sum,std,argmin,norm2", *options,
                                      "--quiet")
            self.assertEqual(mapped, plain)
        self.assertEqual(both.shape, (61, 83))
        for source in (("both.npy",), ("--map", "a*b", "a.npy", "b.npy")):
            self.assert_done("reduce", *source, "--op", "sum", "--axis", "1", "--output", "axis.npy", "--overwrite", "--quiet")
            rows = np.load(self.path("axis.npy"))
            if len(source) == 1:
                wanted = rows
        self.assertEqual(rows.tobytes(), wanted.tobytes())
        dot = self.assert_done("reduce", "--map", "a*b", "a.npy", "b.npy", "--op", "dot", "--with", "a.npy", "--nan", "skip",
                               "--quiet")
        plain = self.assert_done("reduce", "both.npy", "--op", "dot", "--with", "a.npy", "--nan", "skip", "--quiet")
        self.assertEqual(dot, plain)

    def test_of_generated_arrays(self):
        wanted = self.assert_done("reduce", "random:uniform?count=100001", "--op", "sum,max", "--quiet").splitlines()
        found = self.assert_done("reduce", "--map", "2*x", "x=random:uniform?count=100001", "--op", "sum,max", "--quiet")
        self.assertEqual([float(line) for line in found.splitlines()], [2 * float(line) for line in wanted])

    def test_have_functions_with_the_same_bits_on_each_device(self):
        numbers = np.random.default_rng(62)
        self.save(numbers.uniform(-2, 2, 5003) * 2.0 ** numbers.integers(-9, 9, 5003), "x.npy")
        self.save(numbers.uniform(-4, 4, 5003).astype("f4"), "y.npy")
        x, y = np.load(self.path("x.npy")), np.load(self.path("y.npy"))
        for text, wanted in {"exp(x)": np.exp(x), "log(x)": np.log(x), "log1p(y)": np.log1p(y), "sin(x)": np.sin(x),
                             "tan(y)": np.tan(y), "asin(x)": np.arcsin(x), "tanh(y)": np.tanh(y), "cbrt(x)": np.cbrt(x),
                             "hypot(x, y)": np.hypot(x, y), "atan2(y, 2)": np.arctan2(y, np.float32(2)),
                             "x ** 3": np.power(x, 3.0), "y ** 0.5": np.power(y, np.float32(0.5))}.items():
            sources = [f"{name}={name}.npy" for name in "xy" if name in text.replace("exp", "")]
            by_cpu = self.map(text, *sources, "--device", "cpu")
            by_reference = self.map(text, *sources, "--device", "reference")
            self.assertEqual(by_cpu.tobytes(), by_reference.tobytes(), text)
            self.assertEqual(by_cpu.dtype, wanted.dtype, text)
            np.testing.assert_array_max_ulp(np.nan_to_num(by_cpu), np.nan_to_num(wanted), 4)

    def test_not_numbers_have_one_pattern_of_bits(self):
        nans = np.array([0x7ff8000000000001, 0xfff8000000000000, 0x7ff0000000000000], "u8").view("f8")
        self.save(nans)
        for device in ("cpu", "reference"):
            found = self.map("a - a", "a.npy", "--device", device)
            self.assertEqual(found.view("u8").tolist(), [0x7ff8000000000000] * 3)


class Outputs(MapTest):
    def setUp(self):
        super().setUp()
        numbers = np.random.default_rng(64)
        self.a, self.b = numbers.standard_normal((2, 200, 301))
        self.save(self.a, "a.npy")
        self.save(self.b, "b.npy")

    def test_are_raw_and_hdf5_too(self):
        self.map("a + b", "a.npy", "b.npy", output="c.raw")
        found = np.fromfile(self.path("c.raw"), "f8").reshape(200, 301)
        self.assert_same(found, self.a + self.b, "raw")
        self.map("a < b", "a.npy", "b.npy", output="c.h5:/group/c")
        with h5py.File(self.path("c.h5")) as file:
            self.assert_same(file["group/c"][()], self.a < self.b, "HDF5")
            self.assertEqual(file.attrs["map"], "a < b")
        self.assert_same(self.map("a < b", "a.npy", "b.npy"), self.a < self.b, "bool")
        self.assert_same(self.map("f2(a)", "a.npy"), self.a.astype("f2"), "f2")

    def test_are_several(self):
        self.map("sum = a + b; less = a < b; half = f4(a)/2", "a.npy", "b.npy", output="c.h5")
        with h5py.File(self.path("c.h5")) as file:
            self.assert_same(file["sum"][()], self.a + self.b, "sum")
            self.assert_same(file["less"][()], self.a < self.b, "less")
            self.assert_same(file["half"][()], self.a.astype("f4") / np.float32(2), "half")

    def test_are_several_files(self):
        outputs = ("--output", "c=c.npy", "--output", "d=d.h5:/group/d", "--output", "e=e.raw")
        job = ("map", "c = a + b", "d = a < b", "e = f4(a)*2", "a.npy", "b.npy", *outputs, "--slice", "32K")
        for ranks, options in ((0, ()), (2, ()), (3, ("--compress", "0")), (0, ("--chunk", "70x64"))):
            with self.subTest(ranks=ranks, options=options):
                self.assert_done(*job, *options, "--report", "r.json", "--overwrite", ranks=ranks)
                self.assert_same(np.load(self.path("c.npy")), self.a + self.b, "c")
                with h5py.File(self.path("d.h5")) as file:
                    self.assert_same(file["group/d"][()], self.a < self.b, "d")
                self.assert_same(np.fromfile(self.path("e.raw"), "f4").reshape(200, 301), self.a.astype("f4") * np.float32(2), "e")
                report = self.read_report()
                self.assertEqual([(result["op"], result["file"]) for result in report["results"]],
                                 [("c", "c.npy"), ("group/d", "d.h5"), ("e", "e.raw")])
                self.assertEqual(report["total"]["bytes"], 2 * self.a.nbytes)  # each input is read once
                made = sorted(set(os.listdir(self.folder)) - {"a.npy", "b.npy", "r.json"})
                self.assertEqual(made, ["c.npy", "c.npy.done", "d.h5", "d.h5.done", "e.raw", "e.raw.done"])
        self.assertIn("d.h5 is complete already", self.run_program(*job, "--chunk", "70x64").stderr)
        os.remove(self.path("d.h5"))
        self.assert_refused([*job, "--chunk", "70x64"], 2, "c.npy", "is there already")

    def test_of_arrays_in_both_orders_are_as_numpy_has_them(self):
        self.save(np.asfortranarray(self.a), "af.npy")
        self.assert_done("map", "c = a; d = b; e = a - b", "a=af.npy", "b=b.npy", "--output", "c.h5", "--compress", "0", "--quiet")
        with h5py.File(self.path("c.h5")) as file:
            for name, wanted in (("c", self.a), ("d", self.b), ("e", self.a - self.b)):
                self.assert_same(file[name][()], wanted, name)

    def test_are_in_chunks_of_hdf5(self):
        wanted = self.a + self.b
        for options, chunks, compression in (((), (200, 301), "gzip"), (("--compress", "2"), (200, 301), "gzip"),
                                             (("--chunk", "70x64"), (70, 64), "gzip"),
                                             (("--chunk", "999x1"), (200, 1), "gzip"),
                                             (("--chunk", "7x301", "--compress", "0"), (7, 301), None),
                                             (("--compress", "0"), None, None)):
            for ranks in (0, 2):
                with self.subTest(options=options, ranks=ranks):
                    self.assert_done("map", "c = a + b; less = a < b; half = f2(a)", "a.npy", "b.npy", "--output", "c.h5",
                                     "--overwrite", "--quiet", "--slice", "32K", *options, ranks=ranks)
                    with h5py.File(self.path("c.h5")) as file:
                        self.assertEqual(file["c"].chunks, chunks)
                        self.assertEqual(file["c"].compression, compression)
                        self.assertEqual(file["c"].shuffle, compression is not None)
                        self.assert_same(file["c"][()], wanted, "c")
                        self.assert_same(file["less"][()], self.a < self.b, "less")
                        self.assert_same(file["half"][()], self.a.astype("f2"), "half")
                    self.assertEqual(sorted(name for name in os.listdir(self.folder) if name.startswith("c.h5")),
                                     ["c.h5", "c.h5.done"])

    def test_have_the_chunks_of_the_input(self):
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("a", data=self.a, chunks=(33, 20), compression=1)
        for i, part in enumerate(np.split(self.b, [50, 51])):
            self.save(part, f"part{i}.npy")
        self.save(np.asfortranarray(self.b), "bf.npy")
        for other, chunks in (("part*.npy", (33, 20)), ("bf.npy", (33, 20))):
            self.map("a*b", "a.h5:/a", other, output="c.h5:/c")
            with h5py.File(self.path("c.h5")) as file:
                self.assertEqual(file["c"].chunks, chunks)
                self.assert_same(file["c"][()], self.a * self.b, other)
        for alone in ("part*.npy", "bf.npy"):
            self.map("2*b", f"b={alone}", output="c.h5:/c")
            with h5py.File(self.path("c.h5")) as file:
                self.assert_same(file["c"][()], 2 * self.b, alone)

    def test_have_chunks_of_a_mebibyte(self):
        for size in ((1 << 17) - 1, 1 << 17, (1 << 17) + 1):
            x = np.arange(size, dtype="f8")
            self.save(x, "x.npy")
            self.map("x + 1", "x=x.npy", output="c.h5:/c")
            with h5py.File(self.path("c.h5")) as file:
                self.assertEqual(file["c"].chunks, (min(size, 1 << 17),))
                self.assert_same(file["c"][()], x + 1, size)

    def test_without_elements_are_not_in_chunks(self):
        self.save(np.zeros((0, 3)), "none.npy")
        self.save(np.array(2.0), "one.npy")
        for name, value in (("none", np.zeros((0, 3))), ("one", np.array(3.0))):
            self.map("x + 1", f"x={name}.npy", output="c.h5:/c")
            with h5py.File(self.path("c.h5")) as file:
                self.assertIsNone(file["c"].chunks)
                self.assert_same(file["c"][()], value, name)

    def test_may_begin_with_a_sign(self):
        for arguments in (("map", "-a + b"), ("map", " -a + b"), ("map", "-1*a + b")):
            self.assert_done(*arguments, "a.npy", "b.npy", "--output", "c.npy", "--overwrite", "--quiet")
            self.assert_same(np.load(self.path("c.npy")), -self.a + self.b, arguments)
        for arguments in (("--map", "-a"), ("--map=-a",)):
            found = self.assert_done("reduce", *arguments, "a.npy", "--op", "max", "--quiet")
            self.assertEqual(float(found), -self.a.min())

    def test_have_the_same_bytes_on_any_number_of_ranks(self):
        self.map("sqrt(a*a + b*b)", "a.npy", "b.npy", output="c.npy")
        for ranks in (2, 3):
            self.assert_done("map", "sqrt(a*a + b*b)", "a.npy", "b.npy", "--output", f"c{ranks}.npy", "--slice", "16K",
                             "--quiet", ranks=ranks)
            with open(self.path(f"c{ranks}.npy"), "rb") as found, open(self.path("c.npy"), "rb") as wanted:
                self.assertEqual(found.read(), wanted.read())

    def test_that_are_complete_are_not_made_again(self):
        for output in ("c.h5", "c.npy"):
            arguments = ("map", "a + b", "a.npy", "b.npy", "--output", output)
            self.assert_done(*arguments, "--quiet")
            first = os.stat(self.path(output))
            self.assertIn(f"{output} is complete already", self.run_program(*arguments).stderr)
            self.assertEqual(os.stat(self.path(output)).st_mtime_ns, first.st_mtime_ns)
        self.assert_refused(["map", "a - b", "a.npy", "b.npy", "--output", "c.npy"], 2, "c.npy", "--overwrite")


class Mistakes(MapTest):
    def test_are_one_line(self):
        self.save(np.zeros((3, 4)), "a.npy")
        self.save(np.zeros(5), "b.npy")
        self.save(np.array(["x"]), "s.npy")
        cases = [
            (["u + w", "u=a.npy", "v=b.npy"], "map: column 5: there is no array 'w'"),
            (["wind + wimd", "wind=a.npy"], "column 8: there is no array 'wimd'; did you mean 'wind'?"),
            (["a" * 130000, "a.npy"], "has 130000 characters; an expression has 65536 at most"),
            (["sqr(a)", "a.npy"], "column 1: there is no function 'sqr'; did you mean 'sqrt'?"),
            (["a + b", "a.npy", "b.npy"], "the shapes do not broadcast: a is 3x4, and b is 5"),
            (["a", "a.npy", "b.npy"], "no expression has the array 'b'; leave it out"),
            (["a + b", "a.npy", "s.npy"], "s.npy"),
            (["(" * 1000 + "a" + ")" * 1000, "a.npy"], "column 201: more than 200 parentheses"),
            (["a" + "+a" * 40000, "a.npy"], "has 80001 characters; an expression has 65536 at most"),
            ([" ", "a.npy"], "the expression is empty"),
            (["a; b", "a.npy", "b.npy"], "has no name; several arrays are 'c = a + b; d = a - b'"),
            (["a", "a=a.npy", "a=b.npy"], "another array is named 'a'"),
            (["a"], "name an INPUT"),
        ]
        for arguments, *words in cases:
            with self.subTest(arguments[0][:40]):
                self.assert_refused(["map", *arguments, "--output", "c.npy"], 2, *words)
        self.assert_refused(["map", "a", "a.npy"], 2, "--output")
        for option, value, output, *words in (("--chunk", "3", "c.h5", "--chunk 3: the array is 3x4"),
                                              ("--chunk", "3x0", "c.h5", "--chunk: '3x0' has a side of 0"),
                                              ("--chunk", "3x4", "c.npy", "--chunk: c.npy has no chunks; FILE.h5 and FILE.zarr have"),
                                              ("--compress", "1", "c.raw", "--compress: c.raw has no chunks"),
                                              ("--compress", "4", "c.h5", "--compress")):
            self.assert_refused(["map", "a", "a.npy", "--output", output, option, value], 2, *words)
        self.assert_refused(["map", "c = a; d = a", "a.npy", "--output", "c.npy"], 2, "holds one array; 2 fit into FILE.h5")
        self.assert_refused(["map", "c = a; d = 1", "a.npy", "--output", "c.txt"], 2, "c.txt")
        for arguments, *words in (
                (["c = a; d = a", "a.npy", "--output", "c=c.npy"], "'d' has no file; give --output d=FILE"),
                (["a", "a.npy", "--output", "run=3.npy"], "no name"),
                (["c = a", "a.npy", "--output", "run=3.npy"], "no expression is named 'run'", "write ./run=3.npy"),
                (["c = a; d = a", "a.npy", "--output", "c=c.npy", "--output", "d=c.npy"], "is the file of 'c' too"),
                (["c = a; d = a", "a.npy", "--output", "c=c.npy", "--output", "d=./c.npy"], "would overwrite"),
                (["c = a; d = a", "a.npy", "--output", "c=c.npy", "--output", "d=a.npy"], "a.npy: is there already"),
                (["c = a; d = a", "a.npy", "--output", "c=c.npy", "--output", "c=d.npy"], "'c' has a file already"),
                (["c = a; d = a", "a.npy", "--output", "c.h5", "--output", "d=d.npy"], "write NAME=c.h5"),
                (["c = a; d = b", "a.npy", "b.npy", "--output", "c=c.npy", "--output", "d=d.npy"], "map d: is 5, and c is 3x4"),
                (["c = a; d = a + 1", "a.npy", "--output", "c=c.npy", "--output", "d=d.npy", "--chunk", "2x2"], "has no chunks")):
            self.assert_refused(["map", *arguments], 2, *words)
        self.assert_refused(["reduce", "--map", "a + w", "a.npy", "--op", "sum"], 2, "--map: column 5:")
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "b.npy", "s.npy"])


if __name__ == "__main__":
    main()
