"""tessera reduce on other devices than cores: the same numbers, one device or several, and what is said of those that
are not there. OpenCL is PoCL on most machines; skipped aloud where there is none, unless TESSERA_REQUIRE_OPENCL is set."""

import os

from device_reductions import DeviceReductions, OfEveryKind
from reduction import EVERYTHING, ReduceTest, h5py, np
from program import main

OPERATIONS = (*EVERYTHING, "histogram=9,-3,3")


class OpenClTest(DeviceReductions):
    RUNS = (("opencl", 0), ("cpu,opencl", 2), ("cpu,opencl", 0))

    def setUp(self):
        super().setUp()
        if "TESSERA_REQUIRE_OPENCL" in os.environ:
            return
        self.save(np.zeros(1))
        probe = self.run_program("reduce", "a.npy", "--op", "sum", "--device", "opencl")
        if probe.returncode == 3:
            self.skipTest(probe.stderr)


class Parts(OfEveryKind, OpenClTest):
    def test_axes_keep_within_memory(self):
        self.save(np.zeros((3000, 500)))
        command = ["reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy", "--device", "opencl"]
        self.assert_done(*command, "--quiet", "--memory", "90M", "--report", "r.json")
        self.assertEqual(self.read_report()["ranks"][0]["workers"], 1)
        self.assertEqual(np.load(self.path("o.npy")).tolist(), [0.0] * 500)
        self.assert_refused([*command, "--overwrite", "--memory", "70M"], 2, "--memory", "with --axis")


class Chunks(OpenClTest):
    def test_an_index_is_that_of_the_array_however_it_is_stored(self):
        array = np.random.default_rng(12).standard_normal((22, 50))
        with h5py.File(self.path("chunks.h5"), "w") as file:
            file.create_dataset("x", data=array, chunks=(9, 32))
        np.save(self.path("fortran.npy"), np.asfortranarray(array))
        for name in ("chunks.h5:/x", "fortran.npy"):
            for expression in ("index", "index1 * 100 + index0", "index * x"):
                self.assert_map_same(expression, f"x={name}")


