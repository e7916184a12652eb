"""Renders, and whether they have the same pixels. No library of Python reads HDF5 here: two fields are equal where their
exact dot products with each other and with themselves are, and `tessera verify` computes rows again."""

import json

from checks import same

FIELDS = ("iterations", "smooth")
ALL_FIELDS = (*FIELDS, "distance")


class Render:
    """Of one image, on several devices."""

    def __init__(self, checks, size, *job, fields=FIELDS):
        self.checks, self.fields = checks, fields
        self.job = ("--size", size, *job, "--fields", ",".join(fields))
        self.truth = None

    def command(self, device, name, *options):
        return (self.checks.tessera, "render", *self.job, "--device", device, "--output", f"{name}.h5", "--report",
                f"{name}.json", "--quiet", *options)

    def report(self, name):
        return json.loads((self.checks.folder / f"{name}.json").read_text())

    def on(self, device, *options, name="image", ranks=0, **run_options):
        """Its report."""
        self.checks.run(*self.command(device, name, "--overwrite", *options), ranks=ranks, **run_options)
        return self.report(name)

    def numbers(self, name):
        """Of each field: equal for two images only if they are equal; see the head of this file."""
        found = {}
        for field in self.fields:
            report = self.checks.folder / "numbers.json"
            self.checks.run(self.checks.tessera, "reduce", f"{name}.h5:/{field}", "--op", "dot,sum,norm2,minmax", "--with",
                            f"truth.h5:/{field}", "--device", "cpu", "--quiet", "--report", report)
            found[field] = json.loads(report.read_text())["results"]
        return found

    def take_truth(self, device, *options):
        self.on(device, *options, name="truth")
        self.truth = self.numbers("truth")

    def same_as_truth(self, name="image"):
        found = self.numbers(name)
        for field in self.fields:
            same(found[field], self.truth[field], f"{field} differ from the reference; exact dot, sum, norm2, minmax")

    def verify(self, device, sample, name="image"):
        self.checks.run(self.checks.tessera, "verify", f"{name}.h5", "--device", device, "--sample", sample, "--quiet")
