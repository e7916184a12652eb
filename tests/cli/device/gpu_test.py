"""Whole runs on a GPU through CUDA, compared with the reference. Skipped, with the reason, where there is none."""

from device_reductions import DeviceReductions, OfEveryKind
from reduction import EVERYTHING, ReduceTest, h5py, np
from program import main, why_missing

FIELDS = ("iterations", "smooth")
OPERATIONS = ",".join((*EVERYTHING, "histogram=9,-3,3"))


class Render(ReduceTest):
    def render(self, device, *options, ranks=0):
        self.assert_done("render", "--view", "seahorse", "--size", "1301x903", "--iterations", "3000", "--fields",
                         ",".join(FIELDS), "--output", "a.h5", "--overwrite", "--quiet", "--device", device, *options,
                         ranks=ranks)
        with h5py.File(self.path("a.h5"), "r") as file:
            return [file[field][()].tobytes() for field in FIELDS]

    def test_pixels_are_those_of_the_reference(self):
        truth = self.render("reference", "--tile", "2048")
        for device, ranks, tile in (("cuda", 0, "256"), ("cuda", 2, "100"), ("cuda,cpu", 0, "64"), ("auto", 2, "512")):
            with self.subTest(device=device, ranks=ranks, tile=tile):
                self.assertEqual(self.render(device, "--tile", tile, ranks=ranks), truth)

    def test_orbits_longer_than_a_launch_are_those_of_the_cores(self):
        for formula, iterations in (("julia:-0.390540870218,-0.586787907346", "1200007"), ("mandelbrot", "4294967294")):
            for device in ("cpu", "cuda", "cuda,cpu"):
                self.assert_done("render", f"--formula={formula}", "--center=0,0", "--width", "1", "--size", "24x16",
                                 "--tile", "16", "--iterations", iterations, "--device", device, "--quiet",
                                 "--overwrite", "--output", f"{device}.h5")
                with h5py.File(self.path(f"{device}.h5")) as got, h5py.File(self.path("cpu.h5")) as truth:
                    self.assertTrue(np.array_equal(got["iterations"], truth["iterations"]), (formula, device))

    def test_what_was_rendered_is_verified(self):
        self.render("cuda")
        self.assert_done("verify", "a.h5", "--device", "cuda")


class Reduce(ReduceTest):
    def results(self, source, device, *options, ranks=0):
        self.assert_done("reduce", source, "--op", OPERATIONS, "--device", device, "--quiet", "--report", "r.json",
                         *options, ranks=ranks)
        report = self.read_report()
        return report["results"], [rank["device"] for rank in report["ranks"]]

    def assert_same(self, source, *options):
        truth, _ = self.results(source, "reference", *options)
        for device, ranks, size in (("cuda", 0, "8M"), ("cuda", 0, "100K"), ("cuda", 2, "1M"), ("cpu,cuda", 0, "64K")):
            with self.subTest(source=source, device=device, ranks=ranks):
                got, devices = self.results(source, device, "--slice", size, *options, ranks=ranks)
                self.assertEqual(got, truth)
                self.assertIn("cuda:", devices[0])

    def test_numbers_of_files_are_those_of_the_reference(self):
        random = np.random.default_rng(71)
        self.assert_same(self.save(random.standard_normal(1000003)))
        self.assert_same(self.save(random.standard_normal(60013) * 2.0 ** random.integers(-500, 500, 60013)))
        holes = random.standard_normal((251, 240)).astype("f4")
        holes[random.random(holes.shape) < 0.1] = np.nan
        self.save(holes)
        self.assert_same("a.npy")
        self.assert_same("a.npy", "--nan", "skip")
        self.assert_same(self.save(np.asfortranarray(random.integers(-3, 4, (250, 240)).astype(">i2"))))
        self.assert_same(self.save(random.integers(0, 2**64 - 1, 50021, dtype="u8")))

    def test_numbers_of_made_arrays_are_those_of_the_reference(self):
        for source in ("random:uniform?count=2000003&dtype=f4", "random:normal?count=1000001", "linspace:-1,2?count=70001"):
            self.assert_same(source)

    def test_auto_takes_the_gpu_for_made_arrays_and_the_cores_for_files(self):
        # In the rank itself, for which it waits.
        made = "random:normal?count=100001"
        self.assert_done("reduce", made, "--op", "sum,argmax", "--quiet", "--report", "r.json", "--isolate", "off")
        self.assertIn("cuda:", self.read_report()["ranks"][0]["device"])
        self.assert_done("reduce", made, "--op", "skewness", "--quiet", "--report", "r.json", "--isolate", "off")
        self.assertEqual(self.read_report()["ranks"][0]["device"], "cpu", "powers are added by the cores")
        self.assert_done("reduce", made, "--op", "dot", "--with", made, "--quiet", "--report", "r.json", "--isolate", "off")
        self.assertIn("cuda:", self.read_report()["ranks"][0]["device"])
        self.assert_done("reduce", made, "--op", "sum", "--axis", "0", "--output", "o.npy", "--quiet", "--report", "r.json")
        self.assertIn("cuda:", self.read_report()["ranks"][0]["device"])
        self.assertEqual(self.results(self.save(np.arange(9.0)), "auto")[1], ["cpu"])


class Parts(OfEveryKind, DeviceReductions):
    RUNS = (("cuda", 0), ("cuda", 2), ("cpu,cuda", 0))


if __name__ == "__main__":
    main(skipped=why_missing("cuda"))
