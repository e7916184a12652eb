"""Nodes that are lost, or cut off the network, under an srun that lets the others live: the same step goes on."""

import json
import shlex

import cluster

JOB = ("--view", "seahorse", "--size", "960x640", "--iterations", "500", "--tile", "64", "--fields", "iterations,smooth")
SLOWLY = ("--threads", "1")
# What tessera-slurm sets, and no restart of the step.
STEP = ("--nodes=3", "--ntasks-per-node=1", "--no-kill", "--kill-on-bad-exit=0", "--wait=0", "--mpi=pmix")


class Flight(cluster.ClusterTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cluster.run_here(cls.folder, "render", *JOB, "--output", "here.h5")
        cls.whole_bytes = cls.size_of("here.h5")

    def held(self):
        """For a shell: each rank stays with its thirtieth tile, so that there is time for something to happen."""
        return " ".join(f"{name}={shlex.quote(value)}" for name, value in self.hold(30).items())

    def start(self, name, heartbeat_s=3):
        """A job of one step on three nodes, the first of which gathers; when a part of it is stored."""
        render = " ".join([cluster.TESSERA.replace(" ", "\\ "), "render", *JOB, *SLOWLY, "--output", name + ".h5",
                           "--report", name + ".json", "--heartbeat", str(heartbeat_s)])
        step = f"{self.held()} PMIX_MCA_gds=hash srun {' '.join(STEP)} {render}; echo step ended with $?"
        for _ in range(4):
            job = self.slurm("sbatch", "--parsable", "--nodes=3", "--ntasks-per-node=1", "--exclusive", "--no-kill",
                             "--output=%x-%j.out", "--wrap", step)
            self.wait_until("a part of the render", lambda job=job: self.size_of(name + ".h5.part") > self.whole_bytes / 5
                            or "step ended with" in self.log(job))
            # On a busy machine Slurm itself may fail to launch a step.
            if "step ended with" not in self.log(job) or "launch failed" not in self.log(job):
                break
        self.wait_until_part_is_done(name + ".h5", self.whole_bytes)
        return job

    def lost_ranks(self, name):
        with open(self.path(name + ".json")) as file:
            return [lost["rank"] for lost in json.load(file)["in_flight"]["lost_ranks"]]

    def assert_done(self, job, name, lost):
        self.wait_until(f"the end of job {job}:\n{self.log(job)}", lambda: "step ended with" in self.log(job))
        self.assertIn("step ended with 0", self.log(job))
        self.assert_same_bits("here.h5", name + ".h5")
        self.assertEqual(self.lost_ranks(name), lost)

    def test_a_node_that_is_lost_does_not_end_the_step(self):
        job = self.start("lost")
        self.cluster("crash", "h3")
        self.release()
        self.addCleanup(self.cluster, "boot", "h3")
        self.assert_done(job, "lost", [2])

    def test_a_node_that_is_cut_off_for_a_while_does_no_harm(self):
        # TCP tries again 3, 6 and 13 s after the cut. Rank 1 is given up after 4 s, and would leave after 8 s; Slurm gives up a
        # host after 8 s.
        job = self.start("cut", heartbeat_s=4)
        self.cluster("link", "h2", "down")
        try:
            self.wait_until("the loss of rank 1", lambda: "rank 1 on h2 has not been heard of" in self.log(job))
        finally:
            self.cluster("link", "h2", "up")
        # Before the others are done: they would not wait for a rank that is given up.
        self.wait_until("rank 1 again", lambda: "rank 1 on h2 is heard of again" in self.log(job) or "leaves" in self.log(job))
        self.release()
        self.assert_done(job, "cut", [1])

    def test_a_node_that_is_cut_off_for_good_is_not_waited_for_and_its_rank_leaves(self):
        job = self.start("gone")
        self.cluster("link", "h2", "down")
        self.release()
        self.addCleanup(self.cluster, "link", "h2", "up")
        self.wait_until("the file", lambda: self.size_of("gone.json") > 0)
        self.assert_same_bits("here.h5", "gone.h5")
        self.assertEqual(self.lost_ranks("gone"), [1])
        # Not a process of it is left on the node, though nobody could tell it anything.
        self.wait_until("the end of the rank that was cut off",
                        lambda: "tessera" not in self.cluster("run", "h2", "ps", "-A", "-o", "comm="))

    def test_without_the_node_that_gathers_the_job_script_starts_the_ranks_again(self):
        render = " ".join([*JOB, *SLOWLY, "--output", "first.h5", "--report", "first.json", "--heartbeat", "3"])
        # The script runs on h1; ranks are on h2 and h3, so that it sees them start again.
        job = self.slurm("sbatch", "--parsable", "--nodes=3", "--ntasks-per-node=1", "--exclusive", "--no-kill",
                         "--output=%x-%j.out", "--wrap",
                         f"{self.held()} SLURM_JOB_NODELIST=h[2-3] exec tessera-slurm render {render}")
        self.wait_until_part_is_done("first.h5", self.whole_bytes)
        self.cluster("crash", "h2")
        self.release()
        self.addCleanup(self.cluster, "boot", "h2")
        self.assert_ends(job, "COMPLETED")
        self.assertIn("srun ended with 4", self.log(job))
        # Slurm itself may fail to launch a start on a busy machine.
        self.assertRegex(self.log(job), r"start [2-9]: 1 of 3 nodes \(h3\)")
        self.assert_went_on("first.json", job)
        self.assert_same_bits("here.h5", "first.h5")


if __name__ == "__main__":
    cluster.main()
