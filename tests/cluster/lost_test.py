"""What a job of Slurm does when hosts leave it: the job script goes on with those that are left."""

import cluster

# `reference` is slow, so that there is time to lose a host; its bits are those of every device.
JOB = ("--view", "seahorse", "--size", "5000x4000", "--iterations", "5000", "--tile", "100")


class Lost(cluster.ClusterTest):
    def test_a_lost_node_does_not_cost_the_render(self):
        cluster.run_here(self.folder, "render", *JOB, "--output", "here.h5")
        job = self.submit("render.sbatch", ["--nodes=3", "--ntasks-per-node=2"],
                          [*JOB, "--device", "reference", "--output", "lost.h5", "--report", "lost.json"])
        self.wait_until_part_is_done("lost.h5", self.size_of("here.h5"))
        self.cluster("crash", "h2")
        self.assert_ends(job, "COMPLETED", 100)
        self.assertIn("start 2: 2 of 3 nodes (h1 h3)", self.log(job))
        self.assertEqual(self.restarts(job), 0)
        self.assert_went_on("lost.json", job)
        self.assert_same_bits("here.h5", "lost.h5")


if __name__ == "__main__":
    cluster.main()
