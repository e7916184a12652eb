"""Reductions of whole arrays that are killed or asked to stop: the same command goes on, reads nothing twice that was
recorded, and comes to the same bits."""

import os
import signal

from program import main, times
from reduce_runs import ALONE, SLICE_BYTES, Checkpoint, Job, ReduceRunTest
from runs import QUICKLY, SLOWLY

SHARED = Job(6_000_000)  # by three ranks
# What the quantiles collect does not fit, so they take two passes.
ORDER = ("random:normal?count=10000000&seed=3", "--op", "mean,median,quantile=0.01,0.1,0.3,0.7,0.9,0.99,topk=5,argtopk=5",
         "--memory", "100M", "--slice", "256K", "--checkpoint", "1", "--report", "r.json")
ORDER_SLICES = -(-8 * 10_000_000 // SLICE_BYTES)


class Restart(ReduceRunTest):
    def assert_goes_on(self, recorded, job=ALONE, ranks=0):
        """To its end: nothing that was recorded is read again."""
        said = self.finish_well(self.start(*job.arguments, *QUICKLY, ranks=ranks))
        report = self.read_report()
        self.assertEqual(report["found_slices"], recorded, said)
        self.assertEqual(report["total"]["slices"], job.slices - recorded)
        self.assertLessEqual(report["total"]["bytes"], 2 * (job.slices - recorded) * SLICE_BYTES)  # two arrays
        self.assertEqual(self.checkpoints(), [])
        self.assertEqual(report["results"], self.truth_of(job))

    def test_a_process_killed_at_any_moment_goes_on(self):
        for _ in range(2 * times()):
            for _ in range(2):
                before = self.progress()
                self.kill(self.start_and_record(*ALONE.arguments, after=before, hold=self.random.randrange(2, 60)))
                self.assertGreater(self.progress(), before)
            self.assert_goes_on(self.recorded())

    def test_an_expression_that_a_device_evaluates_goes_on(self):
        job = ("x=random:normal?count=6000000&seed=3", "y=random:uniform?count=6000000", "--map", "x*y + cbrt(y)", "--op",
               "sum,norm2,argmax", "--slice", "256K", "--checkpoint", "1", "--report", "r.json")
        if self.run_program("devices", "--device", "opencl").returncode != 0:
            self.skipTest("no OpenCL")
        truth = self.truth(*job)
        process = self.start(*job, "--device", "opencl", "--quiet", hold=20)
        self.assert_reaches(process, "its first checkpoint", self.recorded)
        self.kill(process)
        recorded = self.recorded()
        self.assertGreater(recorded, 0)
        self.finish_well(self.start(*job, "--device", "opencl"))
        self.assertEqual(self.read_report()["found_slices"], recorded)
        self.assertEqual(self.results(), truth)

    def has_reached(self, number):
        """Whether slices of that pass are recorded."""
        names = self.checkpoints()
        if not names:
            return False
        checkpoint = Checkpoint(self.path(names[0]))
        return checkpoint.pass_number >= number and bool(checkpoint.finished.any())

    def test_order_statistics_go_on_in_each_pass(self):
        truth = self.truth(*ORDER)
        for number in range(2):
            process = self.start(*ORDER, *SLOWLY, "--quiet", hold=number * ORDER_SLICES - self.recorded() + 10)
            self.assert_reaches(process, f"pass {number}", lambda number=number: self.has_reached(number))
            self.kill(process)
        recorded = self.recorded()
        self.finish_well(self.start(*ORDER, *QUICKLY, ranks=2))
        self.assertEqual(self.read_report()["found_slices"], recorded)
        self.assertEqual(self.results(), truth)

    def test_a_rank_or_the_launcher_or_all_killed_go_on(self):
        self.truth_of(SHARED)
        for victims in ("rank 0", "another rank", "mpirun", "all") * times():
            with self.subTest(victims=victims):
                self.kill_some_of(self.start_and_record(*SHARED.arguments, ranks=3), victims)
                self.assert_goes_on(self.recorded(), SHARED, ranks=2)

    def test_a_signal_to_any_rank_or_the_launcher_stops_all_in_good_order(self):
        cases = [(0, "it", signal.SIGTERM), (0, "it", signal.SIGUSR1), (0, "it", signal.SIGUSR2), (0, "it", signal.SIGINT),
                 (3, "rank", signal.SIGTERM), (3, "mpirun", signal.SIGUSR2)]
        for ranks, target, number in cases:
            with self.subTest(ranks=ranks, target=target, number=number):
                job = SHARED if ranks else ALONE
                self.truth_of(job)
                process = self.start(*job.arguments, *SLOWLY, "--quiet", ranks=ranks, hold=4)
                self.assert_held(process, max(ranks, 1))
                self.assertIn("to resume from tessera-reduce-", self.signal_one_of(process, target, number))
                self.assertGreater(self.recorded(), 0)
                self.assert_goes_on(self.recorded(), job, ranks)

    def test_a_second_signal_leaves_at_once_and_what_is_on_the_disk_counts(self):
        process = self.start_and_record(*ALONE.arguments, hold=0, faults=("worker.hang@4+",))
        self.assert_held(process)
        self.stop_twice(process)
        self.assertGreater(self.recorded(), 0)
        self.assert_goes_on(self.recorded())

    def test_max_seconds_stops_and_goes_on_with_any_slice_and_any_number_of_ranks(self):
        for seconds in ("1", "10", "100"):  # a busy machine may do nothing in the first of them
            self.assert_stops(self.start(*ALONE.arguments, *SLOWLY, "--max-seconds", seconds, "--quiet", hold=4),
                              "stopped by --max-seconds")
            recorded = self.recorded()
            if recorded:
                break
        # The cut is that of the run that began.
        said = self.finish_well(self.start(*ALONE.arguments, *QUICKLY, "--slice", "1M", "--max-seconds", "1000", ranks=3))
        self.assertIn(f"{recorded} of {ALONE.slices // 2} slices are done", said)
        self.assertEqual(self.read_report()["total"]["slices"], ALONE.slices - recorded)
        self.assertEqual(self.results(), self.truth_of(ALONE))

    def test_a_stopped_run_writes_its_report_and_the_next_one_adds_up_the_starts(self):
        process = self.start_and_record(*ALONE.arguments, "--report-html", "page.html", "--quiet", hold=4)
        process.send_signal(signal.SIGTERM)
        self.assert_stops(process, "stopped by SIGTERM")
        first = self.read_report()
        self.assertEqual((first["state"], first["results"], len(first["starts"])), ("stopped", [], 1))
        self.assertNotIn("nans", first["array"])
        with open(self.path("page.html")) as page:
            self.assertIn('"state":"stopped"', page.read())
        self.finish_well(self.start(*ALONE.arguments, *QUICKLY, "--report-html", "page.html", "--quiet"))
        last = self.read_report()
        self.assertEqual((last["state"], len(last["starts"])), ("complete", 2))
        self.assertEqual(last["all_starts"]["items"], ALONE.slices)

    def test_a_run_that_is_stopped_before_anything_is_done_leaves_its_report_alone(self):
        job = (*Job(120_000_000).arguments, "--slice", "1G", *SLOWLY)  # in one slice, longer than a begun one may take
        process = self.start(*job, hold=1)
        self.assert_held(process)
        process.send_signal(signal.SIGTERM)
        code, said = self.finish(process)
        self.assertEqual(code, 75, said)
        self.assertIn("stopped by SIGTERM with 0 of 1 slice done", said)
        self.assertNotIn("to resume", said)
        self.assertEqual(os.listdir(self.folder), ["r.json"])
        self.assertEqual(self.read_report()["state"], "stopped")


if __name__ == "__main__":
    main()