class Limits(OpenClTest):
    def test_device_memory_is_a_limit(self):
        self.save(np.random.default_rng(5).standard_normal((3000, 500)))
        for options in (("--op", "sum,norm2,argmax"), ("--op", "sum", "--axis", "0", "--output", "o.npy"),
                        ("--op", "sum,norm2,argmax", "--map", "sqrt(a*a) + index")):
            with self.subTest(options=options):
                self.assert_done("reduce", "a.npy", *options, "--device", "opencl", "--device-memory", "4M", "--quiet",
                                 "--overwrite", "--report", "r.json")
                memory = self.read_report()["ranks"][0]["device_memory"]
                self.assertTrue(1 << 20 < memory[0]["peak_bytes"] <= 4 << 20, memory)
        truth = self.map("a + index", ("a.npy",), "reference")
        self.assertEqual(self.map("a + index", ("a.npy",), "opencl", "--device-memory", "2M"), truth)
        truth = self.written(("c = a + index", "d = a*a"), ("a.npy",), "reference")
        self.assertEqual(self.written(("c = a + index", "d = a*a"), ("a.npy",), "opencl", "--device-memory", "4M"), truth)
        memory = self.read_report()["ranks"][0]["device_memory"]
        self.assertTrue(1 << 20 < memory[0]["peak_bytes"] <= 4 << 20, memory)
        self.assert_refused(("map", "a + 1", "a.npy", "--output", "e.npy", "--device", "opencl", "--memory", "66M"), 2, "--memory",
                            "one thread needs")
        self.assert_refused(("reduce", "a.npy", "--op", "sum", "--device", "opencl", "--device-memory", "500K"), 2,
                            "--device-memory 500 KiB", "one lane of opencl:", "needs 1.")


    def test_more_groups_than_the_device_holds(self):
        random = np.random.default_rng(6)
        self.save(random.standard_normal(120000))
        self.save(random.permutation(120000) // 2, "k.npy")
        for options in ((), ("--groups", "60000")):
            truth = self.groups("a.npy", "k.npy", "reference", "--op", "sum,var,argmax", *options)
            got = self.groups("a.npy", "k.npy", "opencl", "--op", "sum,var,argmax", "--device-memory", "3M", *options)
            self.assertEqual([name for name in truth if got[name] != truth[name]], [])
            memory = self.read_report()["ranks"][0]["device_memory"]
            self.assertTrue(1 << 20 < memory[0]["peak_bytes"] <= 3 << 20, memory)


class Devices(OpenClTest):

    def results(self, source, *options, **how):
        """Every number, and which devices took how many slices."""
        self.assert_done("reduce", source, "--op", ",".join(OPERATIONS), "--quiet", "--report", "r.json", *options, **how)
        report = self.read_report()
        return report["results"], report["ranks"]

    def assert_same(self, source, *options):
        truth, _ = self.results(source, "--device", "reference", *options)
        for device, ranks in (("opencl", 0), ("cpu,opencl", 0), ("opencl", 2), ("reference,opencl", 3)):
            with self.subTest(source=source, device=device, ranks=ranks):
                got, who = self.results(source, "--device", device, "--slice", "100K", *options, ranks=ranks)
                self.assertEqual(got, truth)
                self.assertIn("opencl:", who[0]["device"])

    def test_numbers_are_those_of_the_reference(self):
        random = np.random.default_rng(61)
        wide = random.standard_normal(60013) * 2.0 ** random.integers(-500, 500, 60013)
        self.assert_same(self.save(wide))
        holes = random.standard_normal((251, 240)).astype("f4")
        holes[random.random(holes.shape) < 0.1] = np.nan
        self.save(holes)
        self.assert_same("a.npy")
        self.assert_same("a.npy", "--nan", "skip")

    def test_arrays_in_another_order_and_in_chunks(self):
        random = np.random.default_rng(62)
        self.assert_same(self.save(np.asfortranarray(random.integers(-3, 4, (250, 240)).astype(">i2"))))
        with h5py.File(self.path("a.h5"), "w") as file:
            file.create_dataset("x", data=random.integers(0, 200, (303, 210)).astype("u1"), chunks=(50, 64),
                                compression=1, shuffle=True)
        self.assert_same("a.h5:/x")

    def test_arrays_that_are_made(self):
        for source in ("random:uniform?count=200003&seed=7&dtype=f4", "random:normal?count=100001",
                       "linspace:-1,2?count=70001"):
            self.assert_same(source)

    def test_one_element_and_none(self):
        for count in (0, 1):
            self.save(np.full(count, -0.0))
            truth, _ = self.reduce("a.npy", ("sum", "norm2", "count_nonzero"), "--device", "reference")
            got, _ = self.reduce("a.npy", ("sum", "norm2", "count_nonzero"), "--device", "opencl")
            self.assertEqual(got["results"], truth["results"])

    def test_auto_is_the_cores_for_files(self):
        self.save(np.arange(5))
        for options in ((), ("--device", "auto")):
            report, _ = self.reduce("a.npy", ("sum",), *options)
            self.assertEqual(report["ranks"][0]["device"], "cpu")
            report, _ = self.reduce("a.npy", ("dot",), "--with", "linspace:0,4?count=5", *options)
            self.assertEqual(report["ranks"][0]["device"], "cpu")
            self.assert_done("reduce", "a.npy", "--op", "sum", "--axis", "0", "--output", "o.npy", "--overwrite",
                             "--quiet", "--report", "r.json", *options)
            self.assertEqual(self.read_report()["ranks"][0]["device"], "cpu")

    def test_memory_is_kept(self):
        self.save(np.arange(2000000.0))
        report, values = self.reduce("a.npy", ("sum",), "--device", "opencl", "--memory", "100M")
        self.assertEqual(values["sum"], 1999999000000.0)
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--device", "opencl", "--memory", "70M"], 2, "--memory",
                            "needs 75.0 MiB", "--slice")

    def test_devices_that_are_not_there(self):
        self.save(np.arange(5))
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--device", "opencl:9.9"], 3, "opencl:9.9", "no such device")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--device", "opencl:x"], 2, "opencl:x")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--device", "opencl,opencl"], 2, "twice")


class Cuda(ReduceTest):
    def test_says_why_there_is_none(self):
        self.save(np.arange(5))
        done = self.run_program("reduce", "a.npy", "--op", "sum", "--device", "cuda")
        if done.returncode == 0:
            self.skipTest("there is a GPU")
        self.assert_refused(["reduce", "a.npy", "--op", "sum", "--device", "cuda"], 3, "--device cuda")


if __name__ == "__main__":
    main()
