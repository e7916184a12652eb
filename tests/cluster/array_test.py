"""An array of jobs that know nothing of each other: one is lost and submitted again, then all are merged."""

import glob
import os

import cluster

JOB = ("--view", "seahorse", "--size", "900x600", "--iterations", "1000", "--tile", "25")
SLOWLY = ("--device", "reference", "--threads", "1")


class Array(cluster.ClusterTest):
    def submit_shares(self, array):
        return self.submit("render-array.sbatch", ["--array=" + array], ["image.h5", *JOB, *SLOWLY],
                           environment={"SHARES": "3", **self.hold(160)})  # of 288 tiles

    def merge(self):
        parts = [f"image.share{number}.h5.part" for number in (1, 2, 3)]
        return cluster.subprocess.run([cluster.TESSERA, "merge", "image.h5", *parts], cwd=self.folder, timeout=cluster.HANG_S,
                                      capture_output=True, text=True)

    def test_a_lost_share_is_submitted_again_and_all_are_merged(self):
        cluster.run_here(self.folder, "render", *JOB, "--output", "here.h5")
        job = self.submit_shares("1-3")
        self.wait_until_part_is_done("image.share2.h5", self.size_of("here.h5") / 4)
        self.slurm("scancel", "--full", "--signal=KILL", job + "_2")
        self.wait_until("the end of the share", lambda: not self.slurm("squeue", "-h", "-j", job + "_2", "-t", "PD,R,CG"))
        self.release()
        self.wait_until("the end of the array", lambda: not self.slurm("squeue", "-h", "-j", job, "-t", "PD,R,CG"))
        merged = self.merge()
        self.assertEqual(merged.returncode, 4, merged.stderr)
        self.assertIn("in none of the parts", merged.stderr)

        job = self.submit_shares("2")
        self.release()
        self.wait_until("the share", lambda: not self.slurm("squeue", "-h", "-j", job, "-t", "PD,R,CG"))
        merged = self.merge()
        self.assertEqual(merged.returncode, 0, merged.stderr + self.log(job + "_2"))
        self.assertIn("were there before", merged.stdout)
        self.assert_same_bits("here.h5", "image.h5")

    def begun(self):
        """Shares of the pool with tiles in their logs."""
        logs = glob.glob(glob.escape(self.path("elastic.pool")) + "/share*.log")
        return [log for log in logs if os.path.getsize(log) > 1000]

    def test_jobs_of_a_pool_come_and_go(self):
        cluster.run_here(self.folder, "render", *JOB, "--output", "here.h5")
        arguments = ["elastic.h5", *JOB, *SLOWLY, "--pool-lease", "3", "--pool-shares", "6"]
        job = self.submit("render-elastic.sbatch", ["--array=1-3"], arguments, environment=self.hold(30))  # of 48 tiles
        self.wait_until("shares with tiles", lambda: len(self.begun()) >= 3)
        self.slurm("scancel", "--full", "--signal=KILL", job + "_2")
        self.slurm("scancel", job + "_3")
        self.release()
        self.wait_until("the end of the array", lambda: not self.slurm("squeue", "-h", "-j", job, "-t", "PD,R,CG"))
        self.assert_same_bits("here.h5", "elastic.h5")


if __name__ == "__main__":
    cluster.main()
