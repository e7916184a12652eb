"""Jobs that Slurm stops before they are done: they carry on where they were, and end with the same bits."""

import json
import os

import cluster

SLOWLY = ("--device", "reference", "--threads", "1")
JOB = ("--view", "seahorse", "--size", "1000x800", "--iterations", "1000", "--tile", "50")
REDUCTION = ("random:normal?count=20000000", "--op", "sum,var,argmax,histogram=5,-1,1", "--slice", "256K")
NODES = ("--nodes=3", "--ntasks-per-node=1")


class Stop(cluster.ClusterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cluster.run_here(cls.folder, "render", *JOB, "--output", "here.h5")
        cls.whole_bytes = cls.size_of("here.h5")

    def start(self, name, *options):
        """Number of a job that has stored a part of its tiles by now, and is held."""
        job = self.submit("render.sbatch", [*NODES, *options],
                          [*JOB, *SLOWLY, "--output", name + ".h5", "--report", name + ".json"],
                          environment=self.hold(60))
        self.wait_until_part_is_done(name + ".h5", self.whole_bytes)
        return job

    def assert_finished(self, job, name, restarts=1):
        self.assert_ends(job, "COMPLETED")
        self.assertGreaterEqual(self.restarts(job), restarts)
        self.assert_went_on(name + ".json", job)
        self.assert_same_bits("here.h5", name + ".h5")

    def test_a_job_whose_time_is_up_is_requeued_and_finishes(self):
        job = self.start("limit", "--time=1", "--signal=B:USR1@30")
        # Slurm looks every 30 s only.
        self.wait_until("the stop", lambda: "srun ended with 75" in self.log(job))
        self.assertIn("] USR1", self.log(job))
        self.release()
        self.assert_finished(job, "limit")

    def test_a_preempted_job_is_requeued_and_finishes(self):
        job = self.start("preempted")
        urgent = self.slurm("sbatch", "--parsable", "--partition=urgent", "--exclusive", "--nodes=3", "--wrap", "true")
        self.assert_ends(urgent, "COMPLETED")
        self.release()
        self.assert_finished(job, "preempted")

    def results(self, report):
        with open(self.path(report)) as file:
            run = json.load(file)
        return run["found_slices"], run["results"]

    def start_reduction(self, name):
        """Number of a job that has recorded some slices by now."""
        job = self.submit("reduce.sbatch", NODES,
                          [*REDUCTION, *SLOWLY, "--checkpoint", "1", "--report", name + ".json"],
                          environment=self.hold(10))
        self.wait_until("a checkpoint", lambda: self.checkpoints() or os.path.exists(self.path(name + ".json")))
        self.assertFalse(os.path.exists(self.path(name + ".json")), "it is done before anything could happen to it")
        return job

    def checkpoints(self):
        return [name for name in os.listdir(self.folder) if name.endswith(".checkpoint")]

    def assert_reduced(self, job, name):
        self.assert_ends(job, "COMPLETED")
        cluster.run_here(self.folder, "reduce", *REDUCTION, "--report", "here.json")
        found, results = self.results(name + ".json")
        self.assertEqual(results, self.results("here.json")[1])
        self.assertEqual(self.checkpoints(), [])
        return found

    def test_a_reduction_whose_time_is_up_is_requeued_and_finishes(self):
        job = self.start_reduction("reduced")
        # What Slurm does near the limit, but not as early as it may, which is before there is anything to keep.
        self.slurm("scancel", "--batch", "--signal=USR1", job)
        self.wait_until("the stop", lambda: "srun ended with 75" in self.log(job))
        self.release()
        self.assertGreater(self.assert_reduced(job, "reduced"), 0, self.log(job))
        self.assertEqual(self.restarts(job), 1)

    def test_a_reduction_that_loses_a_rank_finishes(self):
        job = self.start_reduction("lost")
        self.cluster("run", "h2", "pkill", "-KILL", "-x", "tessera")
        self.release()
        self.assert_reduced(job, "lost")
        # Slurm may end the step with the rank, or leave the others to finish. What they have finished is not begun again,
        # whatever srun says.
        log = self.log(job)
        self.assertTrue("] start 2" in log or "but the run with 0" in log, log)
        self.assertEqual(log.count("\nwall time "), 1, log)
        self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".status")], [])

    def test_a_cancelled_job_is_carried_on_by_the_next_one(self):
        job = self.start("cancelled")
        self.slurm("scancel", job)
        self.assert_ends(job, "CANCELLED")
        self.release()
        again = self.submit("render.sbatch", NODES, [*JOB, "--output", "cancelled.h5", "--report", "cancelled.json"])
        self.assert_finished(again, "cancelled", restarts=0)


if __name__ == "__main__":
    cluster.main()
