"""Reductions along axes that are killed or asked to stop: the same command goes on, in the file that is half written."""

import os
import shutil
import signal

from program import main
from reduce_runs import ReduceRunTest
from reduction import h5py, np
from runs import QUICKLY, ranks_of

AXES = ("a.npy", "--op", "sum,var,argmax,minmax,histogram=3,-1,1", "--slice", "16K", "--checkpoint", "1", "--report",
        "r.json")
# There are four items: a run that is asked to stop may finish three of them.
ONCE = {"within": 3, "signals": (signal.SIGKILL,)}


class Restart(ReduceRunTest):
    def save_matrix(self):
        rng = np.random.default_rng(7)
        self.save(rng.standard_normal((50, 80000)))

    def assert_same_file(self, truth, name):
        with h5py.File(self.path(truth)) as a, h5py.File(self.path(name)) as b:
            self.assertEqual(sorted(a), sorted(b))
            for operation in a:
                self.assertEqual(a[operation][()].tobytes(), b[operation][()].tobytes(), operation)

    def test_arrays_along_axes_go_on_after_any_kill(self):
        self.save_matrix()
        for axis, threads, ranks in (("0", "1", 0), ("-1", "1", 0), ("0", "40", 0), ("0,1", "1", 0), ("0", "1", 2)):
            job = (*AXES, "--axis", axis)
            self.assert_done("reduce", *job, *QUICKLY, "--quiet", "--output", "truth.h5", "--overwrite")
            truth = self.read_report()
            with self.subTest(axis=axis, threads=threads, ranks=ranks):
                recorded = self.stop_again_and_again("b.h5", *job, "--threads", threads, ranks=ranks,
                                                     **(ONCE if axis == "0,1" else {}))
                report = self.read_report()
                self.assertEqual(report["found_slices"], recorded)
                self.assertEqual(report["array"], truth["array"])
                self.assertLess(report["total"]["elements"], truth["total"]["elements"])
                self.assert_same_file("truth.h5", "b.h5")
                self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("b.h5.")], ["b.h5.done"])
                os.remove(self.path("b.h5"))

    def test_a_npy_goes_on_too(self):
        self.save_matrix()
        job = ("a.npy", "--op", "var", "--axis", "1", "--slice", "16K", "--report", "r.json", "--output")
        self.assert_done("reduce", *job, "truth.npy", *QUICKLY)
        self.stop_in_mid_run(*job, "b.npy")
        self.assert_done("reduce", *job, "b.npy", *QUICKLY)
        self.assertGreater(self.read_report()["found_slices"], 0)
        with open(self.path("truth.npy"), "rb") as a, open(self.path("b.npy"), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_pairs_and_groups_along_an_axis_go_on(self):
        self.save(np.random.default_rng(7).standard_normal((20, 48000)))
        self.save(np.random.default_rng(8).random(48000), "w.npy")
        self.save(np.arange(20) % 5, "k.npy")
        for more in (("--weights", "w.npy", "--axis", "0"), ("--by", "k.npy", "--weights", "w.npy", "--axis", "0")):
            with self.subTest(more=more):
                job = ("a.npy", *more, "--op", "sum,var", "--slice", "16K", "--report", "r.json", "--overwrite", "--output")
                self.assert_done("reduce", *job, "truth.h5", *QUICKLY)
                job = tuple(one for one in job if one != "--overwrite")
                self.stop_in_mid_run(*job, "b.h5")
                self.assert_done("reduce", *job, "b.h5", *QUICKLY)
                self.assertGreater(self.read_report()["found_slices"], 0)
                self.assert_same_file("truth.h5", "b.h5")
                os.remove(self.path("b.h5"))

    def test_an_output_that_was_touched_is_written_from_scratch(self):
        self.save_matrix()
        job = (*AXES, "--axis", "1", "--output")
        self.assert_done("reduce", *job, "truth.h5", *QUICKLY)

        with h5py.File(self.path("truth.h5")) as file:
            answers = file["sum"].id.get_offset()

        def zero(at):
            with open(self.path("b.h5.part"), "r+b") as file:
                file.seek(at)
                file.write(bytes(100))

        for damage in (lambda: zero(20),  # what HDF5 keeps
                       lambda: zero(answers),  # answers of the first items
                       lambda: os.truncate(self.path("b.h5.part"), 3000),
                       lambda: os.remove(self.path("b.h5.part"))):
            self.stop_in_mid_run(*job, "b.h5")
            damage()
            done = self.run_program("reduce", *job, "b.h5", *QUICKLY, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("b.h5.part has changed since it was written; restarts from scratch", done.stderr)
            self.assert_same_file("truth.h5", "b.h5")
            os.remove(self.path("b.h5"))

    def test_a_file_that_may_be_replaced_may_be_so_by_the_run_that_goes_on(self):
        self.save_matrix()
        job = (*AXES, "--axis", "1", "--output", "b.h5")
        self.assert_done("reduce", *job, *QUICKLY)
        os.rename(self.path("b.h5"), self.path("truth.h5"))
        self.assert_done("reduce", "a.npy", "--op", "any", "--axis", "1", "--output", "b.h5")
        self.assert_refused(("reduce", *job), 2, "b.h5: is there already")
        said = self.stop_in_mid_run(*job, "--overwrite")
        self.assertIn("to resume from b.h5.part.checkpoint", said)
        other = ("reduce", "a.npy", "--op", "all", "--axis", "1", "--output", "b.h5")
        self.assert_refused(other, 2, "b.h5.part.checkpoint: is of another reduction", "--overwrite")
        self.assert_done("reduce", *job, *QUICKLY)
        self.assertGreater(self.read_report()["found_slices"], 0)
        self.assert_same_file("truth.h5", "b.h5")

    def test_a_kill_just_behind_the_last_step_leaves_a_file_that_is_complete(self):
        self.save_matrix()
        job = (*AXES, "--axis", "1", "--output", "b.h5")
        self.stop_in_mid_run(*job)
        shutil.copy2(self.path("b.h5.part.checkpoint"), self.path("kept"))
        self.assert_done("reduce", *job, *QUICKLY)
        os.rename(self.path("kept"), self.path("b.h5.part.checkpoint"))
        done = self.run_program("reduce", *job)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("b.h5 is complete already", done.stderr)
        self.assertEqual(self.checkpoints(), [])

    def test_a_second_run_on_an_output_is_refused(self):
        self.save_matrix()
        job = (*AXES, "--axis", "1", "--output", "b.h5")
        first = self.start_and_record(*job)
        self.assert_refused_beside(first, ("reduce", *job))
        self.release()
        self.finish_well(first)


class MapRestart(ReduceRunTest):
    def start(self, *arguments, **options):
        return self.start_program("map", *arguments, **options)

    def test_an_expression_goes_on_in_the_file_that_is_half_written(self):
        self.save(np.random.default_rng(7).standard_normal((400, 800)))
        job = ("sqrt(a*a + 1) + sqrt(a*a + 2) + sqrt(a*a + 3)", "a.npy", "--slice", "16K", "--report", "r.json", "--output")
        self.assert_done("map", *job, "truth.npy", *QUICKLY)
        elements = self.read_report()["total"]["elements"]
        said = self.stop_in_mid_run(*job, "b.npy")
        self.assertIn("b.npy.part.checkpoint", said)
        self.assertIn("map: resuming b.npy.part.checkpoint", self.run_program("map", *job, "b.npy", *QUICKLY).stderr)
        self.assertLess(self.read_report()["total"]["elements"], elements)
        with open(self.path("truth.npy"), "rb") as truth, open(self.path("b.npy"), "rb") as found:
            self.assertEqual(found.read(), truth.read())
        self.assertEqual(self.checkpoints(), [])

    def assert_same_array(self, truth, name):
        with h5py.File(self.path(truth)) as a, h5py.File(self.path(name)) as b:
            self.assertEqual(a["map"][()].tobytes(), b["map"][()].tobytes())

    def job_of_chunks(self):
        """A job whose true result is in truth.h5."""
        array = np.random.default_rng(7).standard_normal((450, 450))
        self.save(np.rint(array * 8) / 8)
        job = ("asin(sin(a)) + pow(abs(a), 1.5) + atan2(a, 2) + sinh(a)*tanh(a) + acos(cos(a)) + hypot(a, 1) + pow(2, sin(2*a))",
               "a.npy", "--slice", "16K", "--chunk", "70x70", "--checkpoint", "1", "--report", "r.json", "--output")
        self.assert_done("map", *job, "truth.h5", *QUICKLY)
        return job

    def test_chunks_go_on_after_any_kill(self):
        job = self.job_of_chunks()
        elements = self.read_report()["total"]["elements"]
        for ranks in (0, 2):
            for number in (signal.SIGTERM, signal.SIGKILL):
                with self.subTest(ranks=ranks, number=number):
                    process = self.start_and_record(*job, "b.h5", ranks=ranks)
                    pids = ranks_of(process) if ranks else []
                    process.send_signal(number)
                    self.finish(process)
                    self.wait_until_gone(pids)
                    self.assert_done("map", *job, "b.h5", *QUICKLY, ranks=ranks)
                    self.assertLess(self.read_report()["total"]["elements"], elements)
                    self.assert_same_array("truth.h5", "b.h5")
                    self.assertEqual(self.checkpoints(), [])
                    os.remove(self.path("b.h5"))

    def assert_same_folder(self, truth, name):
        """Also the bytes of each file."""
        found = [sorted(os.path.relpath(os.path.join(folder, file), self.path(one))
                        for folder, _, files in os.walk(self.path(one)) for file in files) for one in (truth, name)]
        self.assertEqual(*found)
        for file in found[0]:
            with open(self.path(f"{truth}/{file}"), "rb") as a, open(self.path(f"{name}/{file}"), "rb") as b:
                self.assertEqual(a.read(), b.read(), file)

    def test_a_folder_of_zarr_goes_on_after_any_kill(self):
        numbers = np.random.default_rng(7)
        self.save(np.rint(numbers.standard_normal((450, 450)) * 8) / 8)
        job = ("c = asin(sin(a)) + pow(abs(a), 1.5) + atan2(a, 2) + sinh(a)*tanh(a); d = acos(cos(a)) + pow(2, sin(2*a))",
               "a.npy", "--slice", "16K", "--checkpoint", "1", "--report", "r.json")
        for options in (("--chunk", "7x450", "--compress", "2"), ("--chunk", "7x45", "--compress", "0"), ("--compress", "0")):
            job_here = (*job, *options, "--output")
            self.assert_done("map", *job_here, "truth.zarr", *QUICKLY, "--overwrite")
            elements = self.read_report()["total"]["elements"]
            for ranks in (0, 2):
                for number in (signal.SIGTERM, signal.SIGKILL):
                    with self.subTest(options=options, ranks=ranks, number=number):
                        process = self.start_and_record(*job_here, "b.zarr", ranks=ranks)
                        pids = ranks_of(process) if ranks else []
                        process.send_signal(number)
                        self.finish(process)
                        self.wait_until_gone(pids)
                        self.assertFalse(os.path.exists(self.path("b.zarr")), "no half output under the final name")
                        left = {name for name in os.listdir(self.folder) if name.startswith("b.zarr")}
                        left.discard("b.zarr.part.checkpoint.new")  # a kill may come while a checkpoint is written
                        self.assertEqual(left, {"b.zarr.part", "b.zarr.part.checkpoint", "b.zarr.part.d"})
                        self.assert_done("map", *job_here, "b.zarr", *QUICKLY, ranks=ranks)
                        self.assertLess(self.read_report()["total"]["elements"], elements)
                        self.assert_same_folder("truth.zarr", "b.zarr")
                        left = sorted(name for name in os.listdir(self.folder) if name.startswith("b.zarr"))
                        self.assertEqual(left, ["b.zarr", "b.zarr.done"])
                        shutil.rmtree(self.path("b.zarr"))
                        os.remove(self.path("b.zarr.done"))

    def test_a_folder_that_was_touched_is_written_from_scratch_or_cleaned(self):
        self.save(np.random.default_rng(7).standard_normal((450, 450)))
        job = ("a*2", "a.npy", "--slice", "16K", "--checkpoint", "1", "--chunk", "7x450", "--output")
        self.assert_done("map", *job, "truth.zarr", *QUICKLY)

        def spoil(path):
            with open(path, "r+b") as file:
                file.seek(100)
                file.write(bytes(100))

        for what, damage in (("map/c/0/0", spoil), ("map/c/0/0", os.remove), ("map/zarr.json", spoil), ("", shutil.rmtree)):
            process = self.start_and_record(*job, "b.zarr")
            self.kill(process)
            damage(self.path(f"b.zarr.part.d/{what}"))
            done = self.run_program("map", *job, "b.zarr", *QUICKLY, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("b.zarr.part has changed since it was written; restarts from scratch", done.stderr)
            self.assert_same_folder("truth.zarr", "b.zarr")
            shutil.rmtree(self.path("b.zarr"))
        self.kill(self.start_and_record(*job, "b.zarr"))
        self.assert_done("clean", "--remove")
        self.assertEqual([name for name in os.listdir(self.folder) if ".part" in name], [])

    def test_several_files_go_on_and_are_cleaned(self):
        self.save(np.random.default_rng(7).standard_normal((450, 450)))
        job = ("c = asin(sin(a)) + pow(abs(a), 1.5) + atan2(a, 2) + sinh(a)*tanh(a)",
               "d = acos(cos(a)) + hypot(a, 1) + pow(2, sin(2*a))", "a.npy", "--slice", "16K", "--chunk", "70x70", "--report",
               "r.json", "--checkpoint", "1")
        outputs = ("--output", "c=c.npy", "--output", "d=d.h5")
        self.assert_done("map", *job, "--output", "c=c0.npy", "--output", "d=d0.h5", *QUICKLY)
        elements = self.read_report()["total"]["elements"]
        for number in (signal.SIGTERM, signal.SIGKILL):
            process = self.start_and_record(*job, *outputs)
            process.send_signal(number)
            self.finish(process)
            left = [line.split()[0] for line in self.assert_done("clean").splitlines() if ".part" in line]
            left = [name for name in left if not name.endswith(".new")]  # a kill may come while a checkpoint is written
            self.assertEqual(left, ["c.npy.part", "c.npy.part.checkpoint", "d.h5.part"])
            self.assert_done("map", *job, *outputs, *QUICKLY)
            self.assertLess(self.read_report()["total"]["elements"], elements)
            with open(self.path("c0.npy"), "rb") as truth, open(self.path("c.npy"), "rb") as found:
                self.assertEqual(found.read(), truth.read())
            with h5py.File(self.path("d0.h5")) as truth, h5py.File(self.path("d.h5")) as found:
                self.assertEqual(found["d"][()].tobytes(), truth["d"][()].tobytes())
            for name in ("c.npy", "d.h5"):
                os.remove(self.path(name))
        process = self.start_and_record(*job, *outputs)
        process.send_signal(signal.SIGTERM)
        self.finish(process)
        self.assert_done("clean", "--remove")
        self.assertEqual([name for name in os.listdir(self.folder) if ".part" in name], [])

    def test_chunks_that_were_touched_are_written_from_scratch(self):
        job = self.job_of_chunks()

        def spoil(file):
            file.seek(os.path.getsize(self.path("b.h5.part")) // 2)
            file.write(bytes(1000))

        for damage in (spoil, lambda file: file.truncate(3000), lambda _: os.remove(self.path("b.h5.part"))):
            process = self.start_and_record(*job, "b.h5")
            process.send_signal(signal.SIGTERM)
            self.finish(process)
            with open(self.path("b.h5.part"), "r+b") as file:
                damage(file)
            done = self.run_program("map", *job, "b.h5", *QUICKLY, "--quiet")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("b.h5.part has changed since it was written; restarts from scratch", done.stderr)
            self.assert_same_array("truth.h5", "b.h5")
            os.remove(self.path("b.h5"))


if __name__ == "__main__":
    main()
