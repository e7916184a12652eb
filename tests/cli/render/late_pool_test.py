"""Pools in a folder that shows the files of other machines late and in another order, as NFS does; a preloaded library plays
it. Three runs come to the result of one."""

import glob
import os
import subprocess
import sys

LATE_NAMES = os.path.abspath(sys.argv.pop(2))
from program import HANG_S, main, preloading, times  # noqa: E402
from runs import QUICKLY, SLOWLY, RunTest, wait_until  # noqa: E402

try:
    import h5py
    import numpy as np
except ImportError as missing:
    main(f"{missing} (Debian: python3-h5py python3-numpy)")

PLACE = ("--view", "seahorse", "--size", "200x160", "--iterations", "400", "--tile", "32", "--threads", "1")
POOL = ("--pool", "pool", "--pool-lease", "2")
SUM = ("reduce", "random:normal?count=300000&seed=2", "--op", "mean,std,argmin,argmax", "--slice", "16K")


class LatePool(RunTest):
    def join(self, *arguments, late_ms=500, **options):
        environment = preloading(LATE_NAMES)
        environment |= {"LATE_FOLDER": os.path.realpath(self.folder), "LATE_MS": str(late_ms)}
        return self.start_program(*arguments, *POOL, "--quiet", env=environment, **options)

    def finish_all(self, *arguments):
        for run in [self.join(*arguments) for _ in range(3)]:
            self.finish_well(run)

    def counts(self, name):
        with h5py.File(self.path(name)) as file:
            self.assertEqual(bytes(file.attrs["status"]).decode(), "complete")
            return file["iterations"][:]

    def assert_images(self, *names):
        for name in names:
            np.testing.assert_array_equal(self.counts(name), self.counts(name.replace("o", "truth", 1)))

    def test_an_image(self):
        self.assert_done("render", *PLACE, *QUICKLY, "--output", "truth.h5", "--quiet")
        for _ in range(times()):
            self.finish_all("render", *PLACE, *QUICKLY, "--pool-shares", "6", "--output", "o.h5", "--overwrite")
            self.assert_images("o.h5")
            self.remove_pool()

    def test_a_zoom(self):
        zoom = ("render", *PLACE, *QUICKLY, "--frames", "4")
        self.assert_done(*zoom, "--output", "truth.h5", "--quiet")
        self.finish_all(*zoom, "--output", "o.h5")
        self.assert_images(*(f"o-{i:04}.h5" for i in range(4)))

    def test_a_reduction(self):
        truth = self.assert_done(*SUM, "--quiet")
        for _ in range(times()):
            reports = [f"{i}.json" for i in range(3)]
            for run in [self.join(*SUM, "--pool-shares", "6", "--report", report) for report in reports]:
                self.finish_well(run)
            for report in reports:
                results = self.read_json(report)["results"]
                self.assertEqual([value["decimal"] for result in results for value in result["values"]], truth.split())
            self.remove_pool()

    def test_a_run_that_is_killed(self):
        self.assert_done("render", *PLACE, *QUICKLY, "--output", "truth.h5", "--quiet")
        image = ("render", *PLACE, "--pool-shares", "3", "--output", "o.h5")
        first = self.join(*image, *SLOWLY, hold=9)
        self.assert_held(first)
        wait_until("tiles are stored", lambda: any(os.path.getsize(log) > 200 for log in glob.glob(self.path("pool/*.log"))))
        self.kill(first)
        self.finish_all(*image, *QUICKLY)
        self.assert_images("o.h5")

    def test_the_library_plays(self):
        self.write("early", "")
        environment = preloading(LATE_NAMES) | {"LATE_FOLDER": os.path.realpath(self.folder), "LATE_MS": str(10**9)}
        look = "import os; print(flush=True); input(); open('own', 'w'); print(*sorted(os.listdir('.')), os.path.exists('late'))"
        with subprocess.Popen([sys.executable, "-c", look], cwd=self.folder, env=environment, text=True, stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            self.write("late", "")
            self.assertEqual(process.communicate("\n", timeout=HANG_S)[0], "early own False\n")

    def remove_pool(self):
        for folder, _, files in os.walk(self.path("pool"), topdown=False):
            for name in files:
                os.remove(os.path.join(folder, name))
            os.rmdir(folder)


if __name__ == "__main__":
    main()
