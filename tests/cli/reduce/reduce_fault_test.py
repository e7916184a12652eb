"""What becomes of a reduction when devices fail in mid-run. Needs a build with TESSERA_FAULT_POINTS=ON."""

import os

from reduction import ReduceTest, h5py, np
from program import main

OPERATIONS = "sum,var,min,argmax,count_nonzero,histogram=5"


class Fault(ReduceTest):
    def setUp(self):
        super().setUp()
        self.save(np.random.default_rng(9).standard_normal(200003))
        self.truth = self.results(self.reduce_with("--device", "reference"))

    def reduce_with(self, *options, operations=OPERATIONS, fault="", ranks=0):
        return self.run_program("reduce", "a.npy", "--op", operations, "--slice", "16K", "--quiet", "--report",
                                "r.json", *options, ranks=ranks, env={**os.environ, "TESSERA_FAULT": fault})

    def results(self, done):
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.read_report()["results"]

    def need_opencl(self):
        if "TESSERA_REQUIRE_OPENCL" not in os.environ and self.reduce_with("--device", "opencl").returncode == 3:
            self.skipTest("no OpenCL device")

    def test_whatever_is_read_past_hdf5_is_compared_when_that_is_ordered(self):
        array = np.arange(6000, dtype="<i4").reshape(60, 100) + 1
        datasets = {"stretch": {}, "swapped": {"dtype": ">i4"}, "found": {"chunks": (7, 30)},
                    "as they are": {"chunks": (20, 50)}, "fetched": {"chunks": (1, 1)},
                    "filtered": {"chunks": (7, 30), "compression": 1, "shuffle": True}}
        with h5py.File(self.path("a.h5"), "w") as file:
            for name, options in datasets.items():
                file.create_dataset(name, data=array, **options)
            # The first chunk comes through H5Dread, and the others after its pattern.
            file.create_dataset("absent", array.shape, "<i4", chunks=(7, 30), fillvalue=2)
        environment = {**os.environ, "TESSERA_FAULT": "hdf5.check@1", "TESSERA_CHECK_HDF5": "0"}
        checked = {**environment, "TESSERA_CHECK_HDF5": "1"}
        for name in (*datasets, "absent"):
            source = f"a.h5:/{name}"
            for more in (("sum",), ("sum", "--slice", "4K"), ("sum", "--axis", "0", "--output", "o.npy"),
                         ("dot", "--with", source), ("sum", "--device", "reference")):
                with self.subTest(name=name, more=more):
                    self.assert_refused(["reduce", source, "--op", *more], 4, source, "past HDF5", "through H5Dread",
                                        env=checked)
            self.assert_done("reduce", source, "--op", "sum", env=environment)
            self.assert_done("reduce", source, "--op", "sum", env={**os.environ, "TESSERA_CHECK_HDF5": "1"})

    def test_a_gpu_that_fails_leaves_its_slices_to_the_cores(self):
        self.need_opencl()
        for call in (1, 7):
            for _ in range(10):
                done = self.reduce_with("--device", "cpu,opencl", "--threads", "1",
                                        fault=f"device.kernel.gpu@{call}+,worker.slow@1")  # so that both begin
                self.assertEqual(self.results(done), self.truth)
                lost = self.read_report()["ranks"][0]["lost"]
                if lost:
                    break
                self.assertEqual(done.stderr, "")  # the cores were so quick that it never came to that
            if call > 1 and not lost:
                continue
            self.assertEqual([entry["device"].split(":")[0] for entry in lost], ["opencl"])
            self.assertIn("fault point", lost[0]["cause"])
            self.assertRegex(done.stderr,
                             r"opencl:\d\.\d is out of the run: .*fault point.*; its slices go to the others")

    def test_a_gpu_that_fails_leaves_its_parts_of_axes_groups_and_dot_products_to_the_cores(self):
        self.need_opencl()
        self.save(np.random.default_rng(10).standard_normal((900, 400)))
        self.save(np.arange(400) % 7, "k.npy")
        axis = ("--axis", "0", "--output", "o.npy", "--overwrite")
        by = ("--by", "k.npy", *axis[2:])
        for options, operations in ((axis, "sum"), (by, "var"), (by, "max,median"), (("--with", "a.npy"), "dot,sum"),
                                    ((), "median,topk=5")):
            truth = None
            for device, fault in (("reference", ""), ("cpu,opencl", "device.kernel.gpu@1+"),
                                  ("opencl,cpu", "device.kernel.gpu@5+")):
                done = self.reduce_with("--device", device, "--threads", "1", *options, operations=operations, fault=fault)
                results = self.results(done)
                if "--output" in options:
                    results = np.load(self.path("o.npy")).tobytes()
                truth = truth or results
                self.assertEqual(results, truth)
                lost = self.read_report()["ranks"][0]["lost"]
                self.assertIn([entry["device"].split(":")[0] for entry in lost], ([], ["opencl"]))
        for options, operations in ((axis, "sum"), (by, "sum"), (("--with", "a.npy"), "dot"), ((), "topk=5")):
            done = self.reduce_with("--device", "opencl", *options, operations=operations, fault="device.kernel.gpu@2+")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("tessera: no device is left: ", done.stderr)
        self.assertFalse(os.path.exists(self.path("o.npy.part")))

    def test_a_rank_that_loses_its_device_leaves_its_slices_to_the_others(self):
        done = self.reduce_with("--device", "cpu", fault="rank1:device.kernel@2+", ranks=2)
        self.assertEqual(self.results(done), self.truth)

    def test_without_any_device_left_the_run_fails(self):
        self.need_opencl()
        for device, ranks in (("cpu", 0), ("opencl", 0), ("opencl", 2)):
            done = self.reduce_with("--device", device, fault="device.kernel@3+", ranks=ranks)
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertIn("tessera: no device is left: ", done.stderr)

    def test_a_device_without_room_has_fewer_lanes_or_is_an_error(self):
        self.need_opencl()
        done = self.reduce_with("--device", "opencl", operations="sum", fault="device.memory@2+")
        self.assertEqual(self.results(done), self.truth[:1])
        done = self.reduce_with("--device", "opencl", fault="device.memory@1+")
        self.assertEqual(done.returncode, 4)
        self.assertRegex(done.stderr, r"^tessera: opencl:\d\.\d: .*memory is full")
        done = self.reduce_with("--device", "opencl,cpu", fault="device.memory@1+")
        self.assertEqual(self.results(done), self.truth)
        self.assertRegex(done.stderr, r"opencl:\d\.\d is out of the run: .*memory is full.*; its slices go to the others")

    def test_the_cores_take_over_from_the_only_device_that_auto_chose(self):
        self.need_opencl()
        made = ("random:normal?count=3000001", "--slice", "1M", "--quiet", "--report", "r.json")
        axis = ("--op", "sum", "--axis", "0", "--output", "o.npy", "--overwrite")
        for options in (("--op", "sum,argmax,histogram=7"), ("--op", "dot", "--with", "linspace:-1,2?count=3000001"), axis):
            with self.subTest(options=options):
                self.assert_done("reduce", *made, *options, "--device", "cpu")
                truth = self.read_report()["results"], options is axis and np.load(self.path("o.npy")).tobytes()
                done = self.run_program("reduce", *made, *options, "--device", "auto", "--isolate", "off", env={
                    **os.environ, "TESSERA_FAULT": "device.opencl.gpu@1+,device.kernel.gpu@2+"})
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertIn("cpu takes over", done.stderr)
                got = self.read_report()["results"], options is axis and np.load(self.path("o.npy")).tobytes()
                self.assertEqual(got, truth)
                self.assertRegex(self.read_report()["ranks"][0]["device"], r"^(cuda:\d|opencl:\d\.\d)\+cpu$")


if __name__ == "__main__":
    main()
