"""Jobs of Slurm on three hosts: the job scripts, srun and mpirun give the bits of a local run."""

import json
import os

import cluster
from PIL import Image

JOB = ("--view", "seahorse", "--size", "801x603", "--iterations", "2000", "--fields", "iterations,smooth", "--tile", "64")
THREE_TIMES_TWO = ("--nodes=3", "--ntasks-per-node=2")


class Launch(cluster.ClusterTest):
    gpus = 2

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cluster.run_here(cls.folder, "render", *JOB, "--output", "here.h5")

    def ranks_and_hosts(self, report):
        with open(self.path(report)) as file:
            ranks = json.load(file)["ranks"]
        return [rank["host"] for rank in sorted(ranks, key=lambda rank: rank["rank"])]

    def test_a_submitted_render_has_the_bits_of_a_local_one(self):
        job = self.submit("render.sbatch", THREE_TIMES_TWO, [*JOB, "--output", "sbatch.h5", "--report", "sbatch.json"])
        self.assert_ends(job, "COMPLETED")
        self.assert_same_bits("here.h5", "sbatch.h5")
        self.assertEqual(self.ranks_and_hosts("sbatch.json"), ["h1", "h1", "h2", "h2", "h3", "h3"])

    def test_a_rank_a_gpu_and_outputs_in_scratch(self):
        with open(self.path("job.toml"), "w") as file:
            file.write('view = "whole"\nsize = "200x100"\noutput = "gpus.h5"\nreport = "gpus.json"\n')
        job = self.submit("render.sbatch", ["--nodes=3", "--gpus-per-node=2"], ["job.toml"],
                          environment={"SCRATCH": self.path("scratch")})
        self.assert_ends(job, "COMPLETED")
        self.assertEqual(self.ranks_and_hosts("scratch/gpus.json"), ["h1", "h1", "h2", "h2", "h3", "h3"])

    def test_mpirun_in_an_allocation_gives_the_same_bits(self):
        self.slurm("salloc", *THREE_TIMES_TWO, "mpirun", cluster.TESSERA, "render", *JOB, "--output", "mpirun.h5", "--quiet")
        self.assert_same_bits("here.h5", "mpirun.h5")

    def test_the_job_script_with_mpirun_gives_the_same_bits(self):
        job = self.slurm("sbatch", "--parsable", *THREE_TIMES_TWO, "--wrap",
                         "tessera-slurm --launcher mpirun render " + " ".join(JOB) + " --output wrap.h5 --report wrap.json")
        self.assert_ends(job, "COMPLETED")
        self.assert_same_bits("here.h5", "wrap.h5")
        self.assertEqual(self.ranks_and_hosts("wrap.json"), ["h1", "h1", "h2", "h2", "h3", "h3"])

    def test_srun_by_hand_gives_the_same_bits(self):
        self.slurm("srun", *THREE_TIMES_TWO, "--mpi=pmix", cluster.TESSERA, "render", *JOB, "--output", "srun.h5", "--quiet",
                   environment={"PMIX_MCA_gds": "hash"})
        self.assert_same_bits("here.h5", "srun.h5")

    def test_reduce_and_color_give_the_same_answers(self):
        job = self.submit("reduce.sbatch", THREE_TIMES_TWO, ["here.h5:/smooth", "--op", "mean,std,minmax", "--nan", "skip",
                                                             "--report", "cluster.json"])
        self.assert_ends(job, "COMPLETED")
        cluster.run_here(self.folder, "reduce", "here.h5:/smooth", "--op", "mean,std,minmax", "--nan", "skip",
                         "--report", "here.json")
        answers = []
        for name in ("cluster.json", "here.json"):
            with open(self.path(name)) as file:
                answers.append(json.load(file)["results"])
        self.assertEqual(*answers)

        job = self.submit("color.sbatch", THREE_TIMES_TWO, [self.path("here.h5"), "cluster.png"])
        self.assert_ends(job, "COMPLETED")
        cluster.run_here(self.folder, "color", self.path("here.h5"), "here.png")
        self.assertEqual(self.pixels_of("cluster.png"), self.pixels_of("here.png"))

    def pixels_of(self, name):
        with Image.open(self.path(name)) as picture:
            return picture.mode, picture.size, picture.tobytes()

    def test_wrong_usage_is_not_tried_twice(self):
        job = self.submit("render.sbatch", THREE_TIMES_TWO, ["--view", "nowhere"])
        self.assert_ends(job, "FAILED")
        # Under load, Open MPI may die in MPI_Init before anything is said, and the job starts again.
        _, said, after = self.log(job).partition("exit code 2")
        self.assertTrue(said)
        self.assertNotIn("] start ", after)
        self.assertFalse(os.path.exists(self.path("tessera.h5")))


if __name__ == "__main__":
    cluster.main()
