"""reduce --state: answers to which later runs add arrays, with the bits of one run over all of them."""

import os
import random

import array_files
import h5py
from program import main
from reduction import EVERYTHING, ReduceTest, expected, np

HISTOGRAM = "histogram=7,-3,3"


class State(ReduceTest):
    def values(self, *arguments):
        """Of a run that is done, as text: one a line."""
        return self.assert_done("reduce", *arguments, "--quiet").splitlines()

    def keep(self, source, state, *options, operations=(*EVERYTHING, HISTOGRAM)):
        return self.values(source, "--op", ",".join(operations), "--state", state, *options)

    def parts(self, dtype, lengths=(5, 1, 30, 12), tail=(3, 4)):
        numbers = np.random.default_rng(5)
        found = []
        for i, length in enumerate(lengths):
            shape = (length, *tail)
            if np.dtype(dtype).kind == "f":
                part = numbers.standard_normal(shape) * 10.0 ** numbers.integers(-6, 5, size=shape)
            else:
                part = numbers.integers(0, 100, size=shape)
            found.append(self.save(part.astype(dtype), f"part{i}.npy"))
        return found

    def assert_grows(self, names, *options):
        """One array after the other, and as two states that are joined: the bits of one run over all."""
        operations = ",".join((*EVERYTHING, HISTOGRAM))
        whole = self.values(*names, "--op", operations, *options)
        for name in names:
            grown = self.keep(name, "grown.st", "--append", *options)
        self.assertEqual(grown, whole)
        self.assertEqual(self.values("--state", "grown.st"), whole)
        middle = len(names) // 2
        self.values(*names[:middle], "--op", operations, "--state", "a.st", *options)
        self.values(*names[middle:], "--op", operations, "--state", "b.st", *options)
        self.assertEqual(self.values("--state", "a.st,b.st"), whole)
        before = self.read_bytes("a.st")
        self.assertEqual(self.values("--state", "a.st,b.st", "--append"), whole)
        self.assertNotEqual(self.read_bytes("a.st"), before)
        self.assertEqual(self.values("--state", "a.st"), whole)
        for name in ("grown.st", "a.st", "b.st"):
            os.remove(self.path(name))

    def read_bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def test_all_types_have_the_bits_of_one_run(self):
        for dtype in ("f2", "f4", "f8", "i1", "u8", "i8", "?"):
            with self.subTest(dtype=dtype):
                self.assert_grows(self.parts(dtype))

    def test_the_numbers_are_true(self):
        names = self.parts("f8")
        array = np.concatenate([np.load(self.path(name)) for name in names])
        for name in names:
            self.keep(name, "s.st", "--append", operations=EVERYTHING)
        self.assertEqual(self.values("--state", "s.st"), self.values(self.save(array), "--op", ",".join(EVERYTHING)))
        self.assert_answers("a.npy", expected(array))

    def test_nan_infinities_and_missing_elements(self):
        special = [np.nan, np.inf, -np.inf, -0.0, 0.0, 5e-324, 1.0]
        names = []
        for i in range(4):
            part = np.array(random.Random(i).choices(special, k=20)).reshape(4, 5)
            names.append(self.save(part, f"part{i}.npy"))
        self.assert_grows(names)
        self.assert_grows(names, "--nan", "skip", "--ddof", "1")
        self.assert_grows(names, "--missing", "1.0")

    def test_places_are_those_in_all_arrays(self):
        for i, array in enumerate(([[3, 1], [4, 1]], [[5, 9], [2, 6], [5, 3]], [[9, 0]])):
            self.save(np.array(array), f"p{i}.npy")
            self.keep(f"p{i}.npy", "s.st", "--append", operations=("argmin", "argmax"))
        self.assert_done("reduce", "--state", "s.st", "--report", "r.json")
        report = self.read_report()
        self.assertEqual([result["coordinates"] for result in report["results"]], [[5, 1], [2, 1]])
        self.assertEqual(report["array"]["shape"], [6, 2])
        self.assertEqual(report["kept"], {"file": "s.st", "arrays": 3})

    def test_a_pipe_is_no_state(self):
        os.mkfifo(self.path("p.st"))
        for more in ((), ("--overwrite",), ("--append",)):
            self.assert_refused(("reduce", self.save(np.ones(3)), "--op", "sum", "--state", "p.st", *more), 2, "p.st", "is a pipe")

    def test_an_array_without_elements_adds_nothing(self):
        operations = ("min", "max", "argmin", "sum", "count")
        self.save(np.zeros((0, 2)), "empty.npy")
        self.assert_refused(("reduce", "empty.npy", "--op", "min", "--state", "s.st"), 2, "the array is empty")
        wanted = self.keep(self.save(np.array([[4.0, 7], [3, 9]]), "p.npy"), "s.st", operations=operations)
        self.assertEqual(self.keep("empty.npy", "s.st", "--append", operations=operations), wanted)
        self.assertEqual(self.values("--state", "s.st"), wanted)

    def test_packed_data_an_expression_and_a_product(self):
        for i in range(2):
            packed = np.arange(i, i + 12, dtype="i2").reshape(3, 4)
            with h5py.File(self.path(f"{i}.h5"), "w") as file:
                data = file.create_dataset("x", data=packed)
                data.attrs["scale_factor"], data.attrs["_FillValue"] = 0.1, np.int16(5)
            array_files.write_zarr2(self.path(f"{i}.zarr"), packed.astype("f8"), (2, 2))
        self.save(np.ones((3, 4)), "mask.npy")
        self.assert_grows(["0.h5:/x", "1.h5:/x"])
        whole = [self.values(f"{i}.zarr", "--op", "dot,sum", "--with", "mask.npy", "--state", "s.st", "--append") for i in (0, 1)][1]
        self.assertEqual(whole, ["144", "144"])
        for i in (0, 1):
            said = self.values(f"x={i}.zarr", "m=mask.npy", "--map", "x + m", "--op", "sum", "--state", "m.st", "--append")
        self.assertEqual(said, ["168"])

    def test_ranks_and_devices_write_the_same(self):
        names = self.parts("f8", (4000, 900))
        whole = self.values(*names, "--op", "sum,var,argmax")
        first = self.values(names[0], "--op", "sum,var,argmax", "--state", "s.st", "--slice", "4K")
        self.assertNotEqual(first, whole)
        done = self.run_program("reduce", names[1], "--op", "sum,var,argmax", "--state", "s.st", "--append", "--slice", "4K",
                              "--device", "reference", "--quiet", ranks=3)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.splitlines(), whole)
        self.assertEqual(self.run_program("reduce", "--state", "s.st", "--quiet", ranks=2).stdout.splitlines(), whole)

    def test_an_array_counts_once(self):
        self.save(np.arange(6.0))
        self.keep("a.npy", "s.st", operations=("sum",))
        before = self.read_bytes("s.st")
        self.assert_usage("a.npy already, which would count twice", "a.npy", "--op", "sum", "--state", "s.st", "--append")
        self.keep("a.npy", "t.st", operations=("sum",))
        self.assert_usage("would count twice", "--state", "s.st,t.st")
        self.assertEqual(self.read_bytes("s.st"), before)
        os.symlink("a.npy", self.path("same.npy"))
        for same in ("a.npy[:]", "a.npy[ 0:6 ]", "a.npy[-6:]", "a.npy[0:9:1]", "same.npy", "../" + os.path.basename(self.folder) + "/a.npy"):
            self.assert_usage("would count twice", same, "--op", "sum", "--state", "s.st", "--append")
        os.utime(self.path("a.npy"))  # touched, and copied in place
        self.assert_usage("would count twice", "a.npy", "--op", "sum", "--state", "s.st", "--append")
        # Other elements of the same file, and another file of the same name.
        self.assertEqual(self.keep("a.npy[:2]", "s.st", "--append", operations=("sum",)), ["16"])
        self.save(np.arange(7.0))
        self.assertEqual(self.keep("a.npy", "s.st", "--append", operations=("sum",)), ["37"])

    def assert_usage(self, said, *arguments):
        done = self.run_program("reduce", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(said, done.stderr)

    def test_what_cannot_follow_is_refused(self):
        self.save(np.arange(6.0).reshape(2, 3))
        self.save(np.arange(8.0).reshape(2, 4), "wide.npy")
        self.save(np.arange(6, dtype="f4").reshape(2, 3), "f4.npy")
        self.save(np.array(3.0), "scalar.npy")
        self.keep("a.npy", "s.st", operations=("sum", "mean"))
        for said, *arguments in (
                ("is there already; --append", "a.npy", "--op", "sum,mean", "--state", "s.st"),
                ("2x4 cannot follow", "wide.npy", "--op", "sum,mean", "--state", "s.st", "--append"),
                ("of f8 elements, the other one of f4", "f4.npy", "--op", "sum,mean", "--state", "s.st", "--append"),
                ("scalar cannot follow", "scalar.npy", "--op", "sum,mean", "--state", "s.st", "--append"),
                ("is of --op sum,mean; the other one of sum", "wide.npy", "--op", "sum", "--state", "s.st", "--append"),
                ("is of --nan propagate", "wide.npy", "--op", "sum,mean", "--nan", "skip", "--state", "s.st", "--append"),
                ("median needs all elements", "a.npy", "--op", "median", "--state", "m.st"),
                ("histogram=BINS,LO,HI", "a.npy", "--op", "histogram=3", "--state", "m.st"),
                ("leave out --axis", "a.npy", "--op", "sum", "--axis", "0", "--state", "m.st"),
                ("leave out --by", "a.npy", "--op", "sum", "--by", "a.npy", "--state", "m.st"),
                ("give the one file", "a.npy", "--op", "sum", "--state", "m.st,n.st"),
                ("say to which state", "a.npy", "--op", "sum", "--append"),
                ("there is no such file", "--state", "m.st"),
                ("is no state", "--state", "a.npy"),
                ("is no state", "wide.npy", "--op", "sum", "--state", "a.npy", "--append"),
                ("is not in the state, which has sum,mean", "--state", "s.st", "--op", "max"),
                ("the state has propagate", "--state", "s.st", "--nan", "skip"),
                ("leave index out", "--map", "x + index0", "x=a.npy", "--op", "sum", "--state", "m.st"),
                ("a state has no arrays", "--state", "s.st", "-o", "o.npy"),
                ("--with: a state has no arrays", "--state", "s.st", "--with", "a.npy"),
                ("is there already, and is no report", "--state", "s.st", "--report", "a.npy"),
                ("would overwrite", "--state", "s.st", "--report", "s.st"),
                ("name an INPUT", "--op", "sum")):
            with self.subTest(said=said):
                self.assert_usage(said, *arguments)
        self.assertFalse(os.path.exists(self.path("m.st")))
        self.assertEqual(self.values("--state", "s.st", "--op", "mean"), ["2.5"])

    def test_an_array_may_be_called_index(self):
        self.save(np.array([5.0, 7]))
        self.assertEqual(self.values("--map", "index * 2", "index=a.npy", "--op", "sum", "--state", "i.st"), ["24"])

    def test_defaults_that_are_given_count(self):
        self.save(np.array([1.0, 2, 3, 4]))
        self.keep("a.npy", "v.st", "--ddof", "1", "--nan", "skip", operations=("var",))
        for ddof, variance in (("0", "1.25"), ("1", "1.6666666666666667"), ("2", "2.5")):
            self.assertEqual(self.values("--state", "v.st", "--ddof", ddof), [variance])
        self.assertEqual(self.values("--state", "v.st"), ["1.6666666666666667"])
        self.assertEqual(self.values("--state", "v.st", "--nan", "skip"), ["1.6666666666666667"])
        self.assert_usage("the state has skip", "--state", "v.st", "--nan", "propagate")

    def test_a_damaged_state_is_refused(self):
        self.save(np.arange(6.0))
        self.keep("a.npy", "s.st", operations=("sum", "var"))
        sound = self.read_bytes("s.st")
        choose = random.Random(3)
        damaged = [sound[:length] for length in (9, 100, len(sound) - 1)] + [sound + b"x"]
        for _ in range(25):
            flipped = bytearray(sound)
            flipped[choose.randrange(8, len(sound))] ^= 1 << choose.randrange(8)
            damaged.append(bytes(flipped))
        for contents in damaged:
            with open(self.path("d.st"), "wb") as file:
                file.write(contents)
            done = self.run_program("reduce", "--state", "d.st")
            self.assertIn(done.returncode, (2, 4), done.stderr)
            self.assertEqual(done.stdout, "")
        self.assertEqual(self.values("--state", "s.st", "--op", "sum"), ["15"])

    def test_a_run_that_fails_leaves_the_state(self):
        self.save(np.arange(6.0))
        self.keep("a.npy", "s.st", operations=("sum",))
        before = self.read_bytes("s.st")
        with open(self.path("cut.npy"), "wb") as file:
            file.write(self.read_bytes("a.npy")[:-8])
        self.assertNotEqual(self.run_program("reduce", "cut.npy", "--op", "sum", "--state", "s.st", "--append").returncode, 0)
        self.assertEqual(self.read_bytes("s.st"), before)
        self.assertEqual(sorted(os.listdir(self.folder)), ["a.npy", "cut.npy", "s.st"])
        # A foreign file of the name that the new state has meanwhile stays.
        self.save(np.arange(2.0), "b.npy")
        with open(self.path("s.st.part"), "w") as file:
            file.write("mine")
        self.assert_usage("s.st.part", "b.npy", "--op", "sum", "--state", "s.st", "--append")
        self.assertEqual(self.read_bytes("s.st.part"), b"mine")

    def test_info_lists_what_is_in_it(self):
        for name in ("a.npy", "b.npy"):
            self.save(np.arange(4.0), name)
            self.keep(name, "s.st", "--append", operations=("sum", "max"))
        said = self.assert_done("info", "s.st")
        for text in ("state of a reduction", "a.npy", "b.npy", "sum,max", "f8"):
            self.assertIn(text, said)


if __name__ == "__main__":
    main()
