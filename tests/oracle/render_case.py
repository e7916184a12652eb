"""An image, its truth and the folder in which something happens to it."""

import os

import render_checks
from render_runs import REFUSALS, Difference

OUTPUT = "o.h5"


class Case:
    """An image, its truth, and the folder in which a history happens to it."""

    def __init__(self, rng, job, truth, runner, devices):
        self.rng, self.job, self.truth, self.runner = rng, job, truth, runner
        self.devices = devices  # that may be asked for
        self.used, self.most_ranks = set(), 1
        self.steps = int(truth.iterations.sum(dtype="u8"))
        self.image = job.options()
        if rng.random() < .2:
            text = job.toml(rng)
            runner.note("job.toml: " + text.replace("\n", "; "))
            with open(runner.path("job.toml"), "w") as file:
                file.write(text)
            self.image = ["job.toml"]

    def path(self, name):
        return self.runner.path(name)

    def resources(self, slow=False):
        """Options that decide no pixel, and the ranks."""
        rng = self.rng
        device = "reference" if slow else rng.choice(self.devices)
        self.used.update({"auto": ("cpu", "cuda", "opencl")}.get(device, (device,)))
        options = ["--device", device, "--threads", str(1 if slow else rng.choice([0, 1, 1, 2, 3, 4]))]
        if rng.random() < .15:
            options += ["--memory", rng.choice(["256M", "1G", "3000000K"])]
        if rng.random() < .15:
            options += ["--checkpoint", str(rng.choice([1, 2, 86400]))]
        if rng.random() < .8:
            options.append("--quiet")
        ranks = rng.choice([1, 2, 3, 4]) if rng.random() < .07 else 0
        self.most_ranks = max(self.most_ranks, ranks)
        return options, ranks

    def render(self, *options, output=OUTPUT, slow=False, **more):
        """One run with resources of its own."""
        resources, ranks = self.resources(slow)
        more.setdefault("ranks", ranks)
        return self.runner.run("render", *self.image, *resources, "--output", output, *options, **more)

    def render_well(self, *options, **more):
        done = self.render(*options, **more)
        if done.code != 0:
            raise Difference(f"exit {done.code} of a render that should succeed: {done.said.strip()[-300:]}")
        return done

    def check(self, output=OUTPUT):
        """All of a finished file, and that nothing of its making is left."""
        left = [name for name in os.listdir(self.runner.folder) if name.startswith(output + ".part")]
        if left:
            raise Difference(f"{left} is left of a finished render")
        render_checks.apart(render_checks.check_image, self.path(output), self.job, self.truth, self.used,
                            self.most_ranks)

    def check_after_damage(self, done, *names):
        """Right, or refused; and a refused file can be written from scratch."""
        if done.code == 0:
            return self.check()
        if done.code not in REFUSALS:
            raise Difference(f"exit {done.code} for a damaged file")
        self.runner.check_refusal(done, *names)
        self.render_well("--overwrite")
        return self.check()
