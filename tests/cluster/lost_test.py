"""What a job of Slurm does when hosts leave it: the job script continues with the remaining ones."""

import cluster

SLOWLY = ("--device", "reference", "--threads", "1")
JOB = ("--view", "seahorse", "--size", "1000x800", "--iterations", "1000", "--tile", "50")
HELD = 60  # items of a rank, of 320


class Lost(cluster.ClusterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cluster.run_here(cls.folder, "render", *JOB, "--output", "here.h5")
        cls.whole_bytes = cls.size_of("here.h5")

    def crash(self, host):
        self.cluster("crash", host)
        self.release()
        self.addCleanup(self.cluster, "boot", host)

    def assert_finished(self, job, name, restarts):
        self.assert_ends(job, "COMPLETED")
        self.assertEqual(self.restarts(job), restarts)
        self.assert_went_on(name + ".json", job)
        self.assert_same_bits("here.h5", name + ".h5")

    def test_a_lost_node_does_not_cost_the_render(self):
        job = self.submit("render.sbatch", ["--nodes=3", "--ntasks-per-node=1"],
                          [*JOB, *SLOWLY, "--output", "lost.h5", "--report", "lost.json"],
                          environment=self.hold(HELD))
        self.wait_until_part_is_done("lost.h5", self.whole_bytes)
        starts = self.log(job).count("] start ")  # under load, MPI may fail to start, and the job script tries again
        self.crash("h2")
        self.assert_ends(job, "COMPLETED")
        self.assert_same_bits("here.h5", "lost.h5")
        self.assertEqual(self.log(job).count("] start "), starts)

    def test_nor_does_the_loss_of_the_node_that_runs_the_job_script(self):
        render = " ".join([*JOB, *SLOWLY, "--output", "script.h5", "--report", "script.json"])
        job = self.slurm("sbatch", "--parsable", "--nodes=2", "--ntasks-per-node=1", "--exclusive", "--no-kill", "--requeue",
                         "--open-mode=append", "--wrap", "exec tessera-slurm --watch 1 render " + render, environment=self.hold(HELD))
        self.wait_until_part_is_done("script.h5", self.whole_bytes)
        self.crash("h1")
        self.assert_finished(job, "script", restarts=1)


if __name__ == "__main__":
    cluster.main()
